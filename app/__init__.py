"""What happens when: command line, session, solver thread, recorder, exports."""

__version__ = "0.1.0"
