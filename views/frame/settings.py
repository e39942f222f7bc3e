"""What the window keeps from one session to the next: plain values in a JSON file.

Not in Qt's QSettings: its files can hold Python objects, and to read one of those runs code.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from gpu.core.files import rename

SettingValue = str | int | bool | list[str]
V = TypeVar("V", str, int, bool, list[str])

MOST_SETTINGS = 1 << 20  # most bytes of the file

_log = logging.getLogger(__name__)


class Settings:
    """Values by name. A file that is no such thing counts as empty; it is replaced in time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._values = self._read()

    def get(self, name: str, default: V) -> V:
        """Return the value of ``name`` if there is one of the same type as ``default``."""
        found = self._values.get(name)
        return found if type(found) is type(default) else default

    def put(self, values: Mapping[str, SettingValue]) -> None:
        """Keep ``values``, and what another window has kept meanwhile under other names."""
        found = self._read()
        self._values = {**found, **values}
        if self._values == found:
            return
        part = self._path.with_name(f".{self._path.name}.{os.getpid()}.part")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            try:
                part.write_text(json.dumps(self._values, indent=2) + "\n", "utf-8")
                rename(part, self._path)
            finally:
                part.unlink(missing_ok=True)
        except OSError as error:
            _log.warning("the window's settings cannot be kept", exc_info=error)

    def _read(self) -> dict[str, SettingValue]:
        try:
            if not self._path.is_file() or self._path.stat().st_size > MOST_SETTINGS:
                return {}
            found = json.loads(self._path.read_text("utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            _log.warning("the window's settings cannot be read", exc_info=error)
            return {}
        values = found.items() if isinstance(found, dict) else ()
        return {name: value for name, value in values if _is_plain(value)}


def _is_plain(value: object) -> bool:
    if isinstance(value, list):
        return all(isinstance(part, str) for part in value)
    return isinstance(value, str | int)
