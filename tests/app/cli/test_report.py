"""The command that makes the report of a study."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from app.report.plot import FORMS
from gpu.study.store import Store
from gpu.study.study import Study
from tests.app.conftest import Command
from tests.gpu.study.conftest import toys
from tests.gpu.study.studies import TOML, Inline, planned
from tests.processes import refused, run

__all__ = ["toys"]


@pytest.fixture
def results(toys: Path) -> Path:
    """The file of a study with one run, which is done."""
    small = TOML.replace('"five.tsp", "three.tsp"', '"five.tsp"').replace("count = 3", "count = 1")
    with Store(toys / "small.sqlite") as store:
        Study(planned(toys, small.replace("[2, 3]", "2")), store, Inline()).run()
    return toys / "small.sqlite"


def test_page_and_plots_of_a_study(results: Path) -> None:
    plots = results.parent / "plots"
    made = run("report", results, "--plots", plots, "--size", "8x6", "--theme", "dark")
    assert made.returncode == 0, made.stderr
    names = [path.name for path in plots.iterdir()]
    assert len(names) == 7 * len(FORMS) + 2
    for form, beginning in (("png", b"\x89PNG"), ("pdf", b"%PDF-"), ("svg", b"<?xml")):
        files = [*plots.glob(f"*.{form}")]
        assert len(files) == 7
        assert all(file.read_bytes().startswith(beginning) for file in files)
    assert made.stdout == ""
    assert made.stderr.splitlines() == [
        f"formicarium: written: {results.with_suffix('.html')}",
        f"formicarium: written: {len(names)} files in {plots}",
    ]
    page = results.with_suffix(".html").read_text("utf-8")
    assert "<h1>Toys</h1>" in page
    assert "1 run was planned before the first one began" in page
    assert 'class="dark"' in page


def test_what_cannot_be_reported_is_refused(results: Path, inside: Command) -> None:
    before = results.read_bytes()
    text = results.with_name("text.sqlite")
    text.write_text("no database")
    for arguments, said in (
        ([results, "--baseline", "toys"], "it has toy"),
        ([results, "--target", "-1"], "choose 0 or more"),
        ([results, "--target", "nan"], "choose 0 or more"),
        ([results, "--size", "16"], "such as 16x9"),
        ([results, "--theme", "red"], "'light', 'dark'"),
        ([results, "--out", results], "it holds the results"),
        ([results, "--plots", text], "is a file"),
        ([results, "--plots", ""], "name a folder"),
        ([results, "--out", ""], "it is no file"),
        ([results, "--out", "/dev/full"], "it is no file"),
        ([""], "it is a folder"),
        ([text], "not the file of a study"),
        ([results.with_name("none.sqlite")], "none.sqlite: "),
    ):
        assert said in refused(inside("report", *arguments))
    assert results.read_bytes() == before


def test_nothing_imports_matplotlib_before_a_plot_is_made() -> None:
    names = "app.cli.main, app.cli.report, app.window.application, gpu.study.findings.analysis"
    code = f"import sys, {names}; print([name for name in sys.argv if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code, "matplotlib", "app.report"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[]\n"
