"""Which instance a tour is of, and what is compiled as the window opens."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path
from types import ModuleType

import pytest

from app.files.library import best_known_file, keep_best_known, with_kept
from app.files.loading import load_any, use_once
from gpu import catalog
from gpu.core.errors import FormicariumError, InstanceError
from gpu.core.machine import devices
from gpu.crossing.cpu import crossing as single_cross
from gpu.focused.cpu import ants as single_ant
from gpu.problems.bundled import bundled
from gpu.problems.loading import load_instance
from gpu.problems.tsp.instance import TspInstance
from tests.app.conftest import Command

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
