"""The stand-in for CUDA gives what CUDA gives, against NumPy."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tests.emulation import EmulationError, Emulator, needs_emulation
from tests.emulation.build import build

pytestmark = needs_emulation
Array = npt.NDArray[Any]

SOURCE = Path(__file__).with_name("intrinsics.cu")
SHUFFLED: dict[str, type[np.number[Any]]] = {
    "int": np.int32,
    "unsigned": np.uint32,
    "float": np.float32,
    "long long": np.int64,
    "unsigned long long": np.uint64,
    "double": np.float64,
}
PLAIN = [
    "dimensions",
    "votes",
    "half_warps",
    "bit_reductions",
    "barriers",
    "integers",
    "floats",
    "flushed",
    "hinted_copies",
    "wrapping",
    "float_atomics",
    "contended_swaps",
    "grid_rounds",
    "no_grid_barrier",
    "spinning",
    "arguments",
]
LANES = np.arange(32)


@pytest.fixture(scope="module")
def emulator() -> Iterator[Emulator]:
    names = [
        *PLAIN,
        *(f"shuffles<{name}>" for name in SHUFFLED),
        *(f"reductions<{name}>" for name in ("int", "unsigned")),
        *(f"atomics<{name}>" for name in ("int", "unsigned", "unsigned long long")),
        "fresh_shared<64>",
        "shared_forms<int, 3>",
    ]
    with Emulator(SOURCE, names) as emulator:
        yield emulator


def _random(dtype: type[np.number[Any]], size: int = 32) -> Array:
    random = np.random.default_rng(7)
    if np.issubdtype(dtype, np.floating):
        return random.normal(size=size).astype(dtype)
    return np.frombuffer(random.bytes(size * np.dtype(dtype).itemsize), dtype).copy()


def test_three_dimensional_indices(emulator: Emulator) -> None:
    out = np.zeros(24 * 12, np.uint32)
    emulator.launch("dimensions", grid=(2, 3, 4), block=(3, 2, 2), args=[out])
    assert (out.reshape(24, 12) == np.arange(24)[:, None] * 1000 + np.arange(12)).all()


@pytest.mark.parametrize("name", SHUFFLED)
@pytest.mark.parametrize(("argument", "width"), [(0, 32), (5, 32), (31, 32), (3, 8), (1, 16)])
def test_shuffles(emulator: Emulator, name: str, argument: int, width: int) -> None:
    given = _random(SHUFFLED[name])
    out = np.zeros((4, 32), given.dtype)
    emulator.launch(
        f"shuffles<{name}>",
        grid=1,
        block=32,
        args=[given, out, np.int32(argument), np.int32(width)],
    )
    first = LANES // width * width
    last = first + width - 1
    up, down, across = LANES - argument, LANES + argument, LANES ^ argument
    assert (out[0] == given[first + argument % width]).all()
    assert (out[1] == given[np.where(up >= first, up, LANES)]).all()
    assert (out[2] == given[np.where(down <= last, down, LANES)]).all()
    assert (out[3] == given[np.where(across <= last, across, LANES)]).all()


@pytest.mark.parametrize("values", [LANES % 5, np.full(32, 9), np.zeros(32)])
def test_votes_and_matches(emulator: Emulator, values: Array) -> None:
    given = values.astype(np.int32)
    out = np.zeros((6, 32), np.uint32)
    emulator.launch("votes", grid=1, block=32, args=[given, out])
    bits = np.uint64(1) << LANES.astype(np.uint64)
    assert (out[0] == bits[given > 2].sum()).all()
    assert (out[1] == (given > 2).any()).all()
    assert (out[2] == (given > 2).all()).all()
    assert (out[3] == [bits[given == value].sum() for value in given]).all()
    same = (given == given[0]).all()
    assert (out[4] == (0xFFFFFFFF if same else 0)).all()
    assert (out[5] == same).all()


def test_parts_of_a_warp_meet_apart(emulator: Emulator) -> None:
    given, out = _random(np.int32) // 64, np.zeros(32, np.int32)
    emulator.launch("half_warps", grid=1, block=32, args=[given, out])
    assert (out[:16] == given[:16].sum()).all()
    assert (out[16:] == given[16:].max()).all()


@pytest.mark.parametrize("name", ["int", "unsigned"])
def test_reductions(emulator: Emulator, name: str) -> None:
    given, out = _random(SHUFFLED[name]), np.zeros(3, SHUFFLED[name])
    emulator.launch(f"reductions<{name}>", grid=1, block=32, args=[given, out])
    assert out.tolist() == [given.max(), given.min(), given.sum(dtype=given.dtype)]


def test_bit_reductions(emulator: Emulator) -> None:
    given, out = _random(np.uint32), np.zeros(3, np.uint32)
    given |= np.uint32(0x00010010)
    emulator.launch("bit_reductions", grid=1, block=32, args=[given, out])
    expected = [f.reduce(given) for f in (np.bitwise_and, np.bitwise_or, np.bitwise_xor)]
    assert out.tolist() == expected


def test_what_newer_devices_have_is_absent_on_older() -> None:
    with pytest.raises(EmulationError, match=r"__reduce_and_sync.* was not declared"):
        build(SOURCE, ["bit_reductions"], arch=75)


def test_block_barriers_that_count(emulator: Emulator) -> None:
    given, out = (np.arange(96) % 3 - 1).astype(np.int32), np.zeros((3, 96), np.int32)
    emulator.launch("barriers", grid=1, block=96, args=[given, out])
    assert (out[0] == (given > 0).sum()).all()
    assert (out[1] == 0).all()
    assert (out[2] == 0).all()
    given[:] = 2
    emulator.launch("barriers", grid=1, block=96, args=[given, out])
    assert (out == [[96], [1], [1]]).all()


def test_integer_intrinsics(emulator: Emulator) -> None:
    given = np.concatenate([[0, 1, 0xFFFFFFFF, 0x80000000, 999, 1001], _random(np.uint32, 58)])
    given = given.astype(np.uint32)
    out = np.zeros((64, 16), np.uint32)
    emulator.launch("integers", grid=1, block=64, args=[given, out])
    for x, row in zip(given.tolist(), out.tolist(), strict=True):
        wide, inverse = x << 20 | 5, x ^ 0xFFFFFFFF
        both = inverse << 32 | x
        bytes_ = both.to_bytes(8, "little")
        set_bits = [bit for bit in range(32) if x >> bit & 1]
        assert row == [
            x.bit_count(),
            (x & -x).bit_length(),
            32 - x.bit_length(),
            int(f"{x:032b}"[::-1], 2),
            x * 0xD2511F53 >> 32,
            wide.bit_count(),
            (wide & -wide).bit_length() + 7,
            64 - wide.bit_length(),
            ((wide << 11) * (wide << 12) >> 64) & 0xFFFFFFFF,
            (both << 9 >> 32) & 0xFFFFFFFF,
            (both >> 9) & 0xFFFFFFFF,
            min(x, 1000),
            max(x, 1000),
            int.from_bytes(bytes([bytes_[0], bytes_[4], bytes_[1], bytes_[5]]), "little"),
            (int(f"{wide:064b}"[::-1], 2) >> 13) & 0xFFFFFFFF,
            set_bits[2] if len(set_bits) > 2 else 0xFFFFFFFF,
        ]


def test_float_intrinsics_round_to_nearest_and_do_not_contract(emulator: Emulator) -> None:
    x = _random(np.float32, 256) * np.float32(2)
    out = np.zeros((256, 12), np.float32)
    emulator.launch("floats", grid=1, block=256, args=[x, out, np.int32(256)])
    y = x[::-1]
    fused = (x.astype(np.float64) * y + 1).astype(np.float32)
    expected = np.stack(
        [
            x + y,
            x - y,
            x * y,
            x / y,
            np.sqrt(np.abs(x)),
            fused,
            x * y + np.float32(1),
            np.minimum(x, y),
            np.maximum(x, y),
            (x.view(np.uint32) ^ 1).view(np.float32),
            np.rint(x),
            (1 / np.sqrt(np.abs(x).astype(np.float64))).astype(np.float32),
        ],
        axis=1,
    )
    assert (out == expected).all()
    assert (fused != x * y + np.float32(1)).any()  # else nothing was told apart


def test_subnormals_are_flushed_as_cupy_compiles(emulator: Emulator) -> None:
    tiny = np.finfo(np.float32).tiny
    given = np.array([tiny, 4 * tiny, tiny / np.float32(2)], np.float32)
    out = np.full(3, -1, np.float32)
    emulator.launch("flushed", grid=1, block=3, args=[given, out])
    assert out.tolist() == [0.0, 2 * tiny, 0.0]


def test_loads_and_stores_with_cache_hints(emulator: Emulator) -> None:
    given = _random(np.uint32, 128).reshape(32, 4)
    out, pairs = np.zeros_like(given), np.zeros((32, 2), np.float32)
    emulator.launch("hinted_copies", grid=1, block=32, args=[given, out, pairs])
    assert (out == given + np.array([0, 1, 0, 0], np.uint32)).all()
    assert (pairs == given[:, [0, 3]].astype(np.float32)).all()


@pytest.mark.parametrize("name", ["int", "unsigned", "unsigned long long"])
def test_atomics(emulator: Emulator, name: str) -> None:
    dtype = SHUFFLED[name]
    cells, old = np.array([5, 9, 9, 500, 7, 0, 255, 0], dtype), np.zeros(64, dtype)
    emulator.launch(f"atomics<{name}>", grid=1, block=64, args=[cells, old])
    assert sorted(old) == list(range(5, 69))
    assert cells[:3].tolist() == [69, 0, 63]
    assert 0 <= cells[3] < 64
    assert 100 <= cells[4] < 164
    assert cells[5:].tolist() == [63, 192, np.bitwise_xor.reduce(np.arange(64))]


def test_wrapping_atomics(emulator: Emulator) -> None:
    cells = np.array([0, 0, 6], np.uint32)
    emulator.launch("wrapping", grid=1, block=12, args=[cells])
    assert cells.tolist() == [2, 8, 2**32 - 18]


def test_float_atomics(emulator: Emulator) -> None:
    total, swapped = np.zeros(1, np.float32), np.zeros(1, np.float32)
    emulator.launch("float_atomics", grid=4, block=96, args=[total, swapped.view(np.int32)])
    assert (total[0], swapped[0]) == (96, 384)


def test_other_threads_come_between_a_read_and_its_swap(emulator: Emulator) -> None:
    cell, retries = np.zeros(1, np.int32), np.zeros(1, np.int32)
    emulator.launch("contended_swaps", grid=1, block=128, args=[cell, retries])
    assert cell[0] == 128
    assert retries[0] > 10


def test_every_block_gets_fresh_noise_as_shared_memory(emulator: Emulator) -> None:
    out = np.zeros((20, 2), np.uint32)
    emulator.launch("fresh_shared<64>", grid=20, block=64, shared=256, args=[out])
    assert len(np.unique(out)) == out.size
    assert not np.isin(out, [0, 42, 0xFFFFFFFF]).any()


def test_forms_of_shared_declarations(emulator: Emulator) -> None:
    out, sizes, thread = np.zeros(40, np.int32), np.zeros(3, np.uint64), np.arange(40)
    emulator.launch("shared_forms<int, 3>", grid=1, block=40, args=[out, sizes])
    assert (out == thread % 3 * 6 + thread % 6 + 111000).all()
    assert sizes.tolist() == [72, 24, 0]


@pytest.mark.parametrize("seed", range(5))
def test_grid_barrier(emulator: Emulator, seed: int) -> None:
    cells, sums = np.full(6, -1, np.int32), np.zeros((4, 6), np.int32)
    emulator.launch(
        "grid_rounds",
        grid=6,
        block=40,
        shared=16,
        cooperative=True,
        seed=seed,
        args=[cells, sums, np.int32(4)],
    )
    assert (sums == 15 + 60 * np.arange(4)[:, None]).all()


def test_without_a_grid_barrier_blocks_see_less(emulator: Emulator) -> None:
    for cooperative in (False, True):
        cells, sums = np.zeros(6, np.int32), np.zeros(6, np.int32)
        emulator.launch(
            "no_grid_barrier", grid=6, block=1, cooperative=cooperative, args=[cells, sums]
        )
        assert sorted(sums) == [1, 2, 3, 4, 5, 6]


def test_blocks_that_spin_go_on_at_nanosleep(emulator: Emulator) -> None:
    arrived, out = np.zeros(1, np.uint32), np.zeros(5, np.uint32)
    emulator.launch("spinning", grid=5, block=1, cooperative=True, args=[arrived, out])
    assert (out == 5).all()


def test_order_follows_the_seed(emulator: Emulator) -> None:
    def run(seed: int) -> list[int]:
        cells, sums = np.zeros(9, np.int32), np.zeros(9, np.int32)
        emulator.launch("no_grid_barrier", grid=9, block=1, seed=seed, args=[cells, sums])
        return [int(value) for value in sums]

    assert run(1) == run(1) != run(2)


def test_arguments_of_every_kind(emulator: Emulator) -> None:
    mixed = np.zeros((), [("factor", np.float32), ("offset", np.int32)])
    mixed["factor"], mixed["offset"] = 1.5, 4
    out = np.zeros(1, np.int32)
    arguments = [
        np.array([1], np.int32),
        out,
        np.uint8(2),
        30,
        np.float32(0.5),
        0.5,
        True,
        mixed,
        None,
    ]
    emulator.launch("arguments", grid=1, block=1, args=arguments)
    assert out[0] == 1 + 2 + 30 + 1 + 1 + 6


def test_arguments_that_do_not_fit_are_refused(emulator: Emulator) -> None:
    good, other = np.zeros(32, np.int32), np.zeros(192, np.uint32)

    def launch(*args: Any) -> None:
        emulator.launch("votes", grid=1, block=32, args=args)

    launch(good, other)
    with pytest.raises(TypeError, match="argument 0 of votes is a pointer to int32, but int64"):
        launch(good.astype(np.int64), other)
    with pytest.raises(TypeError, match="takes 2 arguments, 1 given"):
        launch(good)
    with pytest.raises(ValueError, match="not C-contiguous"):
        launch(np.zeros((32, 2), np.int32)[:, 0], other)
    with pytest.raises(ValueError, match="overlaps"):
        launch(other[:64].view(np.int32), other)
    locked = other.copy()
    locked.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        launch(good, locked)
    with pytest.raises(TypeError, match="argument 2 of grid_rounds is int32, but int64"):
        emulator.launch("grid_rounds", grid=1, block=1, args=[good, good.copy(), 1])
