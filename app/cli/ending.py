"""Runs a command, and says how it ended: in one line and by an exit status."""

from __future__ import annotations

import io
import logging
import os
import sys
from pathlib import Path

import click

from app.cli.commands import cli
from app.cli.terminal import drop, one_line, say
from gpu.core.errors import FormicariumError, sentence_for

BAD_INPUT = 2  # exit status if the input is bad and nothing was run
INTERRUPTED = 130


def run() -> int:
    """Run the command of this process; return its exit status."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # it was closed before the start
            setattr(sys, name, Path(os.devnull).open("w"))  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):  # a name or a sign that the terminal has not
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        status = int(cli.main(prog_name="formicarium", standalone_mode=False) or 0)
    except click.exceptions.Exit as ended:
        status = ended.exit_code
    except click.ClickException as error:
        say(one_line(error.format_message()))
        status = BAD_INPUT
    except FormicariumError as error:
        logging.getLogger(__name__).debug("refused", exc_info=error)
        say(one_line(str(error)))
        status = BAD_INPUT
    except (click.Abort, KeyboardInterrupt):
        status = INTERRUPTED
    except BrokenPipeError:  # the reader of the output has gone: exit without a message
        drop(sys.stdout)
        status = 1
    except Exception as error:
        logging.getLogger(__name__).debug("failed", exc_info=error)
        say(f"{sentence_for(error)} (formicarium --debug shows more)")
        status = 1
    return _flushed(status)


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
