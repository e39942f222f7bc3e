"""Instances and tours that gzip has packed: they are what they are unpacked, and never more."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from gpu.core.errors import InstanceError
from gpu.core.files import LARGEST_FILE, unpacked
from gpu.problems.bundled import bundled
from gpu.problems.loading import load_instance
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.tours import edges_in_common, load_tour

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
    tour = load_tour(tmp_path / "ring-50.opt.tour.gz", instance)
    assert instance.tour_length(tour) == instance.optimum


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (gzip.compress(TEXT)[:-30], "cut off"),
        (gzip.compress(TEXT)[:12], "cut off"),
        (b"\x1f\x8b", "cut off"),
        (b"\x1f\x8bnothing of the kind", "not a gzip file, or a damaged one"),
        (gzip.compress(TEXT)[:60] + b"\xff" * 60 + gzip.compress(TEXT)[120:], "damaged one"),
        (gzip.compress(TEXT)[:-8] + bytes(8), "damaged one"),  # another checksum
        (gzip.compress(TEXT) + b"more", "damaged one"),
        (gzip.compress(b""), "nothing in it"),
        (gzip.compress(gzip.compress(TEXT)), "binary file"),
    ],
    ids=lambda value: value if isinstance(value, str) else "data",  # its bytes have the time
)
def test_hostile_packed_files(tmp_path: Path, data: bytes, said: str) -> None:
    path = tmp_path / "x.tsp.gz"
    path.write_bytes(data)
    with pytest.raises(InstanceError, match=said) as refused:
        load_instance(path)
    assert str(refused.value).startswith(f"{path}: ")
    assert "\n" not in str(refused.value)


def test_a_small_file_does_not_unpack_to_an_enormous_one(tmp_path: Path) -> None:
    path = tmp_path / "bomb.tsp.gz"
    path.write_bytes(gzip.compress(bytes(LARGEST_FILE + 1), 1))
    assert path.stat().st_size < 1 << 20
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
