"""Install the program as users do, and use it there, far from its sources.

``python .ci/installation.py`` builds the source distribution of this checkout, and the wheel of
that. pip installs the wheel with all that it needs into a new environment; then the program solves,
opens its window, and goes into the desktop's menus. Beside that, the wheel becomes a folder that
runs without Python: it opens a window on a screen and solves there. A line is printed for each
step; the status is 1 as soon as one fails.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import venv
import zipfile
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from gpu.core.machine.checkout import VARIABLE
from tests.screen import screen_of

Run = Callable[..., str]
"""Runs a command in a folder (``where``) with ``more`` variables; returns what it has printed."""

ROOT = Path(__file__).resolve().parents[1]
BUILT_FROM = (
    *("app", "gpu", "views", "resources", "docs", "pyproject.toml", "setup.py", "MANIFEST.in"),
    *("README.md", "LICENSE", "CHANGELOG.md"),
)
CONSTRAINTS = ("PIP_CONSTRAINT", "PIP_BUILD_CONSTRAINT")
PATIENCE = 1800  # most seconds that a step may take: tests have most of the processors meanwhile
NONE: Mapping[str, str] = {}
COMMIT = "0123456789ab-installation"

GUIDES = """
from views.help import guide
print(len(guide.guides()), "guides from", guide.folder())
"""

SOURCE_DISTRIBUTION = """
import sys
from setuptools import build_meta
build_meta.build_sdist(sys.argv[1])
"""

SCRIPT = """
[[step]]
open = "ring-50"
device = "cpu"
colony = "acs-cores-spm"
limits = { iterations = 2 }
seed = 1
run = "start"
show = ["tour"]
say = "Two iterations."
wait = "end"
"""

COLONY = "acs-spm"  # of the demonstration
SOLVE = ("solve", "ring-50", "--colony", COLONY, "--iterations", "2", "--json")

KERNELS = """
from gpu.cuda import loader
texts = [loader.source_text(one.file) for one in loader.sources().values()]
assert len(texts) > 20 and all("__global__" in text for text in texts)
print(len(texts), "kernel sources from", loader.ROOT)
"""


class FailedError(Exception):
    """A step did not do what it should."""


def main() -> int:
    """Do all steps in a folder of their own; return the exit status."""
    with tempfile.TemporaryDirectory(prefix="formicarium-installation-") as name:
        try:
            _try_all(Path(name))
        except (FailedError, subprocess.TimeoutExpired) as error:
            print(f"installation: {error}", flush=True)
            return 1
    return 0


def _try_all(folder: Path) -> None:
    source, home, elsewhere = folder / "source", folder / "home", folder / "elsewhere"
    for made in (source, home, elsewhere, folder / "built"):
        made.mkdir()
    _copy_to(source)
    # Neither this environment nor the user's folders are there for the program.
    clean = {key: text for key, text in os.environ.items() if not key.startswith(("PYTHON", "XDG"))}
    clean |= {"HOME": str(home), "QT_QPA_PLATFORM": "offscreen"}

    # pip keeps what it has fetched in the user's own folder. Who names constraints may do so
    # relative to the checkout.
    pip = {key: os.environ[key] for key in ("HOME", "XDG_CACHE_HOME") if key in os.environ}
    pip |= {key: str(ROOT / text) for key, text in os.environ.items() if key in CONSTRAINTS}

    def run(*command: str | Path, where: Path = elsewhere, more: Mapping[str, str] = NONE) -> str:
        begun = time.monotonic()
        done = subprocess.run(
            command, cwd=where, capture_output=True, text=True, check=False,
            timeout=PATIENCE, env={**clean, **(pip if "pip" in command else {}), **more},
        )  # fmt: skip
        told = " ".join(str(word).replace(f"{folder}/", "") for word in command[:6])
        told = told.strip().splitlines()[0]
        if done.returncode:
            raise FailedError(f"{told}: status {done.returncode}\n{done.stdout}{done.stderr}")
        print(f"{time.monotonic() - begun:6.1f} s  {told}", flush=True)
        return done.stdout

    built = folder / "built"
    run(sys.executable, "-c", SOURCE_DISTRIBUTION, built, where=source, more={VARIABLE: COMMIT})
    (packed,) = built.glob("*.tar.gz")
    build = (sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation")
    run(*build, "--wheel-dir", built, packed)
    (wheel,) = built.glob("*.whl")
    run(*build, "--wheel-dir", folder, source, more={VARIABLE: COMMIT})
    _expect(_contents(folder / wheel.name) == _contents(wheel), "that both wheels are the same")
    # As ``make wheel`` does it, with one colony: it need not be compiled where it is installed.
    compiled = ("compile", COLONY, "--archive", source / "gpu" / "compiled")
    kept = {"NUMBA_CACHE_DIR": str(folder / "compiled")}
    run(sys.executable, "-m", "app.cli.main", *compiled, where=source, more=kept)
    run(*build, "--wheel-dir", folder, source, more={VARIABLE: COMMIT})
    (wheel,) = (one for one in folder.glob("*.whl") if "-none-any" not in one.name)
    with ThreadPoolExecutor(1) as beside:
        packing = beside.submit(_try_folder, wheel, folder, run)
        _try_wheel(wheel, folder, run)
        packing.result()


def _try_wheel(wheel: Path, folder: Path, run: Run) -> None:
    """Install the wheel into a new environment, and use what comes with it."""
    home, elsewhere = folder / "home", folder / "elsewhere"
    venv.create(folder / "env", with_pip=True)
    python = folder / "env" / "bin" / "python"
    constrained = ("--constraint", ROOT / "constraints.txt")
    run(python, "-m", "pip", "install", "--quiet", "--no-compile", *constrained, wheel)
    program = python.with_name("formicarium")

    _expect(run(program, "--version").endswith(f" (commit {COMMIT})\n"), "--version")
    _expect("crossing-cores" in run(program, "colonies"), "colonies")
    found = json.loads(run(program, *SOLVE))
    _expect(sorted(found["tour"]) == list(range(1, 51)), "the tour of ring-50")
    _expect(not _compiled(folder / "env", home), "that the wheel has the compiled colony")
    run(program, "demo", "--out", elsewhere / "demo")
    names = {path.name for path in (elsewhere / "demo").iterdir()}
    _expect({"window-dark.png", "view-tour.png"} <= names, f"the pictures among {names}")
    _expect(str(folder / "env") in run(python, "-c", KERNELS), "kernels of the wheel")
    _expect(str(folder / "env") in run(python, "-c", GUIDES), "guides of the wheel")

    run(program, "desktop", "--install")
    entry = home / ".local" / "share" / "applications" / "formicarium.desktop"
    (line,) = (line for line in entry.read_text().splitlines() if line.startswith("Exec="))
    command, *rest = shlex.split(line.removeprefix("Exec="))
    _expect((command, rest) == (str(program), ["%f"]), line)
    _expect(run(command, "--version", where=Path("/")).startswith("formicarium "), line)
    run(program, "desktop", "--remove")
    _expect(not entry.exists(), f"that {entry.name} is removed")


def _try_folder(wheel: Path, folder: Path, run: Run) -> None:
    """Pack the wheel into a folder that runs without Python, and solve in its window."""
    out, home = folder / "dist", folder / "home of the folder"
    for made in (home, folder / "nothing", folder / "screen"):
        made.mkdir()
    run(sys.executable, ROOT / "bundle" / "build.py", "--wheel", wheel, "--out", out)
    program = out / "formicarium" / "formicarium"
    alone = {"HOME": str(home), "PATH": str(folder / "nothing")}  # no Python is found there
    version = run(program, "--version", more=alone)
    _expect(version.endswith(f" (commit {COMMIT})\n"), f"--version of the folder: {version}")
    script = folder / "solve.toml"
    script.write_text(SCRIPT)
    with screen_of(1000, 700, folder / "screen") as screen:
        begun = time.monotonic()
        shown = {**alone, "DISPLAY": screen.environment["DISPLAY"], "QT_QPA_PLATFORM": "xcb"}
        with subprocess.Popen([program, "present", script], env=shown) as window:
            try:
                _wait(window, lambda: screen.do("search", "--onlyvisible", "--name", "Formicarium"))
                _wait(window, lambda: any(_ended(log) for log in home.rglob("*.jsonl")))
                drawn = screen.share("#ffffff") < 0.9  # else there is no window
                screen.do("key", "Escape")
                screen.do("key", "ctrl+q")
                status = window.wait(PATIENCE)
            finally:
                window.kill()
    _expect(drawn and not status, f"the window of the folder (status {status})")
    print(f"{time.monotonic() - begun:6.1f} s  {program.name} present, on a screen", flush=True)
    found = json.loads(run(program, *SOLVE, more=alone))
    _expect(sorted(found["tour"]) == list(range(1, 51)), "the folder's tour of ring-50")
    _expect(not _compiled(out, home), "that the folder has the compiled colony")


def _compiled(*places: Path) -> list[Path]:
    """Return what was compiled of the colony in these places."""
    return [path for place in places for path in place.rglob("gpu.acs.*.code")]


def _wait(window: subprocess.Popen[bytes], until: Callable[[], bool]) -> None:
    """Wait until something is so, as long as the window is open."""
    deadline = time.monotonic() + PATIENCE
    while not until():
        _expect(window.poll() is None, f"that the window stays open (status {window.returncode})")
        _expect(time.monotonic() < deadline, "that the window goes on")
        time.sleep(0.2)


def _ended(log: Path) -> bool:
    return '"kind": "outcome"' in log.read_text("utf-8")


def _contents(wheel: Path) -> dict[str, int]:
    """Return the checksum of each file in a wheel."""
    with zipfile.ZipFile(wheel) as file:
        return {one.filename: one.CRC for one in file.infolist()}


def _copy_to(source: Path) -> None:
    """Copy what the wheel is built from: to build it leaves files behind."""
    for name in BUILT_FROM:
        path = ROOT / name
        if path.is_dir():
            shutil.copytree(path, source / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(path, source)


def _expect(right: bool, what: str) -> None:
    if not right:
        raise FailedError(f"not as expected: {what}")


if __name__ == "__main__":
    sys.exit(main())
