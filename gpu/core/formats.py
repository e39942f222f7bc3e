"""Numbers as people read them."""

from __future__ import annotations

import math

from gpu.core.words import counted

THIN = "\u202f"  # narrow no-break space, between thousands and before units
_MOST_DIGITS = 7  # digits that are enough to tell two draws of 24 bits apart


def whole(number: float) -> str:
    """Return a whole number with its thousands apart: 12 345."""
    return f"{round(number):,}".replace(",", THIN)


def number_of(number: int, noun: str) -> str:
    """Return a number, its thousands apart, with its noun: "1 city", "12 345 cities"."""
    return counted(number, noun, whole(number))


def compact(number: float) -> str:
    """Return at most four significant digits with k, M or G: 1.234 M."""
    if not math.isfinite(number):
        return "–"
    for limit, unit in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(number) >= limit:
            scaled = number / (1e3 if unit == "k" else limit)
            return f"{significant(scaled)}{THIN}{unit}"
    return whole(number) if abs(number) >= 100 else significant(number)


def significant(number: float, digits: int = 3) -> str:
    """Return ``digits`` significant digits, never in exponent form above 0.001."""
    if number == 0 or not math.isfinite(number):
        return "0" if number == 0 else "–"
    size = math.floor(math.log10(abs(number)))
    if size < -3:
        return f"{number:.{digits - 1}e}"
    return f"{number:.{max(0, digits - 1 - size)}f}"


def brief(number: float, digits: int = 3, thousands: str = "") -> str:
    """Return at most ``digits`` significant digits, whole numbers in full: 0.5, 1.23, 1234."""
    if abs(number) >= 10 ** (digits - 1):
        return f"{number:{thousands}.0f}"
    return f"{number:.{digits}g}"


def parameter_value(value: object) -> str:
    """Return the value of a parameter: auto, 0.5, 1234, listed."""
    if value is None:
        return "auto"
    return f"{value:g}" if isinstance(value, float) else str(value)


def percent(value: float | None) -> str:
    """Return a percentage, or a dash where there is none."""
    if value is None or not math.isfinite(value):
        return "–"
    return f"{value:.2f}{THIN}%"


def duration(seconds: float) -> str:
    """Return a time: 12.3 s, 4:05, 1:02:03."""
    if not math.isfinite(seconds):
        return "–"
    if seconds < 60:
        return f"{seconds:.1f}{THIN}s"
    hours, rest = divmod(int(seconds), 3600)
    minutes, rest = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def short_time(seconds: float) -> str:
    """Return a time in the unit that suits it: 0.850 ms, 12.3 s."""
    if seconds < 1:
        return milliseconds(1000 * seconds)
    return f"{significant(seconds)}{THIN}s"


def milliseconds(value: float) -> str:
    """Return a time in milliseconds, three significant digits."""
    return f"{significant(value)}{THIN}ms"


def byte_size(number: float) -> str:
    """Return bytes in binary units: 79.6 GiB."""
    for unit in ("B", "KiB", "MiB"):
        if abs(number) < 1024:
            return f"{number:.0f}{THIN}{unit}" if unit == "B" else f"{number:.1f}{THIN}{unit}"
        number /= 1024
    return f"{number:.1f}{THIN}GiB"


def probability(value: float) -> str:
    """Return a probability in per cent: 61.24 %, 2.9·10⁻⁴ %, 100 %."""
    if value >= 0.99995:
        text = "100" if value > 1 - 1e-9 else "> 99.99"
    else:
        text = f"{100 * value:.2f}" if value >= 1e-4 or value <= 0 else quantity(100 * value)
    return f"{text}{THIN}%"


def quantity(value: float) -> str:
    """Return a number > 0 with three digits, or as a power of ten if it would be long."""
    if value and not 1e-3 <= value < 1e5:
        exponent = math.floor(math.log10(value))
        return f"{value / 10.0**exponent:.1f}·10{_raised(str(exponent))}"
    return significant(value)


def stop_text(spin: float | None) -> str:
    """Return where a wheel stopped, in [0, 1); a dash if none was spun."""
    return "–" if spin is None else f"{min(spin, 0.9999):.4f}"


def signed(number: int) -> str:
    """Return a whole number with its sign: +12, −3, 0."""
    return f"{'+' if number > 0 else '−'}{whole(abs(number))}" if number else "0"


def power(base: str, exponent: float) -> str:
    """Return a power: 3², or 3^1.5 if the exponent is not whole."""
    text = f"{exponent:g}"
    base = f"({base})" if "·" in base else base
    return f"{base}{_raised(text)}" if text.isdigit() else f"{base}^{text}"


def _raised(digits: str) -> str:
    return digits.translate(_RAISED)


_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def apart(one: float, limit: float) -> tuple[str, str]:
    """Return both numbers with enough digits to see which is smaller; none looks like 0 or 1."""
    for digits in range(3, _MOST_DIGITS):
        texts = f"{one:.{digits}f}", f"{limit:.{digits}f}"
        inside = (text for text, at in zip(texts, (one, limit), strict=True) if 0 < at < 1)
        wrong = any(float(text) in (0, 1) for text in inside)
        told = (texts[0] < texts[1]) == (one < limit) and (texts[0] != texts[1] or one == limit)
        if told and not wrong:
            return texts[0], _short(limit, digits)
    return f"{one:.{_MOST_DIGITS}f}", _short(limit, _MOST_DIGITS)


def _short(value: float, digits: int) -> str:
    """Return ``value`` with at most ``digits`` decimals, and at least two."""
    text = f"{value:.{digits}f}".rstrip("0")
    if float(text) == 1 != value:
        return repr(value)
    return text if len(text.partition(".")[2]) >= 2 else f"{value:.2f}"
