"""The seed that decides a run: every colony has one beside its parameters."""

from __future__ import annotations

from gpu.errors import ParameterError

SEEDS = 2**64
"""How many there are, from 0: two words of 32 bits are the key of Philox4x32."""


def checked_seed(seed: int) -> int:
    """Return ``seed``.

    Raises
    ------
    ParameterError
        If it is not in [0, 2**64).
    """
    if not 0 <= seed < SEEDS:
        raise ParameterError(f"seed = {seed} must be at least 0 and less than 2^64")
    return seed
