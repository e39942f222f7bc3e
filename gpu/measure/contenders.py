"""Who is measured against whom: a system, and the same search on one core and on all cores."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

from gpu import catalog
from gpu.core import devices
from gpu.core.devices import Device
from gpu.core.errors import DeviceError, ParameterError
from gpu.core.system import System


@dataclass(frozen=True, slots=True)
class Contender:
    """A system on a device.

    Attributes
    ----------
    system : System
    device : Device
    settings : tuple of (str, value)
        Parameters with which it does the work of the system whose baseline it is, where its own
        defaults are others.
    baselines : str
        Name of the system whose baselines do its work alone; empty where that is the whole search.
    """

    system: System
    device: Device
    settings: tuple[tuple[str, int | float | str | None], ...] = ()
    baselines: str = ""

    @property
    def search(self) -> str:
        """What it shares with its baselines, and with nobody whose work is another."""
        return self.baselines or self.system.alias or self.system.name

    @property
    def label(self) -> str:
        """For example ``acs-seq on cpu:1``."""
        return f"{self.system.name} on {self.device.name}"


def contenders(
    names: Sequence[str] = ("acs",), survey: devices.Survey | None = None
) -> list[Contender]:
    """Return who is to be compared: these systems, and the same search on one core and on all.

    Parameters
    ----------
    names : sequence of str
        Names that the catalog knows; each runs on the best device that it can run on.
    survey : Survey, optional
        The devices of this machine.

    Raises
    ------
    ParameterError, DeviceError
        If a name is unknown, or nothing here can run it.
    """
    found = survey or devices.survey()
    chosen: list[Contender] = []
    for name in names:
        able = [_able(name, device) for device in found.devices]
        best = next((one for one in able if one is not None), None)
        if best is None:
            catalog.find(name, found.devices[0])  # says what is wrong with it
            raise DeviceError(f"no device of this machine can run {name}")
        bases = [
            base
            for device in found.devices
            if device.kind == "cpu" and (base := _able(best.system.alias or name, device))
        ]
        settings = [_other_defaults(base.system, best.system) for base in bases]
        own = best.system.name if any(settings) else ""
        best = dataclasses.replace(best, baselines=own)
        bases = [
            dataclasses.replace(base, settings=others, baselines=own)
            for base, others in zip(bases, settings, strict=True)
        ]
        for one in (best, *bases):
            if one not in chosen:
                chosen.append(one)
    return chosen


def _able(name: str, device: Device) -> Contender | None:
    """Return what ``name`` means on ``device``, or None if it cannot run there."""
    try:
        return Contender(catalog.find(name, device), device)
    except (DeviceError, ParameterError):
        return None


def _other_defaults(
    base: System, system: System
) -> tuple[tuple[str, int | float | str | None], ...]:
    """Defaults of ``system`` that are others for ``base``: candidate lists, where it has them."""
    theirs, ours = system.parameters().to_dict(), base.parameters().to_dict()
    return tuple(
        (name, theirs[name]) for name in ours if name in theirs and theirs[name] != ours[name]
    )
