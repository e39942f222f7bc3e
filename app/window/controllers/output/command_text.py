"""The command line that does the same as the window."""

from __future__ import annotations

from gpu import catalog
from gpu.core.instance import Instance
from gpu.core.stop_limits import STOP_LIMITS
from gpu.core.words import command_line
from gpu.problems.bundled import name_or_path
from views.setup.choices import Choices

_OWN = {"ants": "--ants", "local_search": "--local-search"}  # parameters with options of their own


def command_of(instance: Instance, choices: Choices) -> str:
    """Return the command that solves ``instance`` with ``choices``, quoted for a shell."""
    file = instance.name if instance.path is None else name_or_path(instance.path)
    words = ["formicarium", "solve", file]
    if instance.read_as:
        coordinates, *columns = instance.read_as.split()
        words += ["--coordinates", coordinates]
        words += ["--columns", *columns] if columns else []
    words += ["--colony", choices.colony, "--device", choices.device]
    kind = catalog.named(choices.colony).parameters
    usual = kind().to_dict()
    for name, value in kind.from_mapping(choices.parameters).to_dict().items():
        if value != usual[name]:
            text = "auto" if value is None else str(value).removesuffix(".0")
            words += [_OWN[name], text] if name in _OWN else ["--set", f"{name}={text}"]
    words += ["--seed", str(choices.seed)]
    for name, limit in STOP_LIMITS.items():
        if (number := choices.stop.get(name)) is not None:
            words += [limit.option.format(instance.problem.words), f"{number}".removesuffix(".0")]
    if choices.stop.get("go_on"):
        words.append("--go-on")
    if not any(choices.stop.get(name) is not None for name in STOP_LIMITS):
        words.append("--no-limit")
    return command_line(*words)
