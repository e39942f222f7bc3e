"""How many cores and how much memory there are for the program."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from gpu.core.machine import devices, processors
from gpu.core.machine.processors import quota, usable_cores


def system(root: Path, cgroup: str, files: dict[str, str]) -> Path:
    """Write what Linux would have under /proc and /sys."""
    (root / "proc/self").mkdir(parents=True)
    (root / "proc/self/cgroup").write_text(cgroup)
    for name, text in files.items():
        path = root / "sys/fs/cgroup" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


V1 = "12:cpuset:/box\n4:cpu,cpuacct:/box\n1:name=systemd:/box\n"


@pytest.mark.parametrize(
    ("cgroup", "files", "cores"),
    [
        ("0::/user/shell\n", {"user/shell/cpu.max": "max 100000\n"}, math.inf),
        ("0::/user/shell\n", {"user/shell/cpu.max": "250000 100000\n"}, 2.5),
        ("0::/a/b\n", {"a/b/cpu.max": "400000 100000", "a/cpu.max": "100000 100000"}, 1.0),
        ("0::/\n", {"cpu.max": "50000 100000"}, 0.5),
        # In a container the group's own path may be one outside it.
        ("0::/../../pod\n", {"cpu.max": "300000 100000"}, 3.0),
        ("0::/host/only\n", {"cpu.max": "300000 100000"}, 3.0),
        (V1, {"cpu,cpuacct/box/cpu.cfs_quota_us": "200000",
              "cpu,cpuacct/box/cpu.cfs_period_us": "100000"}, 2.0),
        (V1, {"cpu/cpu.cfs_quota_us": "150000", "cpu/cpu.cfs_period_us": "100000"}, 1.5),
        (V1, {"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, math.inf),
        (V1, {"cpuset/box/cpu.cfs_quota_us": "1", "cpuset/box/cpu.cfs_period_us": "1"}, math.inf),
        ("", {}, math.inf),
        ("0::/a\n", {"a/cpu.max": "nonsense"}, math.inf),
        ("0::/a\n", {"a/cpu.max": "1 0"}, math.inf),
    ],
)  # fmt: skip
def test_the_least_quota_holds(
    tmp_path: Path, cgroup: str, files: dict[str, str], cores: float
) -> None:
    assert quota(system(tmp_path, cgroup, files)) == cores


def test_where_there_are_no_control_groups_there_is_no_quota(tmp_path: Path) -> None:
    assert quota(tmp_path) == math.inf


@pytest.mark.parametrize(
    ("granted", "quota_", "cores"),
    [(8, math.inf, 8), (8, 2.5, 2), (8, 0.5, 1), (2, 4.0, 2), (1, math.inf, 1)],
)
def test_cores_are_those_granted_and_within_the_quota(
    monkeypatch: pytest.MonkeyPatch, granted: int, quota_: float, cores: int
) -> None:
    monkeypatch.setattr(processors, "_granted", lambda: granted)
    monkeypatch.setattr(processors, "quota", lambda: quota_)
    assert usable_cores() == cores
    assert devices.find("cpu").cores == cores
    assert devices.find("cpu:1").cores == 1


@pytest.mark.skipif(not hasattr(psutil.Process, "cpu_affinity"), reason="macOS pins no processes")
def test_affinity_counts() -> None:
    this = psutil.Process()
    allowed = this.cpu_affinity()
    try:
        this.cpu_affinity([min(allowed)])
        assert usable_cores() == 1
    finally:
        this.cpu_affinity(allowed)


def test_this_machine_says_how_much_is_free() -> None:
    free = processors.free_memory()
    assert 2**20 < free < 2**50


def test_a_container_s_limit_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=2**40))
    monkeypatch.setattr(processors, "_left_in_group", lambda: 2**20)
    assert processors.free_memory() == 2**20


def test_cached_files_of_a_container_are_free(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(processors, "CONTROL_GROUP", tmp_path)
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=2**40))
    (tmp_path / "memory.max").write_text("1000\n")
    (tmp_path / "memory.current").write_text("900\n")
    (tmp_path / "memory.stat").write_text("anon 100\ninactive_file 700\n")
    assert processors.free_memory() == 800
    (tmp_path / "memory.max").write_text("max\n")
    assert processors.free_memory() == 2**40
