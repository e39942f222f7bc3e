"""The window with its gallery, which is in sight before all else is made."""

from __future__ import annotations

from PySide6.QtCore import QEventLoop, QObject

from app.window.controllers.controller import Parts
from app.window.controllers.instances.gallery import GalleryController
from app.window.models.loaded_instance import LoadedInstance
from app.window.models.run_list import RunList
from app.window.threads.tasks import BackgroundTasks
from gpu.run.log.archive import Archive
from gpu.run.log.names import default_log_folder
from views.frame.main_window import MainWindow
from views.frame.settings import Settings


class GalleryFirst(QObject):
    """A window with its gallery, the models, and what fills the gallery.

    It imports little, so that the gallery is there soon. All else is made by
    :class:`app.window.application.Application`, to which this is given. Until then nothing that
    the user does may arrive.
    """

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self.parts = Parts(
            RunList(self),
            LoadedInstance(self),
            BackgroundTasks(self),
            Archive([default_log_folder()]),
            MainWindow(settings, gallery_alone=True),
        )
        self.gallery = GalleryController(self.parts, self)

    def show(self) -> None:
        """Show the window, and return when all instances of the gallery are painted.

        What the user does meanwhile arrives when Qt's event loop runs.
        """
        window = self.parts.window
        window.show()
        loop = QEventLoop()
        self.gallery.listed.connect(loop.quit)
        if not self.gallery.idle:
            loop.exec(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)
        window.gallery.instances.repaint()
