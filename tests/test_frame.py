"""The frame holds: leaks fail, users' files stay untouched, rules and pins are kept."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

pytest_plugins = "pytester"

ROOT = Path(__file__).resolve().parents[1]

LEAKS = """
    import threading
    import time

    import pytest
    from PySide6.QtCore import QThread, QTimer
    from PySide6.QtWidgets import QApplication, QDialog, QWidget

    kept = []
    standing = QTimer(objectName="standing")


    class Idle(QThread):
        def run(self):
            threading.current_thread()
            self.exec()


    def test_thread():
        threading.Thread(target=time.sleep, args=(60,), name="sleeper", daemon=True).start()


    def test_thread_that_ends():
        threading.Thread(target=time.sleep, args=(0.2,)).start()


    def test_qthread(qapp):
        kept.append(Idle(objectName="idler"))
        kept[-1].start()
        while not kept[-1].isRunning():
            time.sleep(0.01)


    def test_qthread_that_ends(qapp):
        for thread in [kept[-1], Idle()]:
            thread.start()
            thread.quit()
            assert thread.wait(5000)


    def test_timer(qapp):
        kept.append(QTimer(objectName="ticker"))
        kept[-1].start(1000)


    def test_timer_of_the_application(qapp):
        timer = type("Ticker", (QTimer,), {})(qapp)
        timer.start(1000)


    def test_timer_that_stood_before(qapp):
        standing.start(1000)


    @pytest.fixture(scope="module")
    def wide(qapp):
        return QTimer(objectName="wide")


    def test_timer_of_a_wider_fixture(wide):
        wide.start(1000)


    def test_timer_that_stops(qapp):
        kept.append(QTimer())
        kept[-1].start(1000)
        kept[-1].stop()


    def test_widget(qapp):
        kept.append(QWidget(objectName="sheet"))


    def test_widget_that_is_closed(qapp, qtbot):
        qtbot.addWidget(QWidget())


    def test_widget_that_is_garbage(qapp):
        QWidget().itself = [QWidget()]


    @pytest.fixture(scope="module")
    def shared(qapp):
        return QWidget()


    def test_parts_of_a_window_of_a_wider_fixture(shared):
        QTimer(shared).start(1000)
        QTimer(QDialog(QWidget(shared))).start(1000)


    def test_failure(qapp):
        kept.append(QWidget())
        assert False, "on its own account"


    def test_after_the_leaks(qapp):
        pass
"""


HOOKS = """
    from tests.leaks import no_leaks, pytest_fixture_setup, pytest_runtest_makereport
"""


def test_what_a_test_leaves_behind_fails_it(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        "from tests.leaks import no_leaks, pytest_fixture_setup, pytest_runtest_makereport"
    )
    pytester.makepyfile(LEAKS)
    result = _run_pytest(pytester)
    result.assert_outcomes(passed=14, failed=1, errors=7)
    for name, left in {
        "test_thread": "the thread 'sleeper'",
        "test_qthread": "*a running Idle 'idler'",
        "test_timer": "an active QTimer 'ticker' of None",
        "test_timer_of_the_application": "an active Ticker '' of *QApplication*",
        "test_timer_of_a_wider_fixture": "an active QTimer 'wide' of None",
        "test_timer_that_stood_before": "an active QTimer 'standing' of None",
        "test_widget": "the QWidget 'sheet'",
    }.items():
        result.stdout.fnmatch_lines(
            [f"*ERROR at teardown of {name} *", f"the test left behind {left}"], consecutive=True
        )


def test_the_leak_check_does_not_import_qt(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        "from tests.leaks import no_leaks, pytest_fixture_setup, pytest_runtest_makereport"
    )
    pytester.makepyfile(
        "import sys\ndef test(): pass\ndef test_no_qt(): assert 'PySide6' not in sys.modules"
    )
    _run_pytest(pytester, "-p", "no:pytest-qt").assert_outcomes(passed=2)


def test_cuda_and_data_are_skipped_with_a_reason(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nmarkers =\n    cuda: x\n    data: x")
    pytester.mkpydir("tests")
    for name in ("conftest.py", "leaks.py", "systems.py", "turns.py"):
        pytester.path.joinpath("tests", name).write_text(ROOT.joinpath("tests", name).read_text())
    pytester.path.joinpath("tests", "test_x.py").write_text(
        "import pytest\n"
        "@pytest.mark.cuda\ndef test_gpu(): assert False\n"
        "def test_file(tsplib): assert False\n"
        "@pytest.mark.data\ndef test_marked(): assert False\n"
    )
    result = _run_pytest(pytester, "-rs", "tests", PYTHONPATH=str(ROOT), CUDA_VISIBLE_DEVICES="")
    result.assert_outcomes(skipped=3)
    result.stdout.fnmatch_lines_random(
        ["SKIPPED*needs a CUDA GPU: *", "SKIPPED*needs the instance files in *"]
    )
    result = _run_pytest(pytester, "-m", "not data", "tests", PYTHONPATH=str(ROOT))
    result.assert_outcomes(skipped=1, deselected=2)


def test_tests_do_not_touch_the_users_files() -> None:
    from platformdirs import user_cache_dir, user_config_dir, user_data_dir, user_state_dir
    from PySide6.QtCore import QSettings, QStandardPaths

    home = os.environ["HOME"]
    assert "formicarium-tests-" in home
    places = [Path.home(), QSettings("Formicarium", "Formicarium").fileName()]
    places += [f("formicarium") for f in (user_cache_dir, user_config_dir, user_data_dir)]
    places += [user_state_dir("formicarium")]
    places += [
        QStandardPaths.writableLocation(place)
        for place in (
            QStandardPaths.StandardLocation.HomeLocation,
            QStandardPaths.StandardLocation.ConfigLocation,
            QStandardPaths.StandardLocation.CacheLocation,
            QStandardPaths.StandardLocation.RuntimeLocation,
        )
    ]
    assert [place for place in map(str, places) if not place.startswith(home)] == []


@pytest.mark.parametrize("value", ["first", "second"])
def test_settings_do_not_outlive_a_test(value: str) -> None:
    from PySide6.QtCore import QSettings

    settings = QSettings("Formicarium", "Frame")
    assert settings.value("kept") is None
    settings.setValue("kept", value)
    settings.sync()
    assert QSettings("Formicarium", "Frame").value("kept") == value


def test_import_rules_are_enforced(tmp_path: Path) -> None:
    """Break every rule in a copy of the tree: each must be reported, and by its own contract."""
    for package in ("app", "gpu", "views", "resources"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("*.tsp"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    linter = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    clean = subprocess.run(linter, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert clean.returncode == 0, clean.stdout
    broken = {
        "gpu/core/snapshot.py": "import views, PySide6.QtCore",
        "gpu/problems/tsp/candidates.py": "import app, tsplib95",
        "gpu/problems/tsp/instance.py": "import cupy",
        "gpu/cpu/__init__.py": "import cupyx.jit",
        "views/__init__.py": "import gpu.problems.tsp.candidates, numba, app, matplotlib",
        "resources/__init__.py": "import numpy, gpu",
        "app/__init__.py": "import cupy",
        "app/window/models/run.py": "import views.frame",
        "app/window/controllers/devices.py": "import app.window.controllers.output.exports",
        "gpu/acs/systems.py": "import gpu.rlf.systems",
        "gpu/core/decisions/decision.py": "import gpu.core.decisions.rule",
    }
    for name, text in broken.items():
        with tmp_path.joinpath(name).open("a") as file:
            file.write(f"\n{text}\n")
    result = subprocess.run(linter, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "0 kept" in result.stdout
    reported = set(re.findall(r"(\S+) ?-> (\S+) \(l", result.stdout))
    assert {
        ("gpu.core.snapshot", "views"),
        ("gpu.core.snapshot", "PySide6"),
        ("gpu.problems.tsp.candidates", "app"),
        ("gpu.problems.tsp.candidates", "tsplib95"),
        ("gpu.problems.tsp.instance", "cupy"),
        ("gpu.cpu", "cupyx"),
        ("views", "gpu.problems.tsp.candidates"),
        ("views", "numba"),
        ("views", "app"),
        ("views", "matplotlib"),
        ("resources", "numpy"),
        ("resources", "gpu"),
        ("app", "cupy"),
        ("app.window.models.run", "views.frame"),
        ("app.window.controllers.devices", "app.window.controllers.output.exports"),
        ("gpu.acs.systems", "gpu.rlf.systems"),
    } <= reported
    assert "No cycles are allowed in gpu.core.decisions." in result.stdout


def test_constraints_pin_what_the_project_asks_for() -> None:
    lines = ROOT.joinpath("constraints.txt").read_text().splitlines()
    pins = dict(line.split("==") for line in lines if not line.startswith("#"))
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+", name) for name in pins)
    versions = {canonicalize_name(name): Version(version) for name, version in pins.items()}
    settings = tomllib.loads(ROOT.joinpath("pyproject.toml").read_text())
    project, extras = settings["project"], settings["project"]["optional-dependencies"]
    asked = settings["build-system"]["requires"]
    asked += project["dependencies"] + extras["test"] + extras["lint"]
    for requirement in map(Requirement, asked):
        version = versions.get(canonicalize_name(requirement.name))
        assert version is not None, f"{requirement.name} is not pinned"
        assert version in requirement.specifier, f"{requirement} excludes {version}"


def test_make_refuses_an_unknown_gpu() -> None:
    result = subprocess.run(
        ["make", "-n", "demo", "GPU=cuda99"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.returncode != 0
    assert "GPU=cuda99" in result.stderr
    assert "cuda13" in result.stderr


def _run_pytest(pytester: pytest.Pytester, *arguments: str, **environment: str) -> pytest.RunResult:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        for name, value in environment.items():
            patch.setenv(name, value)
        return pytester.runpytest_subprocess(*arguments)
