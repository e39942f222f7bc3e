"""Best-known costs that the user has given."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.files.best_known import keep, place, with_kept
from gpu.core.errors import FormicariumError
from gpu.problems.bundled import bundled
from gpu.problems.loading import load_instance
from gpu.problems.tsp.instance import TspInstance
from tests.app.conftest import Command

PATHS = {one.name: one.path for one in bundled()}


@pytest.mark.parametrize("name", ["ring-50", "mycielski-47"])
def test_they_are_kept_by_what_is_in_the_file(tmp_path: Path, name: str) -> None:
    instance = load_instance(PATHS[name])
    assert instance.optimum is not None
    keep(instance, instance.optimum - 1)
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
    keep(instance, 0)
    assert with_kept(instance) is instance


def test_what_cannot_be_kept(tmp_path: Path) -> None:
    instance = load_instance(PATHS["ring-50"])
    for cost in (-1, 2**63):
        with pytest.raises(FormicariumError, match="must be a whole number in"):
            keep(instance, cost)
    for text in ("{", "[]", '{"x": -1}', f'{{"{instance.sha256}": "many"}}', "[" * 100_000, "\0"):
        place().parent.mkdir(parents=True, exist_ok=True)
        place().write_text(text)
        assert with_kept(instance) is instance
    keep(instance, 7)
    assert with_kept(instance).optimum == 7
    place().unlink()
    place().mkdir()
    with pytest.raises(FormicariumError, match="cannot be written"):
        keep(instance, 7)


def test_on_the_command_line(inside: Command) -> None:
    options = ("solve", "ring-50", "--device", "cpu:1", "--iterations", 1, "--colony", "acs")
    done = inside(*options, "--best-known", 4000, "--json")
    assert done.returncode == 0, done.stderr
    assert '"optimum": 4000' in done.stdout
    assert "above your best known 4000" in inside(*options).stdout
    assert "37.50 % below your best known 8000" in inside(*options, "--best-known", 8000).stdout
    assert "your" not in inside(*options, "--best-known", 0).stdout
    assert "must be a whole number in [1, 2^62]" in inside(*options, "--best-known", -2).stderr
