"""The contenders of a speedup measurement: systems, and their CPU baselines."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

from gpu import catalog
from gpu.core.errors import DeviceError, ParameterError
from gpu.core.machine import devices
from gpu.core.machine.devices import Device
from gpu.core.system import System


@dataclass(frozen=True, slots=True)
class Contender:
    """A system on a device."""

    system: System
    device: Device
    # For a baseline whose defaults differ from those of the system that it is measured for: that
    # system's values, so that both do the same work.
    settings: tuple[tuple[str, int | float | str | None], ...] = ()
    # Name of the system that has baselines of its own, with such settings; empty if the baselines
    # are those of the whole search.
    baselines: str = ""

    @property
    def search(self) -> str:
        """A name that it has in common with its baselines, and with no others."""
        return self.baselines or self.system.alias or self.system.name

    @property
    def label(self) -> str:
        """For example ``acs-seq on cpu:1``."""
        return f"{self.system.name} on {self.device.name}"


def contenders(
    names: Sequence[str] = ("acs",), survey: devices.Survey | None = None
) -> list[Contender]:
    """Return the systems that are measured, each followed by its baselines on the CPU.

    Each of the ``names``, which the catalog knows, is measured on the best device that it runs on,
    by default of this machine.

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
    """Return the system that ``name`` means on ``device``; None if it does not run there."""
    try:
        return Contender(catalog.find(name, device), device)
    except (DeviceError, ParameterError):
        return None


def _other_defaults(
    base: System, system: System
) -> tuple[tuple[str, int | float | str | None], ...]:
    """Return those defaults of ``system`` that ``base`` has too, with another value."""
    theirs, ours = system.parameters().to_dict(), base.parameters().to_dict()
    return tuple(
        (name, theirs[name]) for name in ours if name in theirs and theirs[name] != ours[name]
    )
