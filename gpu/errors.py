"""The errors a user may see. Each message is one sentence that says what to do."""

from __future__ import annotations


class FormicariumError(Exception):
    """Base of every error whose message is meant for the user."""


class InstanceError(FormicariumError):
    """A file that is not a usable instance; the message names the file and what is wrong."""


class SolutionError(FormicariumError, ValueError):
    """A solution that is none, such as a route that misses a city; the message says where."""


class ParameterError(FormicariumError, ValueError):
    """A parameter outside its range; the message names it, its value and its range."""


class DeviceError(FormicariumError):
    """A device that is not there, or that failed while a colony ran on it."""


class DeviceMemoryError(DeviceError):
    """A colony that does not fit the device's free memory; the message has the numbers."""
