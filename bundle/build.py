"""Build a folder with the program that runs without Python.

``python bundle/build.py [--wheel FILE] [--out DIST]`` packs a wheel of the program, by default one
of this checkout, with Python and all that it needs into the folder ``DIST/formicarium``. A wheel of
this checkout gets all colonies compiled; one that is given has what was compiled for it. The folder
runs where it was built for: on the same system, and on Linux with a C library that is no older.
"""

from __future__ import annotations

import argparse
import compileall
import os
import py_compile
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
OURS = "app", "gpu", "views", "resources"


def main() -> None:
    """Build the folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wheel", type=Path, help="of the program; else one is built")
    parser.add_argument("--out", type=Path, default=HERE.parent / "dist")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="formicarium-folder-") as name:
        work = Path(name)
        packages = work / "packages"
        with zipfile.ZipFile(given.wheel or build_wheel(work)) as file:
            file.extractall(packages)
        if given.wheel is None:
            compile_colonies(packages)
        print(f"{build(packages, given.out, work)} is built")


def build_wheel(work: Path) -> Path:
    """Build the wheel of this checkout in the folder ``work``, by way of a source distribution.

    What an earlier build has left in the checkout does not get into it.
    """
    code = f"from setuptools import build_meta; build_meta.build_sdist({str(work)!r})"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=HERE.parent, capture_output=True)
    (source,) = work.glob("*.tar.gz")
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--wheel-dir", work, source], check=True)
    (wheel,) = work.glob("*.whl")
    return wheel


def compile_colonies(packages: Path) -> None:
    """Put the compiled code of all colonies beside the program."""
    command = [sys.executable, "-m", "app.cli.main", "compile", "--archive", "gpu/compiled"]
    environment = {**os.environ, "PYTHONPATH": str(packages)}
    subprocess.run(command, check=True, env=environment, cwd=packages)


def build(packages: Path, out: Path, work: Path) -> Path:
    """Build the folder below ``out`` of the program's packages; return its path."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(packages),  # comes before a checkout that is installed here
        "FORMICARIUM_ICON": icon(packages, work),
        "QT_QPA_PLATFORM": "offscreen",
    }
    installer = [sys.executable, "-m", "PyInstaller", "--noconfirm", "--log-level", "ERROR"]
    places = ["--distpath", str(out.resolve()), "--workpath", str(work / "build")]
    spec = str(HERE / "formicarium.spec")
    subprocess.run([*installer, *places, spec], check=True, env=environment, cwd=work)
    folder = out / "formicarium"
    inside = folder / "_internal"
    # Nobody may be able to write there later, and dates of files are not kept by every archive.
    for package in OURS:
        compileall.compile_dir(
            inside / package,
            quiet=1,
            invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
        )
    shutil.copy(HERE.parent / "LICENSE", folder)
    return folder


def icon(packages: Path, work: Path) -> str:
    """Return the file of the program's icon; on Linux a program has none, says PyInstaller."""
    kind = {"win32": "ICO", "darwin": "ICNS"}.get(sys.platform, "")
    if not kind:
        return "NONE"
    path = work / f"formicarium.{kind.lower()}"
    code = "import sys; from pathlib import Path; from app.files.desktop.icons import write_icon; "
    code += "write_icon(Path(sys.argv[1]), sys.argv[2])"
    environment = {**os.environ, "PYTHONPATH": str(packages)}
    subprocess.run([sys.executable, "-c", code, path, kind], check=True, env=environment)
    return str(path)


if __name__ == "__main__":
    main()
