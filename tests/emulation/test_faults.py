"""The emulation finds what it is there to find: each planted fault stops the kernel."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.emulation import EmulationError, Emulator, emulate, needs_emulation
from tests.emulation.build import build

pytestmark = needs_emulation

SOURCE = Path(__file__).with_name("faults.cu")
NAMES = [
    "correct",
    "writes_past_the_end",
    "reads_before_the_start",
    "leaves_static_shared",
    "leaves_dynamic_shared",
    "leaves_local",
    "overflows",
    "shifts_too_far",
    "misaligned",
    "one_lane_missing",
    "barrier_against_warp",
    "exited_lane",
    "exit_before_barrier",
    "retires",
    "different_kinds",
    "different_masks",
    "not_in_the_mask",
    "no_such_lane",
    "shuffle_from_outside",
    "endless",
    "grid_barrier",
    "some_blocks_at_grid_barrier",
    "trap",
]
NAMES += [f"{name}<{value}>" for name in ("handed_over", "stepwise") for value in ("true", "false")]


def _launch(name: str, *args: Any, timeout: float = 30.0, **options: Any) -> None:
    launch = {"grid": 1, "block": 32, **options}
    with Emulator(SOURCE, NAMES, timeout=timeout) as emulator:
        emulator.launch(name, args=args, **launch)


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("writes_past_the_end", (), "heap-buffer-overflow"),
        ("reads_before_the_start", (np.zeros(32, np.int32),), "heap-buffer-overflow"),
        ("leaves_local", (np.int32(4),), "insufficient space for an object|stack-buffer-overflow"),
        ("overflows", (np.int32(2**31 - 1),), "signed integer overflow"),
        ("trap", (), r"__trap\(\) reached"),
    ],
)
def test_sanitizers_see_the_kernel(name: str, arguments: tuple[Any, ...], message: str) -> None:
    out = np.zeros(32, np.int32)
    given = (*arguments, out) if name.startswith("reads") else (out, *arguments)
    with pytest.raises(EmulationError, match=message) as caught:
        _launch(name, *given)
    assert "faults.cu" in str(caught.value)  # and says where


def test_shifts_too_far() -> None:
    with pytest.raises(EmulationError, match="shift exponent 32 is too large"):
        _launch("shifts_too_far", np.zeros(32, np.uint32), np.int32(32))


def test_misaligned_vector_loads() -> None:
    with pytest.raises(EmulationError, match="misaligned address"):
        _launch("misaligned", np.zeros(64, np.float32), np.zeros(32, np.float32))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("leaves_static_shared", "index 32 out of bounds|global-buffer-overflow"),
        ("leaves_dynamic_shared", "heap-buffer-overflow"),
    ],
)
def test_shared_memory_has_bounds(name: str, message: str) -> None:
    out = np.zeros(32, np.int32)
    _launch(name, out, np.int32(0), shared=128)
    assert (out == 1).all()
    with pytest.raises(EmulationError, match=message):
        _launch(name, out, np.int32(1), shared=128)


@pytest.mark.parametrize(
    ("name", "block", "message"),
    [
        ("one_lane_missing", 32, "deadlock"),
        ("barrier_against_warp", 32, "deadlock"),
        ("exited_lane", 32, "lane 31.* exit|lane 31, which exited"),
        ("exit_before_barrier", 64, "a thread exits while|after 1 threads of the block"),
        ("different_kinds", 32, "arrives at __(ballot|shfl)_sync while lanes?.*the same mask"),
        ("different_masks", 32, "calls __any_sync with mask .* wait for it"),
        ("not_in_the_mask", 32, r"lane \d+ calls __any_sync .* does not name it"),
        ("no_such_lane", 24, "names lanes 24-31, which the block does not have"),
        ("shuffle_from_outside", 32, "shuffles from lane 20, which mask 0x0000ffff does not name"),
    ],
)
@pytest.mark.parametrize("seed", range(2))
def test_lanes_that_do_not_meet(name: str, block: int, message: str, seed: int) -> None:
    with pytest.raises(EmulationError, match=message):
        _launch(name, np.zeros(64, np.int32), block=block, seed=seed)


@pytest.mark.parametrize("seed", range(4))
def test_threads_that_retire_are_waited_for_no_more(seed: int) -> None:
    out = np.zeros(32, np.int32)
    _launch("retires", out, np.int32(0), block=96, seed=seed)
    assert out.tolist() == list(range(32, 0, -1))
    with pytest.raises(EmulationError, match="__syncthreads by a thread that has retired"):
        _launch("retires", out, np.int32(1), block=96, seed=seed)


def test_a_deadlock_says_who_waits_where() -> None:
    with pytest.raises(EmulationError) as caught:
        _launch("one_lane_missing", np.zeros(32, np.int32))
    line = SOURCE.read_text().splitlines().index("    if (threadIdx.x != 3) __syncwarp();") + 1
    assert f"threads 0-2,4-31: waits at __syncwarp mask 0xffffffff (faults.cu:{line})" in str(
        caught.value
    )
    assert "threads 3: waits at __syncthreads_count" in str(caught.value)


def test_an_endless_loop_is_ended() -> None:
    with pytest.raises(EmulationError, match=r"still ran after 0\.5 s"):
        _launch("endless", np.zeros(1, np.int32), timeout=0.5)


def test_a_grid_barrier_needs_all_blocks() -> None:
    out = np.zeros(4, np.int32)
    _launch("grid_barrier", out, grid=4, cooperative=True)
    assert (out == 1).all()
    with pytest.raises(EmulationError, match="needs a cooperative launch"):
        _launch("grid_barrier", out, grid=4)
    with pytest.raises(EmulationError, match=r"grid barrier after|wait for it at the grid barrier"):
        _launch("some_blocks_at_grid_barrier", out, grid=4, cooperative=True)


def test_launches_beyond_the_device_are_refused() -> None:
    out = np.zeros(2048, np.int32)
    _launch("correct", out, block=1024)
    with pytest.raises(EmulationError, match="a block of 1025 threads"):
        _launch("correct", out, block=1025)
    with pytest.raises(EmulationError, match="bytes of dynamic shared memory"):
        _launch("correct", out, shared=240_000)


def test_a_missing_syncwarp_shows() -> None:
    results = {True: 0, False: 0}
    with Emulator(SOURCE, NAMES) as emulator:
        for synchronized in results:
            name = f"handed_over<{str(synchronized).lower()}>"
            for _ in range(20):
                out = np.zeros(32, np.int32)
                emulator.launch(name, grid=1, block=32, args=[out])
                results[synchronized] += int((out != 42).any())
    assert results[True] == 0
    assert results[False] >= 15


def test_a_missing_syncwarp_in_a_loop_shows() -> None:
    wrong = {True: 0, False: 0}
    with Emulator(SOURCE, NAMES) as emulator:
        for synchronized in wrong:
            out = np.zeros(32, np.uint32)
            name = f"stepwise<{str(synchronized).lower()}>"
            emulator.launch(name, grid=1, block=32, args=[out, np.int32(32)])
            wrong[synchronized] = int((out != 0xFFFFFFFF).sum())
    assert wrong[True] == 0
    assert wrong[False] > 20


def test_the_set_of_active_lanes_must_not_be_asked_for() -> None:
    with pytest.raises(EmulationError, match="does not say which lanes converge"):
        build(SOURCE, ["asks_for_active_lanes<unsigned>"])


def test_a_kernel_that_does_not_compile_gives_the_compiler_s_message() -> None:
    with pytest.raises(EmulationError, match=r"absent.* was not declared"):
        emulate(SOURCE, "absent", grid=1, block=1, args=[])


def test_after_a_fault_the_process_is_gone_and_says_so() -> None:
    with Emulator(SOURCE, NAMES) as emulator:
        with pytest.raises(EmulationError):
            emulator.launch("trap", grid=1, block=32, args=[np.zeros(32, np.int32)])
        with pytest.raises(EmulationError, match="__trap"):
            emulator.launch("correct", grid=1, block=32, args=[np.zeros(32, np.int32)])
