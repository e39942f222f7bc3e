"""Colours and type of the window, light and dark. The colours of curves are Okabe and Ito's."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from string import Template

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QPalette
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QFrame, QWidget
from shiboken6 import isValid

from views.widgets.steps import StepTimer

BASE_POINTS = 9.5  # size of ordinary text at scale 1
PRESENTATION_SCALE = 1.4  # how much larger type is in a lecture
_THICK = 1.6  # how much wider lines are there

_COLOURS = {  # in the dark theme, and in the light one
    "window": ("#11151a", "#eef1f5"),  # backgrounds, lines and type, from back to front
    "panel": ("#191e25", "#ffffff"),
    "field": ("#11151a", "#ffffff"),
    "border": ("#303947", "#ced6e0"),
    "text": ("#e9edf2", "#18202a"),
    "muted": ("#9dabbc", "#566375"),
    "accent": ("#56b4e9", "#0072b2"),  # what can be pressed, and the type on it
    "on_accent": ("#08131b", "#ffffff"),
    "good": ("#2fc596", "#007a58"),  # success and failure; never the only sign of either
    "danger": ("#f5854a", "#b84a00"),
    "best": ("#f5b72e", "#d55e00"),  # what the plots show: best, iteration best, iteration mean, …
    "latest": ("#56b4e9", "#0072b2"),
    "mean": ("#8a98a9", "#7d8896"),
    "optimum": ("#c9d1db", "#4c5866"),
    "trail": ("#1fb48a", "#35bd97"),
    "gap": ("#d98fb8", "#a8487f"),
    "city": ("#dfe6ee", "#2b3644"),
    "local": ("#56b4e9", "#0072b2"),  # local and global update of a selective memory
    "overall": ("#f5b72e", "#d55e00"),
    "run1": ("#e58ac0", "#b0488a"),  # recorded runs over the live one, told apart by anybody
    "run2": ("#2fc596", "#008a63"),
    "run3": ("#7aa6ff", "#3b5bdb"),
    "run4": ("#b9c4cf", "#3f4a57"),
    "run5": ("#f5854a", "#c2410c"),
    "run6": ("#f0e442", "#9a8700"),
    "lane1": ("#f5b72e", "#d55e00"),  # lanes of a race
    "lane2": ("#56b4e9", "#0072b2"),
    "lane3": ("#2fc596", "#007a58"),
    "lane4": ("#d98fb8", "#a8487f"),
}


_CONTRAST = {  # what stands out more on a projector and on paper, likewise
    "window": ("#000000", "#ffffff"),
    "panel": ("#000000", "#ffffff"),
    "field": ("#000000", "#ffffff"),
    "border": ("#66758a", "#8a949f"),
    "text": ("#ffffff", "#000000"),
    "muted": ("#d3dbe4", "#2a333d"),
    "mean": ("#b4c1cf", "#59636e"),
    "city": ("#ffffff", "#000000"),
}


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of the window by what they mean, the size of its type, the width of its lines."""

    dark: bool  # whether the background is dark
    scale: float = 1.0  # factor on all type
    contrast: bool = False  # whether type and lines stand out more
    strokes: float = 1.0  # factor on the width of curves and tours

    def __getitem__(self, role: str) -> str:
        of_role = _CONTRAST.get(role, _COLOURS[role]) if self.contrast else _COLOURS[role]
        return of_role[0 if self.dark else 1]

    @property
    def presented(self) -> Theme:
        """The same for a lecture: large type, thick lines, strong contrast."""
        return Theme(self.dark, PRESENTATION_SCALE, contrast=True, strokes=_THICK)

    def points(self, factor: float = 1.0) -> float:
        """Type size in points, ``factor`` times that of ordinary text."""
        return round(BASE_POINTS * self.scale * factor, 2)

    def font(self, factor: float = 1.0, *, bold: bool = False) -> QFont:
        """Return the window's font, ``factor`` times as large as ordinary text."""
        font = QFont(QGuiApplication.font())
        font.setPointSizeF(self.points(factor))
        font.setBold(bold)
        return font

    def colour(self, role: str, opacity: float = 1.0) -> QColor:
        """Return the colour of ``role`` with ``opacity`` in [0, 1]."""
        colour = QColor(self[role])
        colour.setAlphaF(opacity)
        return colour


Step = Callable[[], object]

DARK, LIGHT = Theme(dark=True), Theme(dark=False)


class PaintedWidget(QWidget):
    """The base of widgets whose ``paintEvent`` uses the colours and the type of a theme."""

    _theme = DARK

    def apply_theme(self, theme: Theme) -> None:
        """Change colours and type."""
        self._theme = theme
        self.updateGeometry()
        self.update()


def system_theme() -> Theme:
    """Return the theme that the desktop asks for, by default the dark one."""
    scheme = QGuiApplication.styleHints().colorScheme()
    return LIGHT if scheme is Qt.ColorScheme.Light else DARK


_ROLE = QPalette.ColorRole

_PARTS = {  # which colours of the palette, some of them for the style sheet alone
    "panel": (_ROLE.Window, _ROLE.Button, _ROLE.ToolTipBase),
    "field": (_ROLE.Base,),
    "window": (_ROLE.AlternateBase,),
    "text": (_ROLE.Text, _ROLE.WindowText, _ROLE.ButtonText, _ROLE.ToolTipText),
    "muted": (_ROLE.PlaceholderText,),
    "accent": (_ROLE.Highlight, _ROLE.Link),
    "on_accent": (_ROLE.HighlightedText,),
    "border": (_ROLE.Mid, _ROLE.Dark, _ROLE.Light),
    "danger": (_ROLE.BrightText,),
    "good": (_ROLE.Accent,),
    "best": (_ROLE.LinkVisited,),
}
_SELECTED, _DISABLED = _ROLE.Midlight, _ROLE.Shadow  # likewise, and half transparent

_SOME, _MORE = 20, 25  # parts at a time: of those that nobody sees, and of the others
_SOON = 150  # milliseconds after which hidden parts follow: what is seen has been painted then

_HOLDERS = tuple(one.paintEvent for one in (QWidget, QFrame, QAbstractScrollArea))
_DIRECT = Qt.FindChildOption.FindDirectChildrenOnly

_FACTORS = {"tiny": 0.84, "log": 0.88, "small": 0.92, "large": 1.25, "caption": 1.5, "huge": 1.8}


def palette_of(theme: Theme) -> QPalette:
    """Return the palette: it has all the colours of the style sheet."""
    palette = QPalette()
    for name, parts in _PARTS.items():
        for part in parts:
            palette.setColor(part, theme.colour(name))
    for part, colour in zip((_SELECTED, _DISABLED), _half_transparent(theme).values(), strict=True):
        palette.setColor(part, colour)
    for part in (_ROLE.WindowText, _ROLE.Text, _ROLE.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, part, theme.colour("muted", 0.55))
    return palette


def sheet_of(theme: Theme) -> str:
    """Return a style sheet with the colours and sizes of ``theme`` for one part of the window."""
    values = {name: theme[name] for name in _PARTS}
    for name, colour in _half_transparent(theme).items():
        values[name] = colour.name(QColor.NameFormat.HexArgb)
    plain = f"* {{ font-size: {theme.points()}pt; }}\n"
    return plain + Template(_rules()).substitute(values | _everywhere() | _sizes(theme.scale))


def _half_transparent(theme: Theme) -> dict[str, QColor]:
    return {
        "selected": theme.colour("accent", 0.20 if theme.dark else 0.12),
        "disabled": theme.colour("muted", 0.6),
    }


@cache
def _rules() -> str:
    return (files("resources") / "style" / "window.qss").read_text("utf-8")


@cache
def _everywhere() -> dict[str, str]:
    """Return what is the same in all themes."""
    return {
        "hover": "rgba(128, 148, 172, 0.18)",
        "icons": (files("resources") / "icons").as_posix(),  # type: ignore[attr-defined]
        "fixed": QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family(),
    }


def _sizes(scale: float) -> dict[str, str]:
    return {name: f"{Theme(True, scale).points(factor)}pt" for name, factor in _FACTORS.items()}


@cache
def _style_sheet() -> str:
    """Fill the palette's colours and both sizes of type into ``resources/style/window.qss``."""
    text = _rules()
    values = {name: _in_sheet(parts[0]) for name, parts in _PARTS.items()}
    values |= {"selected": _in_sheet(_SELECTED), "disabled": _in_sheet(_DISABLED)} | _everywhere()
    sizes, larger = map(_sizes, (1.0, PRESENTATION_SCALE))
    rules = re.findall(r"([^{}]+){[^{}]*(font-size: [^;}]+)", re.sub(r"/\*.*?\*/", "", text))
    for selectors, size in rules:
        inside = ", ".join(f'*[large="true"] {one.strip()}' for one in selectors.split(","))
        text += f"{inside} {{ {Template(size).substitute(larger)}; }}\n"
    return Template(text).substitute(values | sizes)


def _in_sheet(role: QPalette.ColorRole) -> str:
    words = re.findall("[A-Z][a-z]+", role.name)
    return f"palette({'-'.join(words).lower()})"


def apply(theme: Theme, window: QWidget, later: Collection[QWidget] = ()) -> list[Step]:
    """Use ``theme`` for ``window``, and return what is still to be done, step by step.

    Between two steps the window can answer the user. The parts ``later`` must be given to
    :func:`restyle` later. With another style sheet Qt would style all widgets anew, which takes
    half a second. So there is one for all themes: its colours are the palette's, its sizes depend
    on a property.
    """
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    palette, large = palette_of(theme), theme.scale > 1
    changed = (app.palette(), window.property("large")) != (palette, large)
    app.setPalette(palette)
    app.setFont(theme.font())
    window.setProperty("large", large)
    if app.styleSheet() != (sheet := _style_sheet()):
        app.setStyleSheet(sheet)
        return []
    if not changed:
        return []
    parts = list(parts_of(window, later))
    seen = [part for part in parts if part.isVisible()]
    hidden = deque(part for part in parts if not part.isVisible())

    def restyle_some() -> None:
        # parents first: their parts inherit the type
        restyle(hidden.popleft() for _ in range(min(_SOME, len(hidden))))
        soon.setInterval(0)
        if not hidden:
            soon.stop()
            soon.deleteLater()

    soon = StepTimer(window, _SOON)
    soon.timeout.connect(restyle_some)
    soon.start()
    slices = [seen[first : first + _MORE] for first in range(0, len(seen), _MORE)]
    return [partial(restyle, some) for some in slices]


def sheet_steps(widget: QWidget, sheet: str, within: type[QWidget]) -> list[Step]:
    """Return how to give all that is drawn in ``widget`` a style sheet, step by step.

    Qt styles a widget that gets one anew, with all of its parts at once. So the sheet goes to parts
    that have few parts themselves, instead of to those that only hold them and draw nothing.
    Parts of the kind ``within`` get it with what holds them: they have sheets of their own, too.
    """
    steps, some, count = list[Step](), list[QWidget](), 0
    for part, parts in _small_parts(widget, within):
        if some and count + parts > _MORE:
            steps.append(partial(_give_sheet, some, sheet))
            some, count = [], 0
        some.append(part)
        count += parts
    return [*steps, partial(_give_sheet, some, sheet)]


def _small_parts(widget: QWidget, within: type[QWidget]) -> Iterator[tuple[QWidget, int]]:
    """Yield parts of ``widget`` that together draw all of it, and how many parts each has."""
    count = sum(1 for _ in parts_of(widget))
    direct = widget.findChildren(QWidget, options=_DIRECT)
    whole = any(isinstance(part, within) for part in direct)
    if count > _MORE and not whole and _draws_nothing(widget):
        for part in direct:
            yield from _small_parts(part, within)
    else:
        yield widget, count


def _draws_nothing(widget: QWidget) -> bool:
    plain = widget.property("role") in (None, "page")  # the others have rules in the style sheet
    return plain and type(widget).paintEvent in _HOLDERS


def _give_sheet(widgets: Iterable[QWidget], sheet: str) -> None:
    for widget in filter(isValid, widgets):
        widget.setStyleSheet(sheet)


def restyle(widgets: Iterable[QWidget]) -> None:
    """Have the style sheet looked up anew for each of ``widgets`` that is still there."""
    for widget in filter(isValid, widgets):
        style = widget.style()
        style.unpolish(widget)
        style.polish(widget)


def parts_of(widget: QWidget, without: Collection[QWidget] = ()) -> Iterator[QWidget]:
    """Yield ``widget`` and its parts; with all of their own parts, leave out those ``without``."""
    yield widget
    for part in widget.findChildren(QWidget, options=_DIRECT):
        if part not in without:
            yield from parts_of(part, without)
