"""TOML files of strangers: none of them takes much time or memory."""

from __future__ import annotations

import pytest

from gpu.core.errors import FormicariumError
from gpu.core.toml import LARGEST_TEXT, MOST_PARTS, table_of

LONG = ".".join("a" * (MOST_PARTS + 1))


@pytest.mark.parametrize(
    "text",
    [
        f"{LONG} = 1",
        f"[{LONG}]",
        f"[[ {LONG.replace('.', ' . ')} ]]",
        f"x = {{ {LONG} = 1 }}",
        f"{LONG.replace('a', chr(34) + 'b.c' + chr(34))} = 1",
        f'x = "\\""\n{LONG.replace("a", chr(39) + "=#" + chr(39))} = 1',
        f"x = '''\n\"'''\n{LONG} = 1",
    ],
)
def test_a_key_has_few_parts(text: str) -> None:
    with pytest.raises(FormicariumError, match=f"more than {MOST_PARTS} parts with dots"):
        table_of(text, FormicariumError)
    assert table_of(f"{LONG[2:]} = 1", FormicariumError)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        (f'"{LONG}"', LONG),
        (f"'{LONG}'", LONG),
        (f'"""{LONG}\n{LONG}"""', f"{LONG}\n{LONG}"),
        (f"'''\n{LONG}'''", LONG),
        (f'"\\"{LONG}" # {LONG}', f'"{LONG}'),
        ("[1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5]", [k + 0.5 for k in range(1, 10)]),
    ],
)
def test_dots_elsewhere_are_no_parts_of_a_key(written: str, value: object) -> None:
    assert table_of(f"x = {written}", FormicariumError) == {"x": value}


def test_a_file_has_a_megabyte_at_most() -> None:
    text = "x = 1\n#"
    assert table_of(text.ljust(LARGEST_TEXT, "#"), FormicariumError) == {"x": 1}
    with pytest.raises(FormicariumError, match="may have 1,048,576 bytes, and this one has more"):
        table_of(text.ljust(LARGEST_TEXT, "#") + "#", FormicariumError)
