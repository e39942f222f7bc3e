"""The comparison that the window offers, as work for a thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from app.window.threads.tasks import Task
from gpu.measure.comparison import compare
from gpu.measure.comparison_report import ComparisonReport

if TYPE_CHECKING:
    from gpu.core.instance import Instance
    from views.frame.main_window import MainWindow


def comparing(
    window: MainWindow, instance: Instance
) -> Callable[[Task[ComparisonReport]], ComparisonReport] | None:
    """Return what compares the chosen colony on ``instance``; None while nothing can run.

    What is measured is shown as it comes.
    """
    system, device = window.setup.colony.system, window.setup.colony.device
    if system is None or device is None or window.setup.problem:
        return None
    choices = window.setup.choices()
    view = window.comparison

    def work(task: Task[ComparisonReport]) -> ComparisonReport:
        report = compare(
            instance,
            system,
            device,
            choices.parameters,
            seed=choices.seed,
            cancelled=lambda: task.cancelled,
            progress=lambda text, share: task.report(share, text),
            found=lambda report: task.post(view.show_report, report),
        )
        task.post(view.show_report, report)
        return report

    return work
