"""Gives a window, or parts of it, the colours and the type of a theme, without a stall.

Qt has a palette, a font and a style sheet, and styles each widget by them.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cache, partial
from importlib.resources import files
from pathlib import Path
from string import Template

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFontDatabase, QPalette
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QFrame, QWidget
from shiboken6 import isValid

from views.widgets.steps import StepTimer
from views.widgets.theme import PRESENTATION_SCALE, Theme

Step = Callable[[], object]

_ROLE = QPalette.ColorRole

_PALETTE_PARTS = {  # which colours of the palette, some of them for the style sheet alone
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
_HALF_ACCENT, _HALF_MUTED = _ROLE.Midlight, _ROLE.Shadow  # likewise, and half transparent

_HIDDEN_AT_ONCE, _SEEN_AT_ONCE = 20, 25  # parts that are styled at a time
_HIDDEN_WAIT = 150  # milliseconds: what is seen has been painted then

_HOLDERS = tuple(one.paintEvent for one in (QWidget, QFrame, QAbstractScrollArea))
_DIRECT = Qt.FindChildOption.FindDirectChildrenOnly

_FACTORS = {"tiny": 0.84, "log": 0.88, "small": 0.92, "large": 1.25, "caption": 1.5, "huge": 1.8}


def palette_of(theme: Theme) -> QPalette:
    """Return the palette: it has all the colours of the style sheet."""
    palette = QPalette()
    for name, parts in _PALETTE_PARTS.items():
        for part in parts:
            palette.setColor(part, theme.colour(name))
    halves = _HALF_ACCENT, _HALF_MUTED
    for part, colour in zip(halves, _half_transparent(theme).values(), strict=True):
        palette.setColor(part, colour)
    for part in (_ROLE.WindowText, _ROLE.Text, _ROLE.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, part, theme.colour("muted", 0.55))
    return palette


def sheet_of(theme: Theme) -> str:
    """Return a style sheet with the colours and sizes of ``theme`` for one part of the window."""
    values = {name: theme[name] for name in _PALETTE_PARTS}
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
        "icons": Path(str(files("resources") / "icons")).as_posix(),
        "fixed": QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family(),
    }


def _sizes(scale: float) -> dict[str, str]:
    return {name: f"{Theme(True, scale).points(factor)}pt" for name, factor in _FACTORS.items()}


@cache
def _style_sheet() -> str:
    """Fill the palette's colours and both sizes of type into ``resources/style/window.qss``."""
    text = _rules()
    values = {name: _in_sheet(parts[0]) for name, parts in _PALETTE_PARTS.items()}
    values |= {
        "selected": _in_sheet(_HALF_ACCENT),
        "disabled": _in_sheet(_HALF_MUTED),
    } | _everywhere()
    sizes, larger = map(_sizes, (1.0, PRESENTATION_SCALE))
    rules = re.findall(r"([^{}]+){[^{}]*(font-size: [^;}]+)", re.sub(r"/\*.*?\*/", "", text))
    for selectors, size in rules:
        inside = ", ".join(f'*[large="true"] {one.strip()}' for one in selectors.split(","))
        text += f"{inside} {{ {Template(size).substitute(larger)}; }}\n"
    return Template(text).substitute(values | sizes)


def _in_sheet(role: QPalette.ColorRole) -> str:
    words = re.findall("[A-Z][a-z]+", role.name)
    return f"palette({'-'.join(words).lower()})"


def lift() -> None:
    """Take the style sheet away, before many widgets are made: :func:`apply` puts it back.

    With it Qt would style each widget again whenever something that holds it gets a parent, which
    takes twice as long as all else.
    """
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    app.setStyleSheet("")


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
        restyle(hidden.popleft() for _ in range(min(_HIDDEN_AT_ONCE, len(hidden))))
        soon.setInterval(0)
        if not hidden:
            soon.stop()
            soon.deleteLater()

    soon = StepTimer(window, _HIDDEN_WAIT)
    soon.timeout.connect(restyle_some)
    soon.start()
    slices = [seen[first : first + _SEEN_AT_ONCE] for first in range(0, len(seen), _SEEN_AT_ONCE)]
    return [partial(restyle, some) for some in slices]


def sheet_steps(widget: QWidget, sheet: str, within: type[QWidget]) -> list[Step]:
    """Return how to give all that is drawn in ``widget`` a style sheet, step by step.

    Qt styles a widget that gets one anew, with all of its parts at once. So the sheet goes to parts
    that have few parts themselves, instead of to those that only hold them and draw nothing.
    Parts of the kind ``within`` get it with what holds them: they have sheets of their own, too.
    """
    steps, some, count = list[Step](), list[QWidget](), 0
    for part, parts in _small_parts(widget, within):
        if some and count + parts > _SEEN_AT_ONCE:
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
    if count > _SEEN_AT_ONCE and not whole and _draws_nothing(widget):
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
