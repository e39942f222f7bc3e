"""The program's icon as a file in the formats of Windows and of macOS."""

from __future__ import annotations

from pathlib import Path

from PIL import Image

_SIDES = (16, 32, 48, 64, 128, 256)  # pixels


def write_icon(path: Path, kind: str) -> None:
    """Write the icon in its usual sizes as ``ICO`` or ``ICNS``, whatever the file is called.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    from views.widgets.theme import application_pictures  # imports Qt

    pictures = []
    for drawn in application_pictures(_SIDES):
        plain = drawn.convertToFormat(drawn.Format.Format_RGBA8888)
        size = plain.width(), plain.height()
        pictures.append(Image.frombytes("RGBA", size, bytes(plain.constBits())))
    sizes = [one.size for one in pictures]
    pictures[-1].save(path, kind, append_images=pictures[:-1], sizes=sizes)
