"""Shows what an instance became when the user edited its cities."""

from __future__ import annotations

from gpu.core.instance import Instance
from views.frame.main_window import MainWindow
from views.widgets.labels import window_title


def show_edited(window: MainWindow, instance: Instance) -> None:
    """Show ``instance`` in the place of the one before; curves and choices stay."""
    window.readout.show_instance(instance)
    window.setup.show_edited(instance)
    window.dashboard.moments.show_edited(instance)
    window.setWindowTitle(window_title(instance.name))
    window.take_edited(instance)
