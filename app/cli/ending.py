"""Runs a command, and says how it ended: in one line and by an exit status."""

from __future__ import annotations

import io
import logging
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import click

from app.cli.commands import cli
from app.cli.terminal import drop, one_line, say, show_box
from app.termination import BAD_INPUT
from gpu.core.errors import FormicariumError, sentence_for

INTERRUPTED = 130  # exit status after Ctrl-C


def run() -> int:
    """Run the command of this process; return its exit status."""
    tell = say if sys.stderr is not None else show_box
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed before the start, or the program has no console
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115  # to the end
    if isinstance(sys.stdout, io.TextIOWrapper):  # a name or a sign that the terminal has not
        sys.stdout.reconfigure(errors="backslashreplace")
    return _flushed(_status(tell))


@contextmanager
def _interrupts(heard: list[int]) -> Iterator[None]:
    """Note each Ctrl-C: an import in which it comes may answer it with an error of its own."""
    usual = signal.getsignal(signal.SIGINT)

    def note(number: int, frame: FrameType | None) -> None:
        heard.append(number)
        signal.default_int_handler(number, frame)

    if usual in (signal.SIG_DFL, signal.default_int_handler):  # else it is ignored, as by nohup
        signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGINT) is note:
            signal.signal(signal.SIGINT, usual)


def _status(tell: Callable[[str], object]) -> int:
    """Run the command, ``tell`` what is wrong, and return the exit status."""
    heard: list[int] = []
    try:
        with _interrupts(heard):
            return int(cli.main(prog_name="formicarium", standalone_mode=False) or 0)
    except click.exceptions.Exit as ended:
        return ended.exit_code
    except click.ClickException as error:
        tell(one_line(error.format_message()))
        return BAD_INPUT
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except BrokenPipeError:  # the reader of the output has gone: exit without a message
        drop(sys.stdout)
        return 1
    except Exception as error:
        logging.getLogger(__name__).debug("refused or failed", exc_info=error)
        if heard:
            return INTERRUPTED
        if isinstance(error, FormicariumError):
            tell(one_line(str(error)))
            return BAD_INPUT
        tell(f"{sentence_for(error)} (formicarium --debug shows more)")
        return 1


def _flushed(status: int) -> int:
    """Write what is still to be printed; return ``status``, or 1 if that is impossible."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        drop(sys.stdout)
        return status or 1
    except OSError as error:
        if not status:  # else it has been said what failed
            say(f"the output cannot be written ({sentence_for(error)})")
        drop(sys.stdout)
        return status or 1
    return status
