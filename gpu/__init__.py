"""The computation, which knows no Qt: instances, devices, colonies, runs and measurements."""

__version__ = "1.0.0"

APPLICATION = "formicarium"  # name of the program's folders for data, settings, caches and logs
