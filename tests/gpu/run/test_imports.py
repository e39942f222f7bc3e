"""Runs and measurements import no window, and no slow package before they need it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
WINDOW = ("PySide6", "pyqtgraph", "app", "views", "click")
SLOW = ("scipy", "numba", "cupy", "tsplib95")


@pytest.mark.parametrize("package", ["run", "studies", "papers", "races", "timing"])
def test_every_file_of_the_package_imports_no_window_and_nothing_slow(package: str) -> None:
    files = sorted(path.relative_to(ROOT) for path in ROOT.glob(f"gpu/{package}/**/*.py"))
    names = [".".join(file.with_suffix("").parts).removesuffix(".__init__") for file in files]
    shown = "print([name for name in sys.argv if name in sys.modules])"
    code = f"import sys, {', '.join(names)}; {shown}"
    done = subprocess.run(
        [sys.executable, "-c", code, *WINDOW, *SLOW],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    assert done.stdout == "[]\n"
