from __future__ import annotations

import gzip
import shutil
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import pytest

from app.files import downloads, library
from app.files.downloads import DownloadError, download
from app.files.library import best_known_file, keep_best_known, with_kept
from app.files.loading import OpenedFile, load_any, use_once
from gpu import catalog
from gpu.core.errors import FormicariumError, InstanceError
from gpu.core.machine import devices
from gpu.crossing.cpu import crossing as single_cross
from gpu.focused.cpu import ants as single_ant
from gpu.problems.bundled import bundled
from gpu.problems.coloring.dimacs import load_graph
from gpu.problems.coloring.generators import mycielski
from gpu.problems.loading import load_instance
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.tsplib.tsplib_files import load
from gpu.run.session import InstanceReference
from tests.app.conftest import Command
from tests.processes import published
from tests.systems import make_pipe


@pytest.fixture
def mirror(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder, and the address under which a server on this machine publishes it."""
    folder = tmp_path / "published"
    folder.mkdir()
    with published(folder) as address:
        yield folder, address


def publish(folder: Path, name: str, content: bytes) -> None:
    (folder / f"{name}.tsp.gz").write_bytes(gzip.compress(content))


def test_the_tables_are_those_of_the_files(tsplib: Path) -> None:
    here = {path.name: path for path in tsplib.parent.glob("*/*")}
    assert len(here) > 80
    for source in downloads.sources():
        read = load_graph if source.kept == ".col" else load
        names = [name for name in source.sha256 if f"{name}{source.kept}" in here]
        assert len(names) > len(source.sha256) // 2
        files = {name: here[f"{name}{source.kept}"] for name in names}
        for name, path in files.items():
            if path.stat().st_size < 2**18:
                assert read(path).digest() == source.sha256[name]


@pytest.mark.parametrize("text", ["kro124p", "kro124p.atsp", "mona-lisa100K", "DSJC125.1.col"])
def test_who_names_a_published_instance_is_told_how_it_is_fetched(text: str) -> None:
    name = text.removesuffix(".atsp").removesuffix(".col")
    with pytest.raises(library.NotDownloadedError, match=f"formicarium download {name} fetches"):
        library.find_path(text)


def test_an_instance_is_fetched_checked_and_found_by_name(
    tsplib: Path, mirror: tuple[Path, str]
) -> None:
    folder, address = mirror
    original = (tsplib / "berlin52.tsp").read_bytes()
    # As some mirrors have it: other line ends, other blanks, another comment.
    other = original.replace(b"\n", b" \r\n").replace(b"Berlin", b"the city of Berlin")
    publish(folder, "berlin52", other)
    kept = download("berlin52", f"{address}/")
    assert kept == downloads.folder() / "berlin52.tsp"
    text = kept.read_bytes()
    assert text.startswith(b"NAME: berlin52\nTYPE: TSP\nDIMENSION: 52\n")
    assert b"city" not in text  # the digest covers all that is kept
    assert downloads.downloaded() == (kept,)
    instance = library.find_instance("berlin52")
    assert instance.n == 52
    assert instance.optimum == 7542


@pytest.mark.parametrize("name", ["berlin52", "gr17"])
def test_one_changed_digit_is_refused(tsplib: Path, mirror: tuple[Path, str], name: str) -> None:
    folder, address = mirror
    original = (tsplib / f"{name}.tsp").read_bytes()
    place = len(original) - 20
    while not original[place : place + 1].isdigit():
        place -= 1
    digit = b"4" if original[place : place + 1] != b"4" else b"5"
    publish(folder, name, original[:place] + digit + original[place + 1 :])
    with pytest.raises(DownloadError, match=f"not those of TSPLIB's {name}"):
        download(name, address)
    assert downloads.downloaded() == ()


def test_whatever_else_comes_is_refused_in_one_line(mirror: tuple[Path, str]) -> None:
    folder, address = mirror
    for name, content, why in (
        ("eil51", None, "404"),
        ("eil51", b"<html>moved</html>", "not a gzip file"),
        ("eil51", gzip.compress(b"x" * 1000)[:20], "cut off"),
        ("eil51", gzip.compress(b"hello"), "not a TSPLIB instance"),
        ("atlantis", None, "no checksum is known"),
    ):
        if content is not None:
            (folder / "eil51.tsp.gz").write_bytes(content)
        with pytest.raises(DownloadError, match=why) as refused:
            download(name, address)
        assert "\n" not in str(refused.value)
    assert downloads.downloaded() == ()


def test_a_folder_is_a_mirror_too(tmp_path: Path) -> None:
    with pytest.raises(DownloadError, match=r"there is no myciel5\.col and no myciel5\.col\.gz"):
        download("myciel5", str(tmp_path))
    (tmp_path / "myciel5.col.gz").write_bytes(gzip.compress(b"p edge 3 1\ne 1 2\n"))
    with pytest.raises(DownloadError, match="not those of DIMACS's myciel5"):
        download("myciel5", str(tmp_path))
    same = next(one for one in bundled() if one.name == "mycielski-47")
    (tmp_path / "myciel5.col").write_bytes(same.path.read_bytes())
    kept = download("myciel5", str(tmp_path))
    assert library.find_instance("myciel5").n == 47
    assert downloads.downloaded() == (kept,)
    make_pipe(tmp_path / "queen8_8.col")
    with pytest.raises(DownloadError, match="a device or a pipe"):
        download("queen8_8", str(tmp_path))


@pytest.mark.parametrize("packed", [False, True])
def test_something_endless_is_neither_fetched_nor_unpacked(
    mirror: tuple[Path, str], monkeypatch: pytest.MonkeyPatch, packed: bool
) -> None:
    folder, address = mirror
    monkeypatch.setattr(downloads, "LONGEST_FILE", 1000)
    endless = b"0" * 1_000_000
    (folder / "eil51.tsp.gz").write_bytes(gzip.compress(endless) if packed else endless)
    with pytest.raises(DownloadError, match="too large"):
        download("eil51", address)


@contextmanager
def begun(then: Callable[[socket.socket], object]) -> Iterator[str]:
    """The address of a server that promises a thousand bytes, sends one, and does something."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def send() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(1000)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nx")
                then(connection)

        thread = threading.Thread(target=send)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
        thread.join()


def test_a_server_that_dribbles_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(downloads, "LONGEST_TIME", 0.2)
    over = threading.Event()

    def dribble(connection: socket.socket) -> None:
        while not over.wait(0.02):
            connection.sendall(b"x")

    with begun(dribble) as address:
        with pytest.raises(DownloadError, match=r"not there within 0\.2 s"):
            download("eil51", address)
        over.set()
    for left in threading.enumerate():
        if left.name == "download":
            left.join()


def test_less_than_was_promised_is_said_in_plain_words() -> None:
    why = r"\(the connection broke off, or .*was said\);"
    with begun(lambda _: None) as address, pytest.raises(DownloadError, match=why):
        download("eil51", address)


def test_every_file_is_kept_without_a_word_of_its_own(tsplib: Path) -> None:
    for path in tsplib.glob("*.tsp"):
        name = path.stem
        kept = downloads._digested(name, path.read_bytes())
        assert load(Path(name), kept).digest() == downloads.source_of(name).sha256[name]


def test_without_a_network_the_address_is_named_in_one_sentence() -> None:
    address = "http://127.0.0.1:9"
    with pytest.raises(DownloadError) as refused:
        download("eil51", address)
    assert str(refused.value) == (
        f"{address}/eil51.tsp.gz: cannot be downloaded "
        "(no connection to it: is this computer online?); formicarium download --from takes the "
        "address of a mirror, or a folder with the file"
    )


def test_no_password_of_an_address_is_repeated(mirror: tuple[Path, str]) -> None:
    place = mirror[1].removeprefix("http://")
    publish(mirror[0], "eil51", b"hello")
    for address, why in (
        (f"http://ant:secret@{place}", "not a TSPLIB instance"),
        (f"http://ant:secret@{place}/none?token=secret", "404 .* for url: http://…@127"),
        (f"http://ant:secret@{place}?token=secret", "not a TSPLIB instance"),
        ("http://ant:secret@127.0.0.1:9?token=secret#secret", "no connection to it"),
        ("http://ant:se/secret@127.0.0.1:9", "Failed to parse|Port could not|cannot be"),
        ("ftp://ant:secret@127.0.0.1:9", "No connection adapters"),
        ("http://ant:secret@[127.0.0.1", "cannot be downloaded"),
    ):
        with pytest.raises(DownloadError, match=why) as refused:
            download("eil51", address)
        assert "secret" not in str(refused.value)
        assert "eil51.tsp.gz" in str(refused.value)


def test_without_its_proxy_one_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")
    with pytest.raises(DownloadError, match=r"\(no connection to this computer's proxy\);"):
        download("eil51")


def test_a_server_that_speaks_no_tls_is_no_safe_connection(mirror: tuple[Path, str]) -> None:
    with pytest.raises(DownloadError, match=r"\(no encrypted connection to it: [a-z, ]+\);"):
        download("eil51", mirror[1].replace("http", "https"))


def test_names_and_paths_are_found(tmp_path: Path) -> None:
    first = bundled()[0]
    assert library.find_path(first.name) == first.path
    assert library.find_path(str(first.path)) == first.path
    with pytest.raises(InstanceError, match="nowhere: there is no such file"):
        library.find_path("nowhere")


def test_a_link_to_nothing_is_told_from_a_name_that_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "x.tsp"
    path.symlink_to("gone.tsp")
    with pytest.raises(InstanceError, match=r"it is a link to gone\.tsp, which is not there"):
        library.find_instance(str(path))


def test_a_recorded_instance_is_found_again(tmp_path: Path) -> None:
    first = bundled()[0]
    digest = load(first.path).sha256
    session = tmp_path / "moved" / "session.json"
    session.parent.mkdir()
    # Installed elsewhere: found by name.
    gone = InstanceReference("/nowhere/x.tsp", first.name, digest)
    assert library.find_again(gone).sha256 == digest
    # Moved with the session: found beside it.
    (session.parent / "x.tsp").write_bytes(first.path.read_bytes())
    renamed = InstanceReference("/nowhere/x.tsp", "another name", digest)
    assert library.find_again(renamed, beside=session).path == session.parent / "x.tsp"
    with pytest.raises(InstanceError, match="put the file beside"):
        library.find_again(renamed)
    # Changed: not taken for the same.
    (session.parent / "x.tsp").write_bytes(first.path.read_bytes() + b"\n")
    with pytest.raises(InstanceError, match="has changed"):
        library.find_again(renamed, beside=session)


def test_a_graph_is_fetched_and_a_changed_one_refused(mirror: tuple[Path, str]) -> None:
    folder, address = mirror
    n, edges, _ = mycielski(6)
    lines = [f"e {v + 1} {u + 1}" for u, v in edges[::-1]]  # another order, and other ends first
    good = "\n".join(["c by a mirror", f"p col {n} {len(lines)}", *lines, ""])
    published = folder / "myciel5.col"
    published.write_text(good.replace(lines[7], lines[8]))
    with pytest.raises(DownloadError, match="not those of DIMACS's myciel5"):
        download("myciel5", address)
    published.write_text("hello")
    with pytest.raises(DownloadError, match="not a DIMACS instance; nothing was kept"):
        download("myciel5", address)
    published.write_text(good)
    with pytest.raises(DownloadError, match="cancelled; nothing was kept"):
        download("myciel5", address, cancelled=lambda: True)
    assert downloads.downloaded() == ()
    shares: list[float | None] = []
    kept = download("myciel5", address, shares.append)
    assert shares == [1.0]
    assert downloads.downloaded() == (kept,) == (downloads.folder() / "myciel5.col",)
    assert "mirror" not in kept.read_text()
    found = library.find_instance("myciel5")
    assert (found.name, found.n, found.optimum) == ("myciel5", 47, 6)
    published.unlink()
    assert download("myciel5", address) == kept  # it is here already
    kept.write_text(kept.read_text().replace(lines[7], lines[8]))
    with pytest.raises(DownloadError, match="404"):
        download("myciel5", address)
    published.write_text(good)
    assert "mirror" not in download("myciel5", address).read_text()
    assert library.find_instance("myciel5").sha256 == found.sha256


RING = next(one.path for one in bundled() if one.name == "ring-50")
TOUR = RING.with_suffix(".opt.tour").read_text()


def tour_file(folder: Path, name: str, said: str) -> Path:
    path = folder / name
    text = "\n".join(line for line in TOUR.splitlines() if not line.startswith("NAME"))
    path.write_text(f"NAME : {said}\n{text}\n" if said else f"{text}\n")
    return path


def test_it_is_found_on_the_screen_beside_the_file_or_by_its_size(tmp_path: Path) -> None:
    shown = load_instance(RING)
    odd = tour_file(tmp_path, "odd.tour", "./TSPLIB/town.tsp.optbc.tour")
    found = load_any(odd, shown)  # nothing has its name, but the size fits
    assert found.instance is shown
    assert isinstance(found, OpenedFile)
    assert found.tour.length == shown.optimum
    with pytest.raises(InstanceError, match=r"of 50 cities, of which instance is not known: open"):
        load_any(odd)
    (tmp_path / "town.tsp.gz").write_bytes(gzip.compress(RING.read_bytes()))
    assert load_any(odd, shown).instance.path == tmp_path / "town.tsp.gz"
    by_name = tour_file(tmp_path, "ring-50.opt.tour", "")
    assert load_any(by_name, shown).instance is shown
    assert load_any(by_name).instance.path == RING  # one of the bundled
    shutil.copy(RING, tmp_path)
    assert load_any(by_name).instance.path == tmp_path / "ring-50.tsp"


def test_a_tour_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    shown = load_instance(RING)
    path = tour_file(tmp_path, "ring-50.tour", "ring-50.tour")
    text = path.read_text()
    for old, new, said in (
        ("\n7\n", "\n8\n", "visits city 8 more than once"),
        ("\n7\n", "\nseven\n", "no line of a TSPLIB file|other than city numbers"),
        ("TYPE: TOUR", "TYPE: TSP", "its TYPE is 'TSP', not TOUR"),
    ):
        assert old in text
        path.write_text(text.replace(old, new))
        with pytest.raises(InstanceError, match=said):
            load_any(path, shown)


@pytest.mark.parametrize(
    ("name", "replayed"), [("focused-seq", single_ant), ("crossing-seq", single_cross)]
)
def test_the_code_that_follows_ants_is_used_too(
    monkeypatch: pytest.MonkeyPatch, name: str, replayed: ModuleType
) -> None:
    follow, followed = replayed.follow, []

    def noted(*given: object) -> None:
        followed.append(name)
        follow(*given)

    monkeypatch.setattr(replayed, "follow", noted)
    use_once(catalog.named(name), devices.find("cpu:1"))
    assert followed == [name]


PATHS = {one.name: one.path for one in bundled()}


@pytest.mark.parametrize("name", ["ring-50", "mycielski-47"])
def test_they_are_kept_by_what_is_in_the_file(tmp_path: Path, name: str) -> None:
    instance = load_instance(PATHS[name])
    assert instance.optimum is not None
    keep_best_known(instance, instance.optimum - 1)
    copy = tmp_path / "other"
    copy.write_bytes(PATHS[name].read_bytes())
    found = with_kept(load_instance(copy))
    assert (found.optimum, found.optimum_by_user) == (instance.optimum - 1, True)
    assert found.facts["optimum_by_user"] is True
    assert found.n == instance.n
    if isinstance(found, TspInstance):
        assert found.optimal_tour is None  # it is longer
    copy.write_bytes(PATHS[name].read_bytes() + b"\n")
    assert not with_kept(load_instance(copy)).optimum_by_user
    keep_best_known(instance, 0)
    assert with_kept(instance) is instance


def test_what_cannot_be_kept(tmp_path: Path) -> None:
    instance = load_instance(PATHS["ring-50"])
    for cost in (-1, 2**63):
        with pytest.raises(FormicariumError, match="must be a whole number in"):
            keep_best_known(instance, cost)
    for text in ("{", "[]", '{"x": -1}', f'{{"{instance.sha256}": "many"}}', "[" * 100_000, "\0"):
        best_known_file().parent.mkdir(parents=True, exist_ok=True)
        best_known_file().write_text(text)
        assert with_kept(instance) is instance
    keep_best_known(instance, 7)
    assert with_kept(instance).optimum == 7
    best_known_file().unlink()
    best_known_file().mkdir()
    with pytest.raises(FormicariumError, match="cannot be written"):
        keep_best_known(instance, 7)


def test_on_the_command_line(inside: Command) -> None:
    options = ("solve", "ring-50", "--device", "cpu:1", "--iterations", 1, "--colony", "acs")
    done = inside(*options, "--best-known", 4000, "--json")
    assert done.returncode == 0, done.stderr
    assert '"optimum": 4000' in done.stdout
    assert "above your best known 4000" in inside(*options).stdout
    assert "37.50 % below your best known 8000" in inside(*options, "--best-known", 8000).stdout
    assert "your" not in inside(*options, "--best-known", 0).stdout
    assert "must be a whole number in [1, 2^62]" in inside(*options, "--best-known", -2).stderr
