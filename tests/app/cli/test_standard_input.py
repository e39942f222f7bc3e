"""An instance that is piped in."""

from __future__ import annotations

import gzip
import json
import subprocess
from pathlib import Path

import pytest

from tests.app.conftest import Command
from tests.processes import FOLDER, RING, command, environment, refused, result

TEXT = (FOLDER / f"{RING}.tsp").read_bytes()
OPTIONS = ("--colony", "focused", "--device", "cpu:1", "--seed", 1, "--iterations", 2)


def piped(data: bytes, *arguments: object) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        command(*arguments),
        input=data,
        capture_output=True,
        timeout=100,
        check=False,
        env=environment(),
    )
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


def test_a_packed_instance_is_piped_in_and_run_again(inside: Command, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = piped(gzip.compress(TEXT), "solve", "-", *OPTIONS, "--json", "--out", out)
    assert done.returncode == 0, done.stderr
    assert result(done)["instance"] == RING
    (log,) = out.glob("*.jsonl")
    assert json.loads(log.read_text().splitlines()[0])["session"]["instance"]["path"] == ""
    # Bundled instances are found by their name; this one is not one of them any more.
    lines = log.read_text().replace(f'"name": "{RING}"', '"name": "piped"', 1)
    log.write_text(lines)
    assert "is not there; put the file beside the session's own, as piped.tsp" in refused(
        inside("replay", log)
    )
    (out / "piped.tsp.gz").write_bytes(gzip.compress(TEXT))
    again = inside("replay", log)
    assert again.returncode == 0, again.stderr
    assert "the same tour as recorded" in again.stderr


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "standard input: it is empty"),
        (gzip.compress(TEXT, mtime=0)[:40], "standard input: it is a gzip file that is cut off"),
        (b"\x7fELF\0\0", "standard input: it is a binary file"),
    ],
    ids=["empty", "cut off", "binary"],
)
def test_what_is_no_instance(data: bytes, said: str) -> None:
    assert said in refused(piped(data, "solve", "-", *OPTIONS))
