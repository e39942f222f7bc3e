"""The contract every colony keeps, on every device and for every problem."""

from __future__ import annotations

from typing import Protocol

from gpu.snapshot import Snapshot, Wanted


class Colony(Protocol):
    """A colony at work on one instance. It knows nothing of threads, signals or windows.

    Colonies are made by :func:`gpu.catalog.build` and used from one thread at a time.
    """

    def iterate(self, count: int) -> None:
        """Run ``count`` iterations.

        On a GPU the call may return while the last batch still runs, never with more than two
        batches in flight; :meth:`snapshot` waits for all of them.

        Raises
        ------
        DeviceError
            If the device failed; the colony can then only be closed.
        """

    def snapshot(self, wanted: Wanted) -> Snapshot:
        """Finish what is in flight and return the state, with the parts named in ``wanted``.

        Raises
        ------
        DeviceError
            If the device failed.
        """

    def close(self) -> None:
        """Free the device's memory; more calls to ``close`` do nothing."""
