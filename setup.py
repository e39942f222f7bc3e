"""What pyproject.toml cannot say: the wheel has the guides of docs/, which the window shows.

With archives of compiled code in gpu/compiled (``make wheel``) it is for one Python and one system.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

sys.path.insert(0, str(Path(__file__).parent))

from gpu.core.machine.checkout import KEPT, commit

DOCS = Path("docs")


def shown_in_window() -> Iterator[Path]:
    """Yield the list of all pages, the guides, what they link to, and the pictures in these."""
    guides = sorted((DOCS / "guide").glob("*.md"))
    linked = {one for guide in guides for one in _targets(guide, r"\.md")}
    pages = {DOCS / "README.md", *guides, *linked}
    yield from sorted(pages | {one for page in pages for one in _targets(page, r"\.png")})


def _targets(page: Path, ending: str) -> Iterator[Path]:
    """Yield the files below docs/ with this ending that a page links to, or shows."""
    for target in re.findall(rf"\]\(([^):#]+{ending})[)#]", page.read_text("utf-8")):
        yield Path(re.sub(r"[^/]+/\.\./", "", (page.parent / target).as_posix()))


class Build(build_py):
    """Puts these files below ``resources/docs``; a checkout in use has them in ``docs``."""

    def run(self) -> None:
        """Build the packages, then add the files."""
        super().run()
        if not self.editable_mode:
            for path in shown_in_window():
                target = Path(self.build_lib, "resources", path)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)
            keep_commit(Path(self.build_lib))


class Pack(sdist):
    """Puts the commit into the source distribution, where no Git knows it."""

    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        """Make the folder that is packed."""
        super().make_release_tree(base_dir, files)
        keep_commit(Path(base_dir))


class Program(Distribution):
    """Is for one Python and one system if there is compiled code in it."""

    def has_ext_modules(self) -> bool:
        """Whether there is any."""
        return any(Path("gpu", "compiled").glob("*.zip"))


def keep_commit(folder: Path) -> None:
    """Write the commit, where it is known, into the packages in this folder."""
    if known := commit():
        (folder / "gpu" / KEPT).write_text(f"{known}\n", "utf-8")


if __name__ == "__main__":  # pytest looks at any module that is named as a folder of tests
    setup(distclass=Program, cmdclass={"build_py": Build, "sdist": Pack})
