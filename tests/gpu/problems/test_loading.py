"""Files of any kind: which kind they are, packed or not, and their lines."""

from __future__ import annotations

import ast
import bz2
import gzip
import io
import lzma
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpu.core.errors import InstanceError
from gpu.core.files import LARGEST_FILE, unpacked
from gpu.core.machine.processors import SPARE
from gpu.core.problem import Problem
from gpu.core.words import shown
from gpu.problems import document
from gpu.problems.bundled import bundled
from gpu.problems.coloring.dimacs import load_graph
from gpu.problems.document import lines_of, text_of
from gpu.problems.input_file import InputFile
from gpu.problems.loading import load_instance, recognise
from gpu.problems.reading import FileKind, UnsureError
from gpu.problems.table_kinds import kind_of
from gpu.problems.tables.table_files import table_of
from gpu.problems.tsp import tsplib_document
from gpu.problems.tsp.drawing import pasted
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.tours import edges_in_common, read_tour
from gpu.problems.tsp.tsplib import explicit
from gpu.problems.tsp.tsplib.tsplib_files import load
from gpu.problems.tsp.tsplib_document import document_of
from tests.golden import Golden
from tests.gpu.problems.texts import HEAD, is_one_sentence, load_text, matrix_text, symmetric

MATRIX = "0,29,80,44\n29,0,55,46\n80,55,0,66\n44,46,66,0\n"
EDGES = "0,1\n0,3\n1,2\n2,3\n2,0\n"


def test_what_a_file_is(tmp_path: Path, golden: Golden) -> None:
    path = tmp_path / "x.csv"

    def told(line: str) -> str:
        text = ast.literal_eval(line)[1].encode()
        found = recognise(InputFile(tmp_path / "x", text))
        if FileKind.PLACES not in found.kinds:
            return f"{found.kinds[0].name}: {found.title}"
        try:
            seen = kind_of(table_of(InputFile(path, text)))
        except UnsureError as unsure:
            return is_one_sentence(path, str(unsure), 400)
        return f"{seen.kind.name}: {seen.saw or 'as it is'}"

    golden.table("kinds-of-files", told)


@pytest.mark.parametrize(
    ("text", "kind", "what"),
    [
        ("NAME: a\nTYPE: TSP\n", "matrix", "it is a TSPLIB file, or nothing that is known"),
        ("p edge 3 1\ne 1 2\n", "places", "it is a DIMACS graph"),
        (MATRIX, "dimacs", "it is a table"),
    ],
)
def test_what_the_user_asks_for_must_fit(text: str, kind: str, what: str) -> None:
    with pytest.raises(InstanceError, match=f"^x: --read-as {kind} does not fit: {what}; leave"):
        load_instance("x", text.encode(), kind)


def test_the_user_goes_before_what_was_seen(tmp_path: Path) -> None:
    assert load_instance(tmp_path / "x.csv", EDGES.encode(), "plane 1,2").n == 5
    assert load_instance(tmp_path / "x.csv", MATRIX.encode(), "plane 2,3").n == 4


ROWS = st.lists(
    st.lists(st.sampled_from([*"01247", "a", "b", "", "inf", "-", "2.5", "from", "to", "x"])),
    min_size=1,
    max_size=7,
)


@settings(max_examples=500)
@given(rows=ROWS, separator=st.sampled_from(",;\t "), end=st.sampled_from(["", "\n", "\r\n"]))
def test_any_table_is_loaded_or_refused_in_a_sentence(
    rows: list[list[str]], separator: str, end: str
) -> None:
    text = (end or "\n").join(separator.join(row) for row in rows) + end
    try:
        instance = load_instance("t.csv", text.encode())
    except InstanceError as error:
        is_one_sentence("t.csv", str(error), 325)
    else:
        assert instance.n >= 1
        assert instance.seen or instance.problem is Problem.COLORING


FILE = Path("some.tsp")


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        (b"\xef\xbb\xbfNAME: a\n", "NAME: a\n"),
        ("COMMENT: Zürich\n".encode(), "COMMENT: Zürich\n"),
        ("COMMENT: Zürich\n".encode("latin-1"), "COMMENT: Zürich\n"),
        ("COMMENT: Züri".encode()[:-3], "COMMENT: ZÃ"),  # cut off in the middle of a letter
    ],
)
@pytest.mark.parametrize("piece", [1, 3, 1 << 20])
def test_text_is_utf_8_or_else_that_of_windows(
    data: bytes, text: str, piece: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(document, "_DECODED_PIECE", piece)
    assert text_of(FILE, data) == text
    assert "".join(lines_of(FILE, data)) == text


def test_lines_may_end_as_on_any_system() -> None:
    assert list(lines_of(FILE, b"a\r\nb\rc\n\nd")) == ["a\n", "b\n", "c\n", "\n", "d"]


def test_what_has_zeros_is_no_text() -> None:
    with pytest.raises(InstanceError, match="binary file"):
        lines_of(FILE, b"a\0\0b")
    with pytest.raises(InstanceError, match="damaged UTF-16"):
        lines_of(FILE, "ab".encode("utf-16")[:-1])


def test_lines_are_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tsplib_document, "_LINES_FORGOTTEN", 2)
    found = document_of(FILE, b"NAME: a\nNODE_COORD_SECTION\n1 0 0\n2 0 1\n3 1 1\nEOF\n")
    lines = found.sections["NODE_COORD_SECTION"]
    assert len(lines) == 3
    found.forget_lines()
    assert not lines
    assert found.specification == {"NAME": "a"}


BY_NAME = {one.name: one.path for one in bundled()}
TEXT = BY_NAME["ring-50"].read_bytes()


@pytest.mark.parametrize("name", ["ring-50", "mycielski-47", "random-125"])
def test_a_packed_instance_is_the_same(tmp_path: Path, name: str) -> None:
    plain = BY_NAME[name]
    packed = tmp_path / f"{plain.name}.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    one, other = load_instance(plain), load_instance(packed)
    assert (other.name, other.n, other.sha256) == (one.name, one.n, one.sha256)
    assert other.path == packed


def test_a_name_comes_from_the_file_where_there_is_no_other(tmp_path: Path) -> None:
    path = tmp_path / "town.tsp.gz"
    path.write_bytes(gzip.compress(TEXT.replace(b"NAME", b"COMMENT")))
    assert load_instance(path).name == "town"


def test_the_tour_beside_it_may_be_packed_too(tmp_path: Path) -> None:
    for source in (BY_NAME["ring-50"], BY_NAME["ring-50"].with_suffix(".opt.tour")):
        (tmp_path / f"{source.name}.gz").write_bytes(gzip.compress(source.read_bytes()))
    instance = load_instance(tmp_path / "ring-50.tsp.gz")
    assert isinstance(instance, TspInstance)
    assert instance.optimal_tour is not None
    tour = instance.load_solution(tmp_path / "ring-50.opt.tour.gz")
    assert instance.tour_length(tour) == instance.optimum


def zipped(*names: str, text: bytes = TEXT) -> bytes:
    """Return an archive with files of these names, each with the same text."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name in names:
            archive.writestr(name, text)
    return made.getvalue()


def locked() -> bytes:
    """Return an archive whose file says that it needs a password."""
    made = bytearray(zipped("one.tsp"))
    made[6] = 1
    made[made.index(b"PK\x01\x02") + 8] = 1
    return bytes(made)


@pytest.mark.parametrize(
    ("ending", "pack"),
    [
        (".bz2", bz2.compress),
        (".xz", lzma.compress),
        (".zip", lambda text: zipped("ring-50.tsp", text=text)),
        (".zip", lambda text: zipped("a/", "a/b.tsp", "readme.txt", "__MACOSX/a/b.tsp", text=text)),
        (".bz2", lambda text: bz2.compress(text[:100]) + bz2.compress(text[100:])),
        (".gz", lambda text: gzip.compress(text) + bytes(512)),
    ],
)
def test_it_does_not_matter_what_packed_it(
    tmp_path: Path, ending: str, pack: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / f"ring-50.tsp{ending}"
    path.write_bytes(pack(TEXT))
    packed, plain = load_instance(path), load_instance(BY_NAME["ring-50"])
    assert (packed.name, packed.n, packed.sha256) == (plain.name, plain.n, plain.sha256)


@settings(max_examples=200)
@given(data=st.data())
def test_packed_files_with_changed_bytes_are_read_or_refused(data: st.DataObject) -> None:
    whole = bytearray(data.draw(st.sampled_from([*map(bytes, PACKED_TEXTS)])))
    for _ in range(data.draw(st.integers(1, 4))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    del whole[data.draw(st.integers(0, len(whole))) :]
    try:
        load_instance("x.tsp", bytes(whole))
    except InstanceError as error:
        is_one_sentence("x.tsp", str(error), 325)


PACKED_TEXTS = [gzip.compress(TEXT), bz2.compress(TEXT), lzma.compress(TEXT), zipped("one.tsp")]


PIECES = 32
BOMBS = {
    "bz2": lambda: bz2.compress(bytes(LARGEST_FILE // PIECES)) * PIECES + bz2.compress(b" "),
    "xz": lambda: lzma.compress(bytes(LARGEST_FILE // PIECES)) * PIECES + lzma.compress(b" "),
    "zip": lambda: deflated(bytes(LARGEST_FILE + 1)),
}
"""Made in little time: streams that follow each other are one file."""


@pytest.mark.parametrize("kind", BOMBS)
def test_no_small_file_unpacks_to_an_enormous_one(kind: str) -> None:
    bomb = BOMBS[kind]()
    assert len(bomb) < 2 << 20
    with pytest.raises(InstanceError, match=f"too large: it unpacks to more than {LARGEST_FILE}"):
        load_instance("bomb", bomb)


def deflated(text: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("bomb.tsp", text)
    return made.getvalue()


ENCODED = "name;lat;lon\nKöln;50,94;6,96\nŁódź;51,76;19,46\nŒuvre’s;48,86;2,35\n"


@pytest.mark.parametrize(
    ("encoding", "said"),
    [
        ("utf-8", ""),
        ("utf-8-sig", ""),
        ("utf-16", ""),
        ("utf-16-le", ""),
        ("utf-16-be", ""),
        ("utf-32", ""),
        ("utf-16-be", "utf-16-be"),
        ("cp1250", "cp1250"),
        ("utf-8", "utf-8"),
        ("cp1252", ""),
        ("latin-1", ""),
    ],
)
def test_encodings(encoding: str, said: str) -> None:
    old = encoding in ("cp1250", "cp1252", "latin-1")
    text = ENCODED.replace("Œ", "Ö") if old else ENCODED
    if encoding == "cp1252":
        text = text.replace("Łódź", "Łódź".translate({0x141: "€", 0x17A: "ž"}))
    if encoding == "latin-1":
        text = text.replace("Łódź", "Lodz").replace("’", "\x8d")
    said = said and f"encoding={said}"
    instance = load_instance("x.csv", text.encode(encoding), said)
    assert isinstance(instance, TspInstance)
    written = tuple(shown(line.split(";")[0]) for line in text.splitlines()[1:])
    assert instance.names == written
    assert said in instance.read_as
    again = load_instance("x.csv", text.encode(encoding), instance.read_as)
    assert again.sha256 == instance.sha256


def test_an_encoding_is_said_of_files_that_say_all_else_themselves() -> None:
    text = HEAD.replace("NAME:q", "NAME:q\nCOMMENT:Łódź") + "1 0 0\n2 3 4\n3 0 4\nEOF\n"
    wide = load_instance("x.tsp", text.encode("utf-16"))
    assert (wide.comment, wide.read_as) == ("Łódź", "")
    said = load_instance("x.tsp", text.encode("cp1250"), "encoding=cp1250")
    assert (said.comment, said.read_as) == ("Łódź", "encoding=cp1250")
    for wrong in ("ascii", "klingon", "hex", "utf-16"):
        with pytest.raises(InstanceError, match=f"encoding (= '|){wrong}"):
            load_instance("x.tsp", text.encode("cp1250") + b" ", f"encoding={wrong}")


def test_hostile_packed_files(tmp_path: Path, golden: Golden) -> None:
    def told(line: str) -> str:
        known = {"TEXT": TEXT, "gzip": gzip, "bz2": bz2, "lzma": lzma, "zipped": zipped}
        made = eval(line, {**known, "locked": locked, "whole": gzip.compress(TEXT)})
        return sentence(tmp_path / "x.tsp.gz", made, load_instance)

    golden.table("refused-packed", told)


def test_a_small_file_does_not_unpack_to_an_enormous_one(tmp_path: Path) -> None:
    path = tmp_path / "bomb.tsp.gz"
    path.write_bytes(gzip.compress(bytes(LARGEST_FILE + 1), 1))
    assert path.stat().st_size < 2 << 20
    with pytest.raises(InstanceError, match=f"too large: it unpacks to more than {LARGEST_FILE}"):
        load_instance(path)
    assert unpacked(gzip.compress(TEXT) + gzip.compress(TEXT), 2 * len(TEXT)) == 2 * TEXT
    with pytest.raises(ValueError, match="too large"):
        unpacked(gzip.compress(TEXT) + gzip.compress(TEXT), 2 * len(TEXT) - 1)


def test_edges_in_common() -> None:
    tour = np.array([0, 1, 2, 3, 4])
    assert edges_in_common(tour, np.roll(tour, 2)) == 5
    assert edges_in_common(tour, tour[::-1]) == 5
    assert edges_in_common(tour, tour[::-1], directed=True) == 0
    assert edges_in_common(tour, np.array([0, 2, 1, 3, 4])) == 3
    assert edges_in_common(np.array([0, 1, 2]), np.array([1, 0, 2])) == 3


READERS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "refused-tsplib": ("x.tsp", load),
    "refused-kinds": ("x.tsp", load_instance),
    "refused-texts": ("x.txt", load_instance),
    "refused-tours": ("x.tour", lambda path: load(path.with_name("three.tsp")).load_solution(path)),
    "refused-dimacs": ("x.col", load_graph),
    "refused-places": ("x.csv", load_instance),
    "refused-clipboard": ("clipboard", lambda path: pasted(path.read_text())),
}


def sentence(path: Path, data: bytes, read: Callable[[Path], object]) -> str:
    path.write_bytes(data)
    with pytest.raises(InstanceError) as caught:
        read(path)
    return is_one_sentence(
        "clipboard" if path.name == "clipboard" else path, str(caught.value), 400
    )


@pytest.mark.parametrize("table", READERS)
def test_what_is_refused_is_one_sentence(table: str, tmp_path: Path, golden: Golden) -> None:
    load_text(tmp_path, f"{HEAD}1 0 0\n2 3 0\n3 3 4\n", "three.tsp")
    name, read = READERS[table]

    def told(line: str) -> str:
        given = ast.literal_eval(line)
        data = given if isinstance(given, bytes) else given.encode()
        said = sentence(tmp_path / name, data, read)
        if table == "refused-kinds":  # its name does not matter
            for other in ("graph.col", "table.csv", "tour.tour", "other.txt"):
                assert sentence(tmp_path / other, data, read) == said
        return said

    golden.table(table, told)


def test_what_is_said_of_files_that_are_taken(tmp_path: Path, golden: Golden) -> None:
    def told(line: str) -> str:
        name, text, *read_as = ast.literal_eval(line)
        path = tmp_path / name
        path.write_text(text)
        instance = load_instance(path, None, *read_as)
        return f"{instance.size}: {instance.note or 'nothing'}"

    golden.table("notes-of-files", told)


def _refused(folder: Path, text: str | bytes) -> str:
    with pytest.raises(InstanceError) as caught:
        load_text(folder, text)
    return is_one_sentence(folder / "x.tsp", str(caught.value))


def test_what_is_no_tour_is_not_told_how_instances_are_written(tmp_path: Path) -> None:
    path = tmp_path / "tour.txt"
    for text in ("first\n", "1 x 3\n", "{1: 2}\n"):
        path.write_text(text)
        with pytest.raises(InstanceError, match="; write the tour as a TSPLIB file with a TOUR_SE"):
            read_tour(path)


def test_a_link_to_nothing_says_where_it_leads(tmp_path: Path) -> None:
    path = tmp_path / "x.tsp"
    for target, what in (("gone.tsp", ""), ("../.git/annex/objects/a/x", "; git annex get fet")):
        path.unlink(missing_ok=True)
        path.symlink_to(target)
        there = re.escape(f"it is a link to {path.readlink()}, which is not there{what}")
        with pytest.raises(InstanceError, match=there):
            load(path)


def test_what_is_no_file(tmp_path: Path) -> None:
    for path, why in [
        (tmp_path, "it is a folder"),
        (tmp_path / "missing.tsp", "it cannot be read: No such file"),
        (tmp_path / "x.tsp" / "y.tsp", "it cannot be read"),
        (tmp_path / ("n" * 300), "it cannot be read: File name too long"),
        (tmp_path / "a\0b", "it cannot be read"),
        (Path("/dev/zero"), "it is a device or a pipe"),
    ]:
        with pytest.raises(InstanceError) as caught:
            load(path)
        assert str(caught.value).startswith(shown(f"{path}: {why}"))


@pytest.mark.parametrize("form", ["FULL_MATRIX", "UPPER_ROW"])
def test_a_matrix_that_does_not_fit_is_refused_before_its_numbers_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    text = matrix_text(form, symmetric(100))
    monkeypatch.setattr(explicit, "free_memory", lambda: SPARE + 12 * 100**2)
    with monkeypatch.context() as patch:
        patch.setattr(explicit, "numbers_of", None)
        message = _refused(tmp_path, text)
    assert message.startswith("its 100 × 100 distances need 0.0 GiB of memory")
    assert "an instance with coordinates" in message
    monkeypatch.setattr(explicit, "free_memory", lambda: SPARE + 36 * 100**2)
    assert load_text(tmp_path, text).n == 100


def test_a_file_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.tsp"
    with path.open("wb") as file:
        file.truncate(10**12)
    with pytest.raises(InstanceError, match="it has 1000000000000 bytes; at most"):
        load(path)
