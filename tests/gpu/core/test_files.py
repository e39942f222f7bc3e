"""Files that are read, and TOML in them, whatever they are."""

from __future__ import annotations

import ast
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from app.files.library import find_again, find_instance
from app.files.loading import load_any
from app.files.log_tail import LogTail
from gpu.core import files
from gpu.core.errors import FormicariumError
from gpu.core.machine.processors import SPARE
from gpu.core.toml import LARGEST_TEXT, MOST_PARTS, table_of
from gpu.problems.bundled import bundled
from gpu.problems.loading import load_instance
from gpu.run.log.run_log import read_log
from gpu.run.session import InstanceReference
from tests.systems import make_pipe

ROOT = Path(__file__).parents[3]
READERS: tuple[Callable[[Path], object], ...] = (
    load_instance,
    read_log,
    load_any,
    lambda path: find_instance(str(path)),
    lambda path: find_again(InstanceReference(str(path), "x", "0" * 64)),
)
OTHERS = {  # they read what comes with the program, or what it has itself written a moment ago
    "app/files/downloads.py",
    "views/setup/presets.py",
    "app/report/page.py",
    "gpu/problems/bundled.py",
    "views/frame/settings.py",
    "views/widgets/theme.py",
    "views/widgets/styling.py",
    "views/help/guide.py",
    "views/help/guide_page.py",
}


def refused(reader: Callable[[Path], object], path: Path) -> str:
    """What ``reader`` says of ``path``; fails if it has not said so within 20 seconds."""
    said: list[str] = []

    def read() -> None:
        try:
            reader(path)
        except FormicariumError as error:
            said.append(str(error))

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    thread.join(20)
    assert not thread.is_alive(), "still reading"
    (sentence,) = said
    return sentence


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "pipe.jsonl"
    make_pipe(path)
    yield path
    # A reader that waits would wait for ever.
    os.close(os.open(path, os.O_RDWR | getattr(os, "O_NONBLOCK", 0)))


@pytest.mark.parametrize("reader", READERS)
def test_what_is_no_file_to_read_is_refused(
    reader: Callable[[Path], object], pipe: Path, tmp_path: Path
) -> None:
    empty, large = tmp_path / "empty.jsonl", tmp_path / "large.json"
    empty.touch()
    with large.open("wb") as file:
        file.truncate(files.LARGEST_FILE + 1)
    for path, said in (
        (Path("/dev/zero"), "it is a device or a pipe"),
        (pipe, "it is a device or a pipe"),
        (empty, "it is empty"),
        *([(environ, "it is empty")] if (environ := Path("/proc/self/environ")).exists() else []),
        (large, f"it has {files.LARGEST_FILE + 1} bytes"),
    ):
        assert said in refused(reader, path)


def test_a_pipe_that_takes_the_place_of_a_file_is_not_waited_for(
    tmp_path: Path, pipe: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    regular = (tmp_path / "file").stat()
    monkeypatch.setattr(Path, "stat", lambda self, **_: regular)  # as it was a moment ago
    assert "it is a device or a pipe" in refused(load_instance, pipe)


def test_a_session_whose_instance_is_a_device_takes_the_one_elsewhere(tmp_path: Path) -> None:
    item = bundled()[0]
    sha256 = load_instance(item.path).sha256
    assert find_again(InstanceReference("/dev/zero", item.name, sha256)).name == item.name


def test_a_name_that_no_file_can_have_is_no_file() -> None:
    for text in ("x" * 5000, "a\0b", "/".join(["y"] * 5000)):
        with pytest.raises(FormicariumError, match="there is no such file"):
            find_instance(text)


def test_a_pipe_has_no_tail(pipe: Path) -> None:
    tail = LogTail(lambda _: pytest.fail("nothing can be read"))
    tail.follow(pipe)
    tail.read()


def test_files_are_read_in_one_place_only() -> None:
    found = set()
    for room in ("app", "gpu/problems", "gpu/run", "views"):
        for file in (ROOT / room).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text("utf-8"))):
                if isinstance(node, ast.Attribute) and node.attr in ("read_bytes", "read_text"):
                    found.add(file.relative_to(ROOT).as_posix())
    assert found <= OTHERS


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


def test_an_array_may_be_larger_than_other_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "LARGEST_FILE", 1_000)
    places = np.random.default_rng(1).integers(0, 99, (30, 2))
    np.save(tmp_path / "a.npy", np.abs(places[:, None] - places).sum(axis=2))
    assert load_instance(tmp_path / "a.npy").n == 30
    (tmp_path / "a.csv").write_text("0,1\n" * 1_000)
    assert "it has 4000 bytes; at most 1000" in refused(load_instance, tmp_path / "a.csv")
    monkeypatch.setattr(files, "free_memory", lambda: SPARE + 2_000)
    assert "of memory are free" in refused(load_instance, tmp_path / "a.npy")
    monkeypatch.setattr(files, "LARGEST_ARRAY", 2_000)
    assert "bytes; at most 2000 are read" in refused(load_instance, tmp_path / "a.npy")
