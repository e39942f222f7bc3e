"""How the results of a paper's table were made: the command, the machines, and what they lack."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from app.report.paper import hardware
from app.report.words import why_failed
from gpu.batch.analysis import Analysis
from gpu.batch.paper_comparison import not_run, shortfall
from gpu.batch.papers import Item
from gpu.batch.trial import Trial
from gpu.core.words import counted

PLACES = {"cuda": "on the GPU", "cpu:1": "on one core each", "cpu": "on all cores"}


def provenance(item: Item, analysis: Analysis) -> Iterator[str]:
    """Yield lines on how the results were made, and what of the item they lack."""
    results, design = analysis.results, item.design
    trial = Trial.told_by(design, results)
    yield "Command: `" + " ".join(["formicarium reproduce", item.name, *trial.options]) + "`"
    yield _extent(item, analysis, trial)
    for what, theirs, ours in hardware(item, analysis):
        yield f"{what}: the paper's {theirs}; ours {ours}"
    hosts = results.hosts
    said = {
        "version": _each(hosts, "version"),
        "commit": _each(hosts, "commit"),
        "driver": _each(hosts, "driver"),
    }
    began = results.created[:10]
    yield ", ".join([f"begun {began}", *(f"{name} {text}" for name, text in said.items() if text)])
    if at_once := _at_once(hosts):
        yield f"Runs at once: {at_once}"
    if missing := not_run(item, analysis):
        names = dict.fromkeys(instance for instance, _ in missing)
        there = {sample.instance for sample in analysis.samples}
        whole = [name for name in names if name not in there]
        if whole:
            yield f"Not run: {', '.join(whole)}"
        if some := [f"{label} on {name}" for name, label in missing if name in there]:
            yield f"Not run: {'; '.join(some[:12])}{' …' if len(some) > 12 else ''}"
    if lost := sum(summary.lost for summary in analysis.summaries):
        rows = [row for sample in analysis.samples for row in sample.lost]
        why = dict.fromkeys(map(why_failed, rows))
        yield f"{counted(lost, 'run')} failed: {'; '.join(why)}"


def _extent(item: Item, analysis: Analysis, trial: Trial) -> str:
    """Say how many of the study's runs there are, and what limits they have."""
    whole = len(item.design.seeds)
    text = (
        f"All {whole} runs"
        if trial.runs is None
        else f"{trial.runs} of the whole study's {whole} runs"
    )
    text += " of each configuration and instance"
    limits = [
        *([f"{trial.seconds:g} s"] if trial.seconds is not None else []),
        *([counted(trial.iterations, "iteration")] if trial.iterations is not None else []),
    ]
    if limits:
        return f"{text}, each with a limit of {' and '.join(limits)}"
    cut = trial.runs is None and shortfall(item, analysis)
    return f"{text}, with {cut}" if cut else text


def _each(hosts: Iterable[Mapping[str, object]], name: str) -> str:
    return " / ".join(filter(None, dict.fromkeys(str(host.get(name) or "") for host in hosts)))


def _at_once(hosts: Iterable[Mapping[str, object]]) -> str:
    """Say how many runs went on at once on each kind of device, and how many others beside them."""
    found: dict[str, dict[str, None]] = {kind: {} for kind in PLACES}
    for host in hosts:
        device, at_once = str(host.get("device", "")), host.get("at_once")
        kind = "cuda" if device.startswith("cuda") else device
        if not isinstance(at_once, Mapping) or kind not in at_once or kind not in found:
            continue
        beside = [f"{n} {PLACES[other]}" for other, n in at_once.items() if other != kind]
        others = f" (beside {', '.join(beside)})" if beside else ""
        found[kind][f"{at_once[kind]}{others}"] = None
    said = {PLACES[kind]: some for kind, some in found.items() if some}
    return "; ".join(f"{' or '.join(some)} {place}" for place, some in said.items())
