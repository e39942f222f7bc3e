"""What an ant changes of a tour, in words and as numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.core.decisions.tour_change import (
    Child,
    Children,
    DoubleBridge,
    Fate,
    Partner,
    Places,
    Repair,
    TourChange,
    Verdict,
)
from gpu.core.formats import whole
from gpu.core.words import counted
from views.decision.decision_words import apart, quantity

_WEIGHED = "worth = gain / loss of the entropy of edges"
NOTHING = 1e-9  # loss of entropy that counts as none
_SMALL = 1e-3  # probability below which a power of ten says more
_LEAST = 4  # cities of a tour that has a double bridge


def sentence(change: TourChange, ids: NDArray[np.int64]) -> str:
    """Say what the ant does; ``ids`` are the cities' numbers in the file."""
    what, ant = change.what, f"Ant {change.ant + 1}"
    if isinstance(what, Places):
        return f"{ant} {_places(what, ids)}"
    if isinstance(what, DoubleBridge):
        return _double_bridge(change, what, ids)
    if isinstance(what, Repair):
        return _repair(change, what)
    if isinstance(what, Verdict):
        return _verdict(change, what)
    if isinstance(what, Partner):
        return _partner(change, what)
    return _children(what) if isinstance(what, Children) else _child(change, what)


def formula(change: TourChange) -> str:
    """Return the numbers behind a step."""
    what, gain = change.what, change.gain
    if isinstance(what, Places):
        return (
            "Trails go from 1 to 100; that of an edge which has been in the tour for long is strong"
        )
    if isinstance(what, Partner):
        return f"own length {whole(what.lengths[0])};   the other's {whole(what.lengths[1])}"
    if isinstance(what, Children):
        return _WEIGHED if what.weighed else "worth = gain"
    step = "Δ = 0"
    if len(change.given):
        taken, given = whole(change.made.length), whole(change.given.length)
        step = f"Δ = {taken} taken − {given} given up = {_signed(-gain)}"
    if isinstance(what, Child) and what.size:
        return f"{step};   entropy lost: {lost(what.loss)}"
    if not isinstance(what, Verdict) or what.fate is Fate.UNCHANGED:
        return step
    heat = f"T = {quantity(what.heat)} · {quantity(what.unit)} = {quantity(what.temperature)}"
    if gain >= 0:
        return f"{step};   {heat if what.heat else 'T = 0'}"
    if not what.heat:
        return f"{step};   T = 0"
    chance = what.probability(gain)
    likely, draw = quantity(chance), quantity(what.draw)
    if chance >= _SMALL:
        likely, draw = apart(chance, what.draw)
    return f"{step};   {heat};   e^(−Δ/T) = {likely};   draw {draw}"


def lost(entropy: float) -> str:
    """Return how much entropy is lost, or with a minus gained."""
    if abs(entropy) < NOTHING:
        return "0"
    return f"{'−' if entropy < 0 else ''}{quantity(abs(entropy))}"


def _places(what: Places, ids: NDArray[np.int64]) -> str:
    names = [f"city {ids[city]}" for city in what.cities]
    trails = what.behind.trails
    if len(names) == 1:
        return f"draws one place of the tour, behind {names[0]}, and looks at no trail."
    if what.cities[0] == what.cities[1]:
        return f"draws the same place of the tour twice, behind {names[0]}, and begins there."
    both = f"draws two places of the tour, behind {names[0]} and behind {names[1]}. "
    weak, strong = (quantity(float(trail)) for trail in sorted(trails))
    if trails[0] == trails[1]:
        return f"{both}Both trails are {strong}, so it begins at the first one."
    return (
        f"{both}It begins behind {names[what.at]}, where the trail is weaker: {weak} instead of "
        f"{strong}."
    )


def _double_bridge(change: TourChange, what: DoubleBridge, ids: NDArray[np.int64]) -> str:
    ant = f"ant {change.ant + 1}"
    if not what.stretches:
        if len(change.kept) < _LEAST:
            return f"{ant.capitalize()} changes nothing: so few cities have one tour only."
        return (
            f"{ant.capitalize()} changes nothing: it would give up an edge that leads out of its "
            "cell, and no ant may."
        )
    early = ""
    if what.start != what.drawn:
        early = f"Too few cities of its cell follow city {ids[what.drawn]}, so it begins earlier. "
    first, second, third = (len(stretch) for stretch in what.stretches)
    return (
        f"{early}Behind city {ids[what.start]}, {ant} makes a double bridge: stretches of {first}, "
        f"{second} and {counted(third, 'city')} change places, and the last comes first. Now the "
        f"tour is {_than(change.gain)} before."
    )


def _repair(change: TourChange, what: Repair) -> str:
    if not len(change.given):
        return "The local search finds no move that makes the tour shorter."
    edges = counted(len(change.given), "edge")
    begin = f"The local search exchanges {edges}"
    if what.back:
        return f"{begin}, and is back at the tour that the ant found."
    return (
        f"{begin}. Now the tour is {_than(change.gain)} after the double bridge, and "
        f"{_than(change.gain + what.bridged)} before it."
    )


def _verdict(change: TourChange, what: Verdict) -> str:
    gain = change.gain
    if what.fate is Fate.UNCHANGED:
        return f"Ant {change.ant + 1} leaves the tour as it has found it."
    begin = f"The tour of ant {change.ant + 1} is {_than(gain)} before"
    if what.fate is Fate.NO_ROOM:
        return f"{begin}. It is taken back, as the log of its cell has no room for more changes."
    if what.fate is Fate.TOO_LONG and not what.heat:
        return f"{begin}. The temperature is 0, so it is taken back."
    if what.fate is Fate.TOO_LONG:
        return f"{begin}. The draw is not below the probability, so it is taken back."
    kept = f"{begin}, so it is kept."
    if gain < 0:
        kept = f"{begin}. It is kept all the same, as the draw is below the probability."
    if what.cells == 1:
        return f"{kept} The next ant goes on from there."
    return (
        f"{kept} The next ant of its cell goes on from there. When the iteration ends, the change "
        "is merged, unless changes of other cells stand in its way."
    )


def _partner(change: TourChange, what: Partner) -> str:
    begin = (
        f"Ant {change.ant + 1} has tour {what.own + 1} of {what.tours}, and crosses it with tour "
        f"{what.other + 1}. "
    )
    if not len(change.given):
        return f"{begin}Both are the same."
    edges = len(change.given)
    return f"{begin}Each of both has {counted(edges, 'edge')} that the other does not have."


def _children(what: Children) -> str:
    made = len(what.sizes)
    if not made:
        return "There is no AB-cycle, so the ant makes no child: both tours are the same."
    ab_cycles = "one AB-cycle" if what.ab_cycles == 1 else counted(what.ab_cycles, "AB-cycle")
    child = "a child of it" if what.ab_cycles == 1 else "a child of each"
    if made < what.ab_cycles:
        child = f"a child of {made} of them, drawn at random"
    begin = f"These edges make {ab_cycles}. The ant makes {child}, and "
    if what.at < 0:
        return f"{begin}none is shorter than its tour."
    best = "the largest gain for the variety that is lost" if what.weighed else "the largest gain"
    return f"{begin}keeps the one with {best}."


def _child(change: TourChange, what: Child) -> str:
    ant = f"Ant {change.ant + 1}"
    if not what.size:
        return f"{ant} keeps its tour as it is, as no child is shorter."
    begin = f"{ant} exchanges {counted(what.size, 'edge')} of an AB-cycle"
    if what.parts > 1:
        begin += f", which leaves {what.parts} tours, and joins these"
    return f"{begin}. The child is {_than(change.gain)} its tour, and takes its place."


def _than(gain: int) -> str:
    """Return "5 longer than", "5 shorter than" or "as long as"."""
    if not gain:
        return "as long as"
    return f"{whole(abs(gain))} {'shorter' if gain > 0 else 'longer'} than"


def _signed(number: int) -> str:
    return f"{'+' if number > 0 else '−'}{whole(abs(number))}" if number else "0"
