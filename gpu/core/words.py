"""Numbers with their nouns, and texts from elsewhere."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import unicodedata

# One slash is left where an address was taken for a path; the last is how urllib3 names one. A
# password may have blanks.
_ADDRESS = re.compile(r"((?<=[\w.+-]{2}):/{1,2}|\burl: /)((?:[^\s/][^/\n]*@)?\S+)")
_FOLDERS = re.compile(  # such as /home/me/my files/
    r"""(?<![\w.:/\\~])(?:~|[A-Za-z]:)?[/\\]{1,2}"""
    r"""(?:[^\s/\\:'"](?:[^/\\:\n'"]*[^\s/\\:'",;])?[/\\])+"""
)
_PLURALS = {"ty": "tie", "ch": "che", "ss": "sse", "ex": "ice"}  # cities, batches, ..., vertices


def counted(number: int, noun: str, written: str = "") -> str:
    """Return ``number`` (as it is ``written``) with ``noun``: "1 iteration", "2 cities"."""
    if number != 1:
        for ending, before_s in _PLURALS.items():
            noun = re.sub(f"{ending}$", before_s, noun)
        noun += "s"
    return f"{written or number} {noun}"


def shown(text: str, most: int | None = None) -> str:
    """Return ``text`` from a file or a user as it can be shown, in at most ``most`` characters.

    Everything that is not printed, such as a terminal's control sequences, becomes an escape;
    line breaks and spaces of any width stay.
    """
    if text.isprintable() and (most is None or len(text) <= most):
        return text  # as a rule, and much quicker
    escaped = "".join(
        one
        if one.isprintable() or one == "\n" or unicodedata.category(one) == "Zs"
        else one.encode("unicode_escape").decode("ascii")
        for one in text[:most]
    )
    if most is not None and max(len(text), len(escaped)) > most:
        return f"{escaped[: most - 1]}…"
    return escaped


def without_secrets(text: str) -> str:
    """Return ``text`` without passwords in addresses of the Internet, and what may hold one.

    That is what stands before an @, and behind a question mark or a #.
    """
    return _ADDRESS.sub(_harmless, text) if ":/" in text or "url: /" in text else text


def _harmless(found: re.Match[str]) -> str:
    beginning, rest = found.groups()
    before, at, place = rest.rpartition("@")
    if at and ("?" in before or "#" in before):  # nobody knows where a password ends
        return f"{beginning}…"
    if at and (":" in before or "/" not in before):  # else the @ is in the name of a folder
        rest = f"…@{place}"
    if query := re.search("[?#]", rest):
        ending = rest[len(rest.rstrip("\"'):;,.>")) :]  # of the sentence
        rest = f"{rest[: query.start()]}?…{ending}"
    return beginning + rest


def without_folders(text: str) -> str:
    """Return ``text`` with nothing but the name of each file that has an absolute path in it."""
    return _FOLDERS.sub("", text)


def command_line(*words: str) -> str:
    """Return the command of these ``words`` as this system's usual shell takes it."""
    return subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)
