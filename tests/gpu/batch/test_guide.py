"""What the user guide says of studies is true."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

from gpu.batch.design import Design
from gpu.batch.store import APPLICATION_ID, VERSION, Store
from gpu.batch.study import Study
from tests.gpu.batch.studies import Inline, planned

GUIDE = (Path(__file__).resolve().parents[3] / "docs/guide/studies.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", GUIDE, re.DOTALL)


def test_the_design_can_be_read() -> None:
    (text,) = blocks("toml")
    design = Design.from_toml(text)
    assert sum(len(one.combinations) for one in design.colonies) == 4
    for limit in design.budget.to_dict():
        assert f"`{limit}`" in GUIDE


def test_the_queries_work_and_every_column_is_explained(toys: Path) -> None:
    with Store(toys / "a.sqlite") as store:
        Study(planned(toys), store, Inline()).run()
    with closing(sqlite3.connect(toys / "a.sqlite")) as plain:
        gaps, hosts = (plain.execute(query).fetchall() for query in blocks("sql"))
        assert [row[:3] for row in gaps] == [
            (name, f"toy, ants {ants}", 3) for name in ("five", "three") for ants in (2, 3)
        ]
        assert len(hosts) == 12
        assert plain.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
        tables = plain.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        for (table,) in tables:
            assert f"| `{table}` |" in GUIDE
            for _, column, *_ in plain.execute(f"PRAGMA table_info({table})"):
                assert column == "id" or f"`{column}`" in GUIDE, (table, column)
    assert str(APPLICATION_ID) in GUIDE
    assert f"### The tables (version {VERSION})" in GUIDE
