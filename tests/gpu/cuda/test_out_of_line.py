"""Functions out of line end where their lanes meet; what happens on a GPU where they do not."""

from __future__ import annotations

import numpy as np
import pytest

from gpu.core.machine import devices
from gpu.cuda import loader
from gpu.cuda.cities import DeviceCities
from gpu.cuda.colony import machine_of
from gpu.cuda.machine import Buffer, Machine
from gpu.problems.tsp.instance import TspInstance
from tests.emulation import needs_emulation
from tests.gpu.cpu import makers
from tests.gpu.cuda.emulated import EmulatedMachine
from tests.gpu.cuda.out_of_line import OUT_OF_LINE, SHAPES, left_apart
from tests.gpu.local_search.test_cpu import random_tours


@pytest.mark.parametrize("file", sorted(loader.sources()))
def test_lanes_meet_before_a_function_out_of_line_ends(file: str) -> None:
    assert left_apart(loader.source_text(file)) == []


def test_the_shape_is_found() -> None:
    assert left_apart(loader.source_text(OUT_OF_LINE.file)) == ["own_part"]


LOOP = "for (int i = lane; i < n; i += 32) sum += row[i];"


@pytest.mark.parametrize(
    ("body", "apart"),
    [
        (f"{LOOP} return sum;", True),
        (f"{LOOP} return warp_sum(sum);", False),
        (f"warp_sum(sum); {LOOP} return sum;", True),
        (f"\n#pragma unroll\n{LOOP} return sum;", False),
        (f"\n#pragma unroll 4\n{LOOP} return sum;", True),
        ("while (__any_sync(ALL_LANES, sum)) { sum /= 2; } return sum;", False),
        ("while (sum) { __syncwarp(); sum /= 2; } return sum;", False),
        ("do { sum /= 2; } while (sum); return sum;", True),
        (f"if (sum) {{ {LOOP} }} // __syncwarp();\n return sum;", True),
        ("return looped(row, sum);", True),
        ("return warp_sum(looped(row, sum));", False),
        ("return sum;", False),
    ],
)
def test_what_counts_as_the_shape(body: str, apart: bool) -> None:
    text = f"""
    INLINE int warp_sum(int value) {{ return __reduce_add_sync(0xffffffff, value); }}
    INLINE int looped(const int* row, int sum) {{ for (; sum;) sum -= row[sum]; return sum; }}
    struct Rows {{
        const int* row;
        SELDOM int __attribute__((pure)) total(int n, int lane, int sum) {{ {body} }}
        INLINE int also(int n, int lane, int sum) {{ {body} }}
    }};
    """
    assert left_apart(text) == (["total"] if apart else [])


def assert_right(machine: Machine, shape: str, cities: TspInstance, ants: int) -> None:
    tours, problem = random_tours(cities.n, ants, 1), DeviceCities.of(cities, 5, 1.0)
    arrays = machine.allocate(
        [
            *(Buffer.of(name, values) for name, values in problem.values.items()),
            Buffer.of("tours", tours),
            Buffer("lengths", (ants,), np.uint64),
        ]
    )
    geometry = problem.geometry(arrays)
    kernel = f"measure_by<{shape}>"
    machine.run([OUT_OF_LINE.launch(kernel, 3, 256, arrays, geometry=geometry, ants=ants)])
    measured = machine.download(arrays["lengths"]).tolist()
    machine.close()
    assert measured == [cities.tour_length(tour) for tour in tours]


@needs_emulation
@pytest.mark.parametrize("shape", SHAPES)
def test_lengths_on_the_emulation(shape: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(loader.sources(), OUT_OF_LINE.file, OUT_OF_LINE)
    assert_right(EmulatedMachine(), shape, makers.uniform(70), 30)


@pytest.mark.cuda
@pytest.mark.parametrize("n", [33, 70, 1000, 2048])
@pytest.mark.parametrize(
    "shape",
    [
        SHAPES[0],
        pytest.param(
            SHAPES[1],
            marks=pytest.mark.xfail(
                strict=False, raises=AssertionError, reason="such sums were wrong on sm_90"
            ),
        ),
    ],
)
def test_lengths_on_a_gpu(shape: str, n: int) -> None:
    machine = machine_of(devices.find("cuda"))
    assert_right(machine, shape, makers.uniform(n), 2000)
