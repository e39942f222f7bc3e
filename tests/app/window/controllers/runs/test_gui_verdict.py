"""What the window says at the end of a run, and what it offers then."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from app.window.application import Application
from app.window.controllers.runs import run_text
from app.window.controllers.runs.run_text import nice_above
from gpu.problems.bundled import bundled
from tests.app.in_window import limit, open_, run_to_the_end, state, use_colony
from tests.colonies import RandomColony
from tests.hands import click, ticking

UNKNOWN = next(one.path for one in bundled() if one.name == "uniform-100")  # no best known length


def offers(application: Application) -> list[str]:
    return [one.text() for one in application.window.banner.offers if one.isVisible()]


def test_the_end_is_compared_with_ones_own_best_and_offers_what_can_be_done(
    qtbot: QtBot, application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, banner = application.window, application.window.banner
    monkeypatch.setattr(run_text, "_LONG_RUN", 0.0)
    monkeypatch.setattr(run_text, "_LONG_IDLE", -1.0)  # every run has idled for long
    open_(qtbot, application, UNKNOWN)
    use_colony(application, monkeypatch, RandomColony)
    window.setup.seed_field.text = "1"
    limit(application, iterations=20)
    run_to_the_end(qtbot, application)
    first, found = banner.text, state(application).cost
    assert "before" not in first  # there was no run yet
    assert offers(application) == ["30 s more", "Improve", "Stop sooner"]
    assert not ticking(banner)
    limit(application, iterations=20)
    run_to_the_end(qtbot, application)
    assert "as good as your best before" in banner.text
    readout = window.readout
    assert readout.headings["gap"].text() == "GAP TO YOUR BEST"
    assert readout.values["gap"].text() == "0.00\u202f%"
    limit(application, iterations=400)
    run_to_the_end(qtbot, application)
    better = 100 * (found / state(application).cost - 1)
    own = f"{found:,}".replace(",", "\u202f")
    assert f"{better:.2f}\u202f% better than your best before ({own})" in banner.text
    below = 100 * (1 - state(application).cost / found)
    assert readout.values["gap"].text() == f"-{below:.2f}\u202f%"
    click(banner.offers[2])
    idle = window.setup.stop.values()["no_improvement"]
    assert idle == nice_above(max(100, state(application).best_iteration))
    assert f"Later runs end after {idle} iterations" in banner.text
    run_to_the_end(qtbot, application)
    assert "Stop sooner" not in offers(application)  # it did
    click(banner.offers[0])
    assert window.setup.stop.values()["seconds"] is not None  # it goes on
    with qtbot.waitSignal(application.runs.ended):
        application.run_controller.stop()


@pytest.mark.parametrize(("number", "nice"), [(1, 1), (3, 5), (10, 10), (100, 100), (137, 200)])
def test_nice_numbers(number: int, nice: int) -> None:
    assert nice_above(number) == nice
