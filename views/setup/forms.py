"""The forms for the parameters of a colony and for the limits of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QLabel, QToolButton

from gpu.aims import seconds_for
from gpu.core.cost_unit import NO_UNIT, CostUnit
from gpu.core.errors import ParameterError
from gpu.core.formats import significant
from gpu.core.instance import Instance
from gpu.core.parameters import Explanation, Parameters
from gpu.core.stop_limits import STOP_LIMITS
from views.problem_display import display_of
from views.setup.fields import ChoiceField, FieldForm, NumberField
from views.setup.origins import BY_USER, PAPERS, Basis, Mark, OriginRow
from views.widgets.announcing import unheard
from views.widgets.labels import Label, make_label, plain_tip, show_markup
from views.widgets.steps import Steps

_FIXED = "<p><b>It cannot change while the colony runs:</b> the colony is built around it.</p>"

_Row = tuple[QLabel, QLabel, NumberField | ChoiceField, QToolButton]  # symbol, title, field, mark


class ParameterForm(FieldForm):
    """One row a parameter: symbol, name, value (a number or one of a few options), and a mark.

    For an automatic value, the entry is empty or shows the first option. The mark says where the
    value comes from, and takes back what the user has changed.
    """

    origin_wanted = Signal(str)  # the user chose where values come from, an Origin

    def __init__(self) -> None:
        super().__init__(wide=2)
        self._grid.setHorizontalSpacing(4)
        self._kind: type[Parameters] | None = None
        self._instance: Instance | None = None
        self._only_live = False  # whether a colony runs with these parameters
        self._locked = False  # whether nothing can be changed
        # Rows are kept, because colonies share most of them.
        self._rows: dict[tuple[str, type[NumberField | ChoiceField]], _Row] = {}
        self._basis = PAPERS
        self._given: dict[str, str] = {}  # who has set a parameter, if not the user
        self.origin = OriginRow()
        self.origin.chosen.connect(self.origin_wanted)
        self.origin.reset.connect(self._reset)
        self._grid.addWidget(self.origin, 0, 0, 1, 4)
        self._grid.addWidget(self.origin.changes, 1, 0, 1, 4)  # below the parameters, once shown

    def show_kind(self, kind: type[Parameters], basis: Basis = PAPERS) -> None:
        """Show the parameters of ``kind``, with the values of ``basis``.

        What the user changed is kept if it means the same to both kinds; all else is the kind's.
        """
        if kind is self._kind:
            self.show_basis(basis)
            return
        mine = {} if self._kind is None else self._changed_by_user
        kept = {} if self._kind is None else kind.shared(mine, self._kind)
        self._kind, self._basis, self._given = kind, basis, {}
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
            symbol, _, self.fields[name], _ = row = rows[name]
            symbol.setText(explanation.symbol)
            for column, part in enumerate(row):
                self._grid.addWidget(part, place + 1, column)
                part.show()
            self._grid.setAlignment(row[-1], Qt.AlignmentFlag.AlignTop)
        self._grid.removeWidget(self.origin.changes)
        self._grid.addWidget(self.origin.changes, len(rows) + 1, 0, 1, 4)
        self.set_values({**basis.values, **kept})
        self.show_live(only=self._only_live, locked=self._locked)

    def show_basis(self, basis: Basis) -> None:
        """Show the values of ``basis`` in place of those that nobody has changed."""
        if basis != self._basis:
            kept = self._changed
            given = {name: self._given[name] for name in kept if name in self._given}
            self._basis = basis
            self.set_values({**basis.values, **kept})
            self._given = given
            self._check()

    @property
    def marks(self) -> dict[str, QToolButton]:
        """The mark of each parameter."""
        return {name: self._row(name, type(field))[3] for name, field in self.fields.items()}

    @property
    def _changed(self) -> dict[str, str | None]:
        """The values that are not those of the basis."""
        if (kind := self._kind) is None:
            return {}
        usual = {**kind().to_dict(), **self._basis.values}
        return {
            name: text
            for name, text in self.values().items()
            if not _same(kind, name, text, usual[name])
        }

    @property
    def _changed_by_user(self) -> dict[str, str | None]:
        return {name: text for name, text in self._changed.items() if name not in self._given}

    def _reset(self, names: Collection[str] = ()) -> None:
        """Take back what was changed of the parameters ``names``; of all, if there are none."""
        kept = {name: text for name, text in self._changed.items() if names and name not in names}
        given = {name: who for name, who in self._given.items() if name in kept}
        self.set_values({**self._basis.values, **kept})
        self._given = given
        self._edited()
        self.committed.emit()

    def make_rows(self, kinds: Iterable[type[Parameters]]) -> Steps[None]:
        """Make the rows of ``kinds`` that there are not yet, one a step, before they are needed."""
        for kind in kinds:
            for name, explanation in kind.explanations().items():
                if (name, _field_of(explanation)) not in self._rows:
                    for part in self._row(name, _field_of(explanation)):
                        part.hide()
                        part.ensurePolished()
                    yield

    def show_live(self, *, only: bool, locked: bool = False) -> None:
        """Let the user change all parameters, those that can change while a colony runs, or none.

        Rows of other colonies, hundreds, stay as they are: screen readers are told of each change.
        """
        self._only_live, self._locked = only, locked
        self.origin.setEnabled(not locked)
        if (kind := self._kind) is None:
            return
        explanations, defaults = kind.explanations(), kind().to_dict()
        for name, field in self.fields.items():
            fixed = only and not explanations[name].live
            labels = self._row(name, type(field))[:2]
            field.setEnabled(not locked and not fixed)
            text = _tip(kind, name, explanations[name], defaults[name])
            text += _FIXED if fixed else ""
            for labelled in (*labels, field.entry, field):
                show_markup(labelled, text)
        self._show_origins()

    def _row(self, name: str, kind: type[NumberField | ChoiceField]) -> _Row:
        if (name, kind) in self._rows:
            return self._rows[name, kind]
        symbol, title = Label("", self), Label(name.replace("_", " "), self)
        field = kind(title.text(), self)
        title.setProperty("role", "muted")
        for label in (symbol, title):
            label.setContentsMargins(0, 4, 0, 0)
            label.setAlignment(Qt.AlignmentFlag.AlignTop)
        mark = Mark(self)
        mark.setAccessibleName(f"Reset {name}")  # rows are made before a colony needs them
        mark.clicked.connect(lambda: self._reset([name]))
        field.changed.connect(lambda: self._given.pop(name, None))
        field.changed.connect(self._edited)
        field.committed.connect(self.committed)
        self._rows[name, kind] = symbol, title, field, mark
        return symbol, title, field, mark

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

    def values(self) -> dict[str, str | None]:
        """The text or the option of every parameter; None if it is automatic."""
        return {name: field.text or None for name, field in self.fields.items()}

    def set_values(self, values: Mapping[str, object], by: str = "") -> None:
        """Fill in ``values``, and the paper's defaults for all other parameters.

        ``by`` says where those are from that are not the basis's; by default the user has set them.
        """
        if self._kind is None:
            return
        defaults = self._kind().to_dict()
        self._offer({str(value) for value in values.values()})
        with unheard():
            for name, field in self.fields.items():
                value = values.get(name, defaults[name])
                field.text = "" if value in (None, "auto") else _plain(value)
        self._given = dict.fromkeys(self._changed, by) if by else {}
        self._check()

    def _check(self) -> None:
        kind = self._kind
        if kind is None:
            return
        self._show_origins()
        resolved = kind().resolved(self._instance.n).to_dict() if self._instance else {}
        explanations = kind.explanations()
        for name, field in self.fields.items():
            explanation = explanations[name]
            if explanation.automatic:
                value = resolved.get(name)
                text = explanation.automatic if value is None else _plain(_rounded(value))
                field.show_automatic(f"auto: {text}")
            field.problem = _parameter_problem(kind, name, field.text) or _refusal(
                explanation, self._instance, field.text
            )

    def _show_origins(self) -> None:
        changed = self._changed
        usual = {**(self._kind or Parameters)().to_dict(), **self._basis.values}
        for name, mark in self.marks.items():
            word = self._basis.word(name)
            value = "automatic" if usual[name] is None else _plain(usual[name])
            if name in changed:
                said = self._given.get(name, BY_USER)
                tip = f"{said[:1].upper()}{said[1:]}. Press: back to {value}, {word}"
                mark.setAccessibleName(f"Reset {name} to {value}")
            else:
                tip = f"{word[:1].upper()}{word[1:]}"
                mark.setAccessibleName(f"{name}: {word}")
            mark.setText("↺" if name in changed else "•" if name in self._basis.values else "")
            mark.setEnabled(name in changed and not self._locked)
            # Disabled ones take no focus; they still show their tip.
            mark.setToolTip(plain_tip(tip))
        by = Counter(self._given.get(name, BY_USER) for name in changed)
        self.origin.show_origin(self._basis, by)


def _same(kind: type[Parameters], name: str, text: str | None, value: object) -> bool:
    """Whether ``text`` says ``value``; what is no value says none."""
    try:
        ours, theirs = (kind.from_mapping({name: one}) for one in (text, value))
    except ParameterError:
        return False
    return bool(getattr(ours, name) == getattr(theirs, name))


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


def _parameter_problem(kind: type[Parameters], name: str, text: str) -> str:
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


class StopForm(FieldForm):
    """A check box and a number for each limit."""

    def __init__(self) -> None:
        super().__init__(wide=1)
        self.boxes: dict[str, QCheckBox] = {}
        self._unit = NO_UNIT  # of the number at a limit of the cost
        self._impossible = ""  # why there can be no limit of the gap, or nothing
        for row, (name, limit) in enumerate(STOP_LIMITS.items()):
            box, field = QCheckBox(limit.title), NumberField(limit.title)
            unit = make_label("note", limit.unit)
            tip = limit.tip
            if name == "seconds":
                tip += "; small instances get fewer if you write none"
            for widget in (box, field.entry):
                widget.setToolTip(plain_tip(tip))
            field.text = limit.usual
            box.toggled.connect(self._edited)
            field.changed.connect(lambda name=name: self._typed(name))
            field.committed.connect(self.committed)
            box.clicked.connect(self.committed)
            self.boxes[name], self.fields[name] = box, field
            self._grid.addWidget(box, row, 0, Qt.AlignmentFlag.AlignVCenter)
            self._grid.addWidget(field, row, 1)
            self._grid.addWidget(unit, row, 2, Qt.AlignmentFlag.AlignVCenter)
        self.at_known = QCheckBox()  # whether a run ends at the best known cost, or an optimal one
        self.at_known.toggled.connect(self._edited)
        self.at_known.clicked.connect(self.committed)
        self._grid.addWidget(self.at_known, len(STOP_LIMITS), 0, 1, 3)
        self._usual_time = STOP_LIMITS["seconds"].usual  # of the instance
        self._follows = True  # whether the time is the instance's usual one
        self.set_values({"seconds": 60.0}, once=True)
        self.show_instance(None)

    def show_instance(self, instance: Instance | None) -> None:
        """Use the words of its problem, and allow a gap only if an optimum is known."""
        optimum, display = instance.optimum if instance else None, display_of(instance)
        self._unit = NO_UNIT if instance is None else instance.cost_unit
        possible = optimum or instance is None
        self._impossible = "" if possible else "There is no best known value for this instance"
        tip = self._impossible or STOP_LIMITS["target_gap"].tip
        self.boxes["target_gap"].setToolTip(plain_tip(tip))
        cost, field = self.boxes["target_length"], self.fields["target_length"]
        title = display.words.cost.capitalize()
        cost.setText(title)
        for widget in (cost, field.entry):
            widget.setToolTip(plain_tip(display.cost_limit_tip))
        field.entry.setAccessibleName(title)
        built = display.words.solutions.capitalize()
        self.boxes["solutions"].setText(built)
        self.fields["solutions"].entry.setAccessibleName(built)
        known = display.words.known
        self.at_known.setText(known.removeprefix("the ").capitalize())
        tip, proofs = f"Stop when {known} is found", display.bounded
        if not possible:
            self.at_known.setText("Proved optimal" if proofs else self.at_known.text())
            tip = "Stop when none can be better" if proofs else self._impossible
        elif proofs:
            tip += ", or one that a lower bound proves to be optimal"
        self.at_known.setToolTip(plain_tip(tip))
        self.at_known.setEnabled(instance is None or optimum is not None or proofs)
        if not cost.isChecked():
            usual = STOP_LIMITS["target_length"].usual
            field.text = self._unit.text(optimum, "") if optimum else usual
        self._check()

    def follow(self, instance: Instance | None) -> None:
        """Take the usual time of ``instance``, unless the user has written another one."""
        if instance is not None:
            self._usual_time = f"{seconds_for(instance):g}"
            if self._follows:
                self.fields["seconds"].text = self._usual_time
                self._check()

    def values(self) -> dict[str, float | int | None]:
        """The limits of a run, None where one is not ticked. Valid only without problems."""
        found: dict[str, float | int | None] = {}
        for name, limit in STOP_LIMITS.items():
            value = (
                _limit_of(name, self.fields[name].text, self._unit) if self._ticked(name) else None
            )
            found[name] = int(value) if limit.whole and value is not None else value
        return {**found, "go_on": not self.at_known.isChecked()}

    def state(self) -> dict[str, object]:
        """Which limits are ticked, and their texts, right or wrong."""
        texts = {
            name: [self.boxes[name].isChecked(), one.text] for name, one in self.fields.items()
        }
        return {**texts, "go_on": not self.at_known.isChecked(), "usual_time": self._follows}

    def restore(self, state: Mapping[str, object]) -> None:
        """Show what :meth:`state` returned; what is anything else stays as it is."""
        with QSignalBlocker(self.at_known):
            self.at_known.setChecked(not state.get("go_on"))
        for name, box in self.boxes.items():
            match state.get(name):
                case [bool(ticked), str(text)]:
                    with QSignalBlocker(box):
                        box.setChecked(ticked)
                    self.fields[name].text = text[:40]
        usual = state.get("seconds") == [True, STOP_LIMITS["seconds"].usual]  # by an older version
        self._follows = state.get("usual_time", usual) is True
        if self._follows:
            self.fields["seconds"].text = self._usual_time
        self._check()

    def set_values(self, values: Mapping[str, float | int | None], *, once: bool = False) -> None:
        """Tick exactly the limits of ``values``, and fill in their numbers.

        If they are for this run alone (``once``), another instance gets its usual time again.
        """
        self._follows &= once
        with QSignalBlocker(self.at_known):
            self.at_known.setChecked(not values.get("go_on"))
        for name, box in self.boxes.items():
            value = values.get(name)
            with QSignalBlocker(box):
                box.setChecked(value is not None)
            if value is not None:
                text = str(value).removesuffix(".0")
                is_cost = name == "target_length"
                self.fields[name].text = self._unit.text(value, "") if is_cost else text
        self._check()

    def _ticked(self, name: str) -> bool:
        return self.boxes[name].isChecked() and not (name == "target_gap" and self._impossible)

    def _typed(self, name: str) -> None:
        self._follows &= name != "seconds"
        self.boxes[name].setChecked(True)
        self._edited()

    def _check(self) -> None:
        for widget in (self.boxes["target_gap"], self.fields["target_gap"]):
            widget.setEnabled(not self._impossible)
        for name, field in self.fields.items():
            field.problem = (
                limit_problem(name, field.text, self._unit) if self._ticked(name) else ""
            )


def _limit_of(name: str, text: str, unit: CostUnit) -> float:
    """Return the limit that ``text`` says, a cost in ``unit``; ValueError if it is no number."""
    if name == "target_length" and not unit.whole:
        return float(unit.cost(text))
    return float(text)


def limit_problem(name: str, text: str, unit: CostUnit = NO_UNIT) -> str:
    """Return what is wrong with ``text`` as a limit of this name, or nothing."""
    try:
        value = _limit_of(name, text, unit)
    except ValueError:
        return f"{text!r} is not a number" if text else "must be set"
    wanted = STOP_LIMITS[name].wanted(value)
    return f"must be {wanted}" if wanted else ""
