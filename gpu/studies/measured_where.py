"""On what, and when, the runs in the file of a study were made."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gpu.studies.store import opened


@dataclass(frozen=True, slots=True)
class MeasuredWhere:
    """The devices, the days and the commits of all runs that were made."""

    models: tuple[str, ...]  # of GPUs and processors
    first: str  # day in UTC, such as 2026-11-23; empty if no run was made
    last: str
    commits: tuple[str, ...]

    @property
    def text(self) -> str:
        """All that in words; empty if no run was made."""
        if not self.first:
            return ""
        when = self.first if self.first == self.last else f"{self.first} to {self.last}"
        noun = "commit" if len(self.commits) == 1 else "commits"
        commits = f", {noun} {', '.join(self.commits)}" if self.commits else ""
        return f"Measured on {' and '.join(self.models)}, {when}{commits}"


def read_measured_where(path: Path) -> MeasuredWhere:
    """Return where the runs in the file of a study were made, or raise StoreError. It is quick."""
    with opened(path) as connection:
        hosts = connection.execute(
            'SELECT model, "commit" FROM hosts WHERE id IN (SELECT host FROM runs) ORDER BY id'
        ).fetchall()
        first, last = connection.execute(
            "SELECT coalesce(substr(min(started), 1, 10), ''), "
            "coalesce(substr(max(started), 1, 10), '') FROM runs WHERE host IS NOT NULL"
        ).fetchone()
    models = dict.fromkeys(str(model) for model, _ in hosts if model)
    commits = dict.fromkeys(str(commit) for _, commit in hosts if commit)
    return MeasuredWhere(tuple(models), str(first), str(last), tuple(commits))
