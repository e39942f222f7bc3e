"""A form for the parameters of a colony, made from their explanations."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from gpu.core.errors import ParameterError
from gpu.core.formats import significant
from gpu.core.instance import Instance
from gpu.core.parameters import Explanation, Parameters
from views.setup.fields import ChoiceField, Form, NumberField
from views.widgets.labels import Label, markup_tip
from views.widgets.steps import Steps

_FIXED = "<p><b>It cannot change while the colony runs:</b> the colony is built around it.</p>"

_Row = tuple[QLabel, QLabel, NumberField | ChoiceField]  # symbol, title, field


class ParameterForm(Form):
    """One row a parameter: symbol, name and value, a number or one of a few options.

    For an automatic value, the entry is empty or shows the first option.
    """

    def __init__(self) -> None:
        super().__init__(wide=2)
        self._kind: type[Parameters] | None = None
        self._instance: Instance | None = None
        self._only_live = False  # whether a colony runs with these parameters
        # Rows are kept, because colonies share most of them.
        self._rows: dict[tuple[str, type[NumberField | ChoiceField]], _Row] = {}

    def show_kind(self, kind: type[Parameters]) -> None:
        """Show the parameters of ``kind``, with its defaults.

        A value that the user changed is kept if it means the same to both kinds.
        """
        if kind is self._kind:
            return
        kept = {} if self._kind is None else kind.taken_over(self.values(), self._kind)
        self._kind = kind
        rows = {
            name: self._row(name, _field_of(explanation))
            for name, explanation in kind.explanations().items()
        }
        shown = set(rows.values())  # those that stay are neither hidden nor shown again
        for row in self._rows.values():
            for widget in row:
                self._grid.removeWidget(widget)
                if row not in shown:
                    widget.hide()
        self.fields = {}
        for place, (name, explanation) in enumerate(kind.explanations().items()):
            symbol, _, self.fields[name] = row = rows[name]
            symbol.setText(explanation.symbol)
            for column, part in enumerate(row):
                self._grid.addWidget(part, place, column)
                part.show()
        self.set_values(kept)
        self.show_live(only=self._only_live)

    def make_rows(self, kinds: Iterable[type[Parameters]]) -> Steps[None]:
        """Make the rows of ``kinds`` that there are not yet, one a step, before they are needed."""
        for kind in kinds:
            for name, explanation in kind.explanations().items():
                if (name, _field_of(explanation)) not in self._rows:
                    for part in self._row(name, _field_of(explanation)):
                        part.hide()
                        part.ensurePolished()
                    yield

    def show_live(self, *, only: bool) -> None:
        """Let the user change all parameters, or those only that can change while a colony runs."""
        self._only_live = only
        if (kind := self._kind) is None:
            return
        explanations, defaults = kind.explanations(), kind().to_dict()
        for name, field in self.fields.items():
            fixed = only and not explanations[name].live
            field.setEnabled(not fixed)
            text = _tip(kind, name, explanations[name], defaults[name])
            text += _FIXED if fixed else ""
            for labelled in (*self._row(name, type(field))[:2], field.entry, field):
                labelled.setToolTip(markup_tip(text))

    def _row(self, name: str, kind: type[NumberField | ChoiceField]) -> _Row:
        if (name, kind) in self._rows:
            return self._rows[name, kind]
        symbol, title = Label("", self), Label(name.replace("_", " "), self)
        field = kind(name, self)
        title.setProperty("role", "muted")
        for label in (symbol, title):
            label.setContentsMargins(0, 4, 0, 0)
            label.setAlignment(Qt.AlignmentFlag.AlignTop)
        symbol.setBuddy(field.entry)
        field.changed.connect(self._edited)
        field.committed.connect(self.committed)
        self._rows[name, kind] = symbol, title, field
        return symbol, title, field

    def show_instance(self, instance: Instance | None) -> None:
        """Show the automatic values for ``instance``, and offer the options that it allows."""
        if instance is not self._instance:
            self._instance = instance
            self._offer({field.text for field in self.fields.values()})
            self._check()

    def _offer(self, chosen: Collection[str]) -> None:
        """Offer the options of every choice that the instance allows, and those ``chosen``."""
        for name, field in self.fields.items():
            if self._kind is not None and isinstance(field, ChoiceField):
                explanation = self._kind.explanations()[name]
                names = map(str, explanation.alternatives)
                offered = {
                    one: explanation.options.get(one, "")
                    for one in names
                    if one in chosen or not _refusal(explanation, self._instance, one)
                }
                field.offer(offered, explanation.automatic)

    def values(self) -> dict[str, object]:
        """The text or the option of every parameter; None if it is automatic."""
        return {name: field.text or None for name, field in self.fields.items()}

    def set_values(self, values: Mapping[str, object]) -> None:
        """Fill in ``values``, and the paper's defaults for all other parameters."""
        if self._kind is None:
            return
        defaults = self._kind().to_dict()
        self._offer({str(value) for value in values.values()})
        for name, field in self.fields.items():
            value = values.get(name, defaults[name])
            field.text = "" if value in (None, "auto") else _plain(value)
        self._check()

    def _check(self) -> None:
        kind = self._kind
        if kind is None:
            return
        resolved = kind().resolved(self._instance.n).to_dict() if self._instance else {}
        explanations = kind.explanations()
        for name, field in self.fields.items():
            explanation = explanations[name]
            if explanation.automatic:
                value = resolved.get(name)
                text = explanation.automatic if value is None else _plain(_rounded(value))
                field.show_automatic(f"auto: {text}")
            field.problem = _problem_of(kind, name, field.text) or _refusal(
                explanation, self._instance, field.text
            )


def _field_of(explanation: Explanation) -> type[NumberField | ChoiceField]:
    return ChoiceField if explanation.alternatives else NumberField


def _refusal(explanation: Explanation, instance: Instance | None, option: str) -> str:
    """Return why ``instance`` does not allow ``option`` of a choice, or nothing."""
    try:
        if explanation.options and explanation.check is not None and instance is not None:
            explanation.check(instance, option)
    except ParameterError as error:
        return str(error)
    return ""


def _problem_of(kind: type[Parameters], name: str, text: str) -> str:
    explanation = kind.explanations()[name]
    if not text and not explanation.automatic:
        return f"must be {explanation.range_text}"
    try:
        kind.from_mapping({name: text or None})
    except ParameterError as error:
        return str(error)
    return ""


def _tip(kind: type[Parameters], name: str, explanation: Explanation, default: object) -> str:
    usual = explanation.automatic if default is None else _plain(default)
    head = f"<p><b>{explanation.symbol}</b> ({name}): {explanation.text}</p>"
    if explanation.options:
        options = (f"<li><b>{key}</b>: {text}</li>" for key, text in explanation.options.items())
        return f"{head}<ul>{''.join(options)}</ul><p>Default {usual}.</p>"
    if explanation.power_of_two:
        return f"{head}<p>{explanation.range_text.capitalize()}; default {usual}.</p>"
    automatic = f" Leave it empty for {explanation.automatic}." if explanation.automatic else ""
    what = "A whole number" if kind.kinds()[name] is int else "A number"
    return f"{head}<p>{what} {explanation.range_text}; default {usual}.{automatic}</p>"


def _rounded(value: float | str) -> float | str:
    if isinstance(value, str) or float(value).is_integer():
        return value
    return float(significant(value, 4))


def _plain(value: object) -> str:
    """Return the shortest text that stands for exactly ``value``."""
    return str(value).removesuffix(".0")
