"""What stands in the cells of distances: numbers with units, times, and signs for nothing."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation

from gpu.core.words import shown

INFINITE = {"∞", "inf", "+inf", "infinity"}
"""What stands for an infinite distance."""

NOTHING = INFINITE | {
    *("", "-", "--", "–", "—", "x", "?", ".", "*", "nan"),
    *("na", "n/a", "#n/a", "none", "null", "nil"),
}
"""What stands where there is no number."""

_LENGTHS = {
    "m": ("m", "meter", "meters", "metre", "metres", "mtr"),
    "km": ("km", "kms", "kilometer", "kilometers", "kilometre", "kilometres"),
    "cm": ("cm", "centimeter", "centimeters", "centimetre", "centimetres"),
    "mm": ("mm", "millimeter", "millimeters", "millimetre", "millimetres"),
    "mi": ("mi", "mile", "miles"),
    "ft": ("ft", "foot", "feet"),
}
_TIMES = {
    "s": ("s", "sec", "secs", "second", "seconds", "sek", "sekunde", "sekunden"),
    "min": ("min", "mins", "minute", "minutes", "minuten"),
    "h": ("h", "hr", "hrs", "hour", "hours", "std", "stunde", "stunden"),
    "d": ("d", "day", "days", "tag", "tage"),
}
_CALLED = {
    word: unit for known in (_LENGTHS, _TIMES) for unit, words in known.items() for word in words
}
_OF_ANOTHER = (  # how many of the first one the second one is; others follow from these
    {"mm": 1, "cm": 10, "m": 1_000, "km": 1_000_000},
    {"ft": 1, "mi": 5_280},
    {"s": 1, "min": 60, "h": 3_600, "d": 86_400},
)
_LONGEST = 60  # characters of a cell that is taken apart
_NUMBER = r"[-+]?(?:[0-9][0-9.,'’\u00a0\u202f]*|[.,][0-9]+)(?:[eE][-+]?[0-9]{1,3})?"
_PART = re.compile(rf"({_NUMBER})\s*([^\W\d_]+\.?|[€$£])?\s*")
_CURRENCY = re.compile(r"([€$£])\s*(.*)")
_TIME = re.compile(r"([0-9]{1,5}):([0-5][0-9])(?::([0-5][0-9](?:[.,][0-9]{1,6})?))?")
_PLAIN = re.compile(r"[-+]?[0-9]{1,300}(?:\.[0-9]*)?")
_GROUPED_BY_BLANKS = re.compile(r"[1-9][0-9]{0,2}(?: [0-9]{3})+(?:[.,][0-9]+)?")
_GROUPED = re.compile(r"[-+]?[1-9][0-9]{0,2}(?:([.,])[0-9]{3})(?:\1[0-9]{3})*")


@dataclass
class Quantities:
    """Reads cells of one table, and knows what units they have had."""

    decimal: str = ""  # what stands before decimals, where it is known
    separator: str = ""  # of columns
    unit: str = ""  # of what has none, as the user says
    units: set[str] = field(default_factory=set)  # that cells have had
    without: bool = False  # whether one but 0 had none
    times: set[int] = field(default_factory=set)  # how many parts cells such as 1:05 had
    unsure: bool = True  # whether all commas or points may stand between thousands
    marks: str = ""  # those marks

    def number(self, cell: str) -> tuple[float, str] | None:
        """Return what ``cell`` says, and its unit; NaN is nothing. None if it is no number.

        The unit is empty where there is none.
        """
        points_count = self.separator == ";" and "." in cell  # they may separate thousands there
        if _PLAIN.fullmatch(cell) and self.decimal != "," and not points_count:
            value = float(cell)
            self.without |= value != 0.0
            return value, ""
        if len(cell) > _LONGEST:
            return None
        if _GROUPED_BY_BLANKS.fullmatch(cell):
            cell = cell.replace(" ", "")
        if cell.casefold() in NOTHING:
            return math.nan, ""
        if time := _TIME.fullmatch(cell):
            return self._time(time)
        return self._quantity(cell)

    def _time(self, found: re.Match[str]) -> tuple[float, str]:
        first, second, third = found.groups()
        self.times.add(2 + (third is not None))
        if third is not None:
            unit = "s"
            value = 3_600 * int(first) + 60 * int(second) + float(third.replace(",", "."))
        else:
            unit = "s" if self.unit and unit_of(self.unit) == "s" else "min"
            value = 60.0 * int(first) + int(second)
        self.units.add(unit)
        return value, unit

    def _quantity(self, cell: str) -> tuple[float, str] | None:
        currency = _CURRENCY.fullmatch(cell)
        if currency:
            cell = currency[2]
        parts, at = list[tuple[Decimal, str]](), 0
        while at < len(cell):
            match = _PART.match(cell, at)
            if match is None or match.end() == at or len(parts) == 3:
                return None
            value = self._plain(match[1])
            if value is None:
                return None
            word = (match[2] or "").rstrip(".")
            parts.append((value, currency[1] if currency else unit_of(word)))
            at = match.end()
        if not parts or (len(parts) > 1 and not all(unit for _, unit in parts)):
            return None
        unit = smallest(unit for _, unit in parts)
        if unit is None:
            return None
        total = sum((value * factor(one, unit) for value, one in parts), Decimal(0))
        if unit:
            self.units.add(unit)
        else:
            self.without |= total != 0
        number = float(total)
        return (number, unit) if math.isfinite(number) else (math.nan, "")

    def _plain(self, text: str) -> Decimal | None:
        """Return the number that ``text`` writes with whatever marks; None if it writes none."""
        text = re.sub(r"['’\u00a0\u202f]", "", text)
        number, exponent, power = text.partition("e" if "e" in text else "E")
        marks = [one for one in ".," if one in number]
        if self.decimal:
            other = "," if self.decimal == "." else "."
            number = number.replace(other, "").replace(self.decimal, ".")
        elif len(marks) == 2:
            last = max(marks, key=number.rfind)
            number = number.replace("," if last == "." else ".", "").replace(last, ".")
            self.unsure = False
        elif marks:
            mark, grouped = marks[0], _GROUPED.fullmatch(number) is not None
            self.marks += "" if mark in self.marks else mark
            self.unsure &= grouped
            if number.count(mark) > 1:
                if not grouped:
                    return None
                number = number.replace(mark, "")
            elif mark == "," and grouped and self.separator == ",":  # in quotes: "1,250"
                number = number.replace(mark, "")
            else:
                number = number.replace(mark, ".")
        try:
            return Decimal(number + ("E" + power if exponent else ""))
        except InvalidOperation:
            return None

    def note(self) -> str:
        """What is assumed of the numbers, or nothing."""
        if 2 in self.times:
            whole = (
                "minutes and seconds"
                if "s" in self.units and 3 not in self.times
                else ("hours and minutes")
            )
            return f"times such as 1:05 are taken for {whole}"
        if self.marks == "," and self.unsure and not self.decimal:
            what = "separate thousands" if self.separator == "," else "stand before decimals"
            return f"it is assumed that the commas in its numbers {what}"
        if self.marks == "." and self.unsure and not self.decimal and self.separator == ";":
            return "it is assumed that the points in its numbers stand before decimals"
        return ""


def unit_of(word: str) -> str:
    """Return the short name of the unit ``word``, or the word itself if it is of no known unit."""
    return _CALLED.get(word.casefold(), shown(word, 20))


def unit_in(heading: str) -> str:
    """Return the unit that the ``heading`` of a column names: "km", "time (min)"; else nothing."""
    words = re.findall(r"[^\W\d_]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", heading))
    found = {_CALLED[word.casefold()] for word in words if word.casefold() in _CALLED}
    return found.pop() if len(found) == 1 else ""


def smallest(units: Iterable[str]) -> str | None:
    """Return the smallest of ``units``, in which all can be counted; None if there is none."""
    found = set(units)
    if not found:
        return None
    if len(found) == 1:
        return found.pop()
    for family in _OF_ANOTHER:
        if found <= family.keys():
            return min(found, key=family.__getitem__)
    return None


def factor(unit: str, other: str) -> Decimal:
    """How many of the unit ``other`` one ``unit`` is; both are of one kind."""
    if unit == other:
        return Decimal(1)
    family = next(one for one in _OF_ANOTHER if unit in one)
    return Decimal(family[unit]) / Decimal(family[other])
