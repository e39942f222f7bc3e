"""Numbers as people read them."""

from __future__ import annotations

import math

from gpu.core import formats
from tests.golden import Golden


def test_numbers_as_people_read_them(golden: Golden) -> None:
    """Draws have as many digits as tell them apart."""
    names = {"formats": formats, "math": math}
    golden.table("numbers", lambda line: str(eval(line, names)).replace(formats.THIN, " "))
