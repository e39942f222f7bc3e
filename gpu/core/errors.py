"""The errors a user may see. Each message is one sentence that says what to do."""

from __future__ import annotations

import errno
import re

from gpu.core.words import shown, without_secrets

LONGEST_END = 800  # characters of both ends of a message that are kept
_LINE_ENDS = re.compile(r"[ \t]*\n\s*")
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")  # with which Numba marks parts of its messages


class FormicariumError(Exception):
    """Base of every error whose message is meant for the user.

    It is one line, without passwords in addresses, and control characters are escaped. Of a message
    that quotes too much of a file, the middle is left out: its beginning names the file, and its
    end says what to do.
    """

    def __init__(self, message: str) -> None:
        message = _without_middle(without_secrets(message))
        super().__init__(shown(_LINE_ENDS.sub(" ", message)))


class InstanceError(FormicariumError):
    """A file that is not a usable instance; the message names the file and what is wrong."""


class SolutionError(FormicariumError, ValueError):
    """A solution that is none, such as a route that misses a city; the message says where."""


class ParameterError(FormicariumError, ValueError):
    """A parameter outside its range; the message names it, its value and its range."""


class DeviceError(FormicariumError):
    """A device that is not there, or that failed while a colony ran on it."""


class WrongSolutionError(FormicariumError):
    """A colony whose solution is none, or has another cost than it says.

    The message says what is wrong. Either the program has a fault, or the device that computed it:
    a check cannot tell. A run goes on from the last solution that was right.
    """


class DeviceMemoryError(DeviceError):
    """A colony that does not fit the device's free memory; the message has the numbers."""


def sentence_for(error: BaseException) -> str:
    """Return what the user is told of ``error``: one sentence without a traceback."""
    if isinstance(error, FormicariumError):
        return str(error)
    if isinstance(error, MemoryError):
        return (
            "the computer's memory is too small for this: choose fewer ants or a smaller instance, "
            "or close other programs"
        )
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        what = "the disk is full" if error.errno == errno.ENOSPC else error.strerror
        return shown(f"{where}{what}")
    what = " ".join(_COLOURS.sub("", without_secrets(str(error))).split())
    what = shown(_without_middle(what))
    kind = type(error).__name__
    return f"an unexpected error came up ({kind}{': ' if what else ''}{what}): please report it"


def _without_middle(message: str) -> str:
    """Return a message as it is, or both ends of one that is too long."""
    if len(message) <= 2 * LONGEST_END:
        return message
    return f"{message[:LONGEST_END]} … {message[-LONGEST_END:]}"
