"""What the decision view asks of a colony of Focused ACO besides its trails."""

from __future__ import annotations

from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from gpu.core.decisions import TrailSource


class Followed(NamedTuple):
    """What the ants of the coming iteration begin with."""

    tour: NDArray[np.int32]  # (n,): the source, which they leave and follow
    shares: NDArray[np.float32]  # (arms,): how likely each number of new edges is


@runtime_checkable
class FollowedSource(TrailSource, Protocol):
    """A colony whose ants leave a common tour and follow it again."""

    def followed(self) -> Followed:
        """Return what the ants of the coming iteration begin with."""
