"""Constructions by groups of threads that only the Ant System has (Zhou 2017)."""

from __future__ import annotations

from gpu.ant_system.cuda.kernels import ST_GROUP, ST_GROUP_STC
from gpu.construction.cuda.groups import Groups


class StGroup(Groups):
    """ST-GROUP: all cities by number, parallel prefix sum."""

    source = ST_GROUP
    order = other = "NumberedCities"
    selection = "PrefixSearch"

    def _automatic_workers(self) -> int:
        return 64 if self.n <= 512 else 128 if self.n <= 1024 else 256

    def _shared_bytes(self) -> int:
        return 4 * self._bit_words

    @property
    def _bit_words(self) -> int:
        return -(-(self.n + self._padding) // 32)


class StGroupStc(Groups):
    """ST-GROUP-STC: the tour list, parallel prefix sum."""

    source = ST_GROUP_STC
    selection = "PrefixSearch"

    def _automatic_workers(self) -> int:
        return 32 if self.n <= 512 else 64 if self.n <= 1536 else 128
