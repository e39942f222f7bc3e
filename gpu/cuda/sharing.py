"""What colonies that work on the same instance at the same time have in common.

Distances and candidate lists depend on the instance and a few parameters alone, and no kernel
writes to them. So they are made once, and are on a device once, while a colony has a use for them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import wraps
from threading import Lock
from typing import Any, TypeVar
from weakref import WeakKeyDictionary, WeakValueDictionary

from numpy.typing import NDArray

from gpu.cuda.arguments import Array

Subject = TypeVar("Subject")
Made = TypeVar("Made")


def made_once(make: Callable[..., Made]) -> Callable[..., Made]:
    """Return ``make(instance, *details)`` with a memory: what is still held is not made again.

    Several threads may call the result. The ``details`` must be hashable, and what is made must be
    an object that a weak reference can be made to.
    """
    memory: WeakKeyDictionary[Any, WeakValueDictionary[Hashable, Made]] = WeakKeyDictionary()
    lock = Lock()

    @wraps(make)
    def get(instance: Any, *details: Hashable) -> Made:
        with lock:
            held = memory.setdefault(instance, WeakValueDictionary())
            found = held.get(details)
            if found is None:
                held[details] = found = make(instance, *details)
            return found

    return get


class SharedArray:
    """An array on a device, with the host array that it is a copy of. It lives while it is held."""

    __slots__ = ("__weakref__", "array", "values")

    def __init__(self, array: Array, values: NDArray[Any]) -> None:
        self.array = array
        self.values = values  # so that no other host array gets its place in memory


class SharedArrays:
    """The shared arrays of one device, by the host arrays that they are copies of."""

    def __init__(self) -> None:
        self.lock = Lock()  # for whoever looks for an array and then makes it
        self._held: WeakValueDictionary[Hashable, SharedArray] = WeakValueDictionary()

    def find(self, values: NDArray[Any]) -> SharedArray | None:
        """Return the copy of ``values``, of this very place in memory, if a colony holds it."""
        return self._held.get(_place(values))

    def keep(self, values: NDArray[Any], array: Array) -> SharedArray:
        """Let ``array`` be found as the copy of ``values``, as long as the result is held."""
        self._held[_place(values)] = shared = SharedArray(array, values)
        return shared


def _place(values: NDArray[Any]) -> Hashable:
    address, _ = values.__array_interface__["data"]
    return address, values.shape, values.strides, values.dtype.str
