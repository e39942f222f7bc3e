"""What a run worked on, one instance after the other: its cities may change while it goes on."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from gpu.core.errors import FormicariumError
from gpu.core.instance import MOST_EDITS, CityEdit, Instance
from gpu.run.frames.frames import grown, shrunk

_LONGEST_EDIT = 200  # bytes of its text
_KEPT = 4  # instances, of which the newest may be asked for again

Edits = tuple[CityEdit, ...]


def write_edits(edits: Sequence[Mapping[str, object]]) -> bytes:
    """Return the bytes of ``edits``, in the form of a line of a log."""
    return shrunk(json.dumps(list(edits)).encode("ascii"))


def read_edits(data: bytes) -> Edits:
    """Return the edits of one change; ValueError if they are none."""
    try:
        edits = json.loads(grown(data, _LONGEST_EDIT * MOST_EDITS))
        return tuple(CityEdit.from_dict(one) for one in edits)
    except (AttributeError, TypeError, RecursionError, FormicariumError) as error:
        raise ValueError("its changes of cities are none") from error


class Eras:
    """The instances of a run. An era is the time from one change of cities to the next."""

    def __init__(self, instance: Instance) -> None:
        self.sizes = [instance.n]  # cities in each era
        self._edits: list[Edits] = []  # with which each era but the first one begins
        self._known: dict[int, Instance] = {0: instance}

    def add(self, edits: Edits) -> None:
        """Begin another era; ValueError if it cannot begin with these edits."""
        if why := self._known[0].why_not_editable:
            raise ValueError(why)
        kinds = [edit.kind for edit in edits]
        left = self.sizes[-1] + kinds.count("add") - kinds.count("remove")
        if left < self._known[0].fewest:
            raise ValueError("its changes of cities are none")
        self.sizes.append(left)
        self._edits.append(edits)

    def instance(self, era: int) -> Instance:
        """Return the instance of an era, counted from 0; InstanceError if it is impossible."""
        if era not in self._known:
            near = max(one for one in self._known if one < era)
            found, waiting = self._known[near], Edits()
            for edits in (*self._edits[near:era], None):
                # several changes at once take less time than one after the other
                if edits is None or len(waiting) + len(edits) > MOST_EDITS:
                    found, waiting = found.edited(waiting).instance, Edits()
                waiting += edits or Edits()
            self._known[era] = found
            for old in list(self._known)[1:-_KEPT]:  # the first one stays
                del self._known[old]
        return self._known[era]
