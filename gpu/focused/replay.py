"""The ants of a focused colony on the CPU, replayed one by one: what each changes of the tour."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.core.colony import never
from gpu.core.decisions import Options, PictureMark, Sign, Step, TrailSource
from gpu.core.formats import apart, quantity
from gpu.core.words import counted
from gpu.cpu.geometry import DOUBLED
from gpu.cpu.record import ITERATION
from gpu.focused.cpu import ants as single_ant
from gpu.focused.cpu import state as states
from gpu.focused.cpu.ants import (
    BRIDGED,
    FIRST_PLACE,
    FOUND,
    GAIN_BRIDGE,
    GAIN_REPAIR,
    NO_ROOM,
    OTHER_PLACE,
    REPAIRED,
    STORY_DRAW,
    STORY_UNIT,
    TOO_LONG,
    TOUR_KEPT,
    VERDICT,
    Story,
)
from gpu.focused.cpu.state import TEMPERATURE, FocusedState
from gpu.focused.parameters import FOCUSED_STEPS
from gpu.problems.tsp.instance import CityWords, TspInstance
from gpu.tour_changes.cpu.kicks import NOT_BRIDGED
from gpu.tour_changes.cpu.state import NOBODY, PATCH_CITIES, new_patch
from gpu.tour_changes.places import NOT_REPLAYED, PlacesColony
from gpu.tour_changes.replay import (
    EDGE_HEADS,
    ChangeKind,
    NotBegun,
    Pairs,
    TourChange,
    TourEdges,
    edges_of,
    than,
)

_ANTS_AT_ONCE = 1000  # ants between two looks whether anybody wants the answer any more

_LIKELY = 1e-3  # probability below which a power of ten says more
_CITIES_OF_BRIDGE = 4  # least cities of a tour that has a double bridge

NO_ANTS_YET = (
    "In the first iteration no ant makes a double bridge: all cities look for moves until none "
    "finds one. Make one step (N), then look at the ants."
)


@dataclass(frozen=True, slots=True, eq=False)
class PlaceChoice(ChangeKind):
    """Two places are drawn, and the ant begins at the one with the weaker trail."""

    names = "tour", "", ""

    cities: NDArray[np.int32]  # (k,): one or two, those that are drawn
    behind: TourEdges  # k, by which the iteration's first tour leaves them
    at: int  # which of them the ant takes

    @property
    def taken(self) -> int:
        """The city behind which the ant wants to begin."""
        return int(self.cities[self.at])

    def sentence(self, change: TourChange, words: CityWords) -> str:
        """Say which places are drawn, and why one is taken."""
        ant = f"Ant {change.ant + 1} draws"
        names = [words.called(city) for city in self.cities]
        trails = self.behind.trails
        if len(names) == 1:
            return f"{ant} one place of the tour, behind {names[0]}, and looks at no trail."
        if self.cities[0] == self.cities[1]:
            return f"{ant} the same place of the tour twice, behind {names[0]}, and begins there."
        both = f"{ant} two places of the tour, behind {names[0]} and behind {names[1]}. "
        weak, strong = (quantity(float(trail)) for trail in sorted(trails))
        if trails[0] == trails[1]:
            return f"{both}Both trails are {strong}, so it begins at the first one."
        return (
            f"{both}It begins behind {names[self.at]}, where the trail is weaker: {weak} instead "
            f"of {strong}."
        )

    def formula(self, change: TourChange) -> str:
        """Say what a trail means."""
        return (
            "Trails go from 1 to 100; that of an edge which has been in the tour for long is strong"
        )

    def options(self, change: TourChange, words: CityWords) -> Options:
        """Return the edges behind both places."""
        said = ["begins here" if at == self.at else "" for at in range(len(self.cities))]
        return Options(
            EDGE_HEADS, tuple(self.behind.options(words, Sign.SUBJECT, said)), len(self.cities)
        )

    def marks(self) -> list[PictureMark]:
        """Mark the places, and where the ant begins."""
        begin = PictureMark(Sign.CHOSEN, np.array([self.taken]), "begins here")
        return [PictureMark(Sign.SUBJECT, self.behind.cities, "drawn"), begin]


@dataclass(frozen=True, slots=True, eq=False)
class DoubleBridge(ChangeKind):
    """Three neighbouring stretches of the tour change places: the last comes first.

    It is a double bridge (Martin, Otto and Felten 1991) within a few cities.
    """

    drawn: int  # the city behind which the ant wanted to begin,
    start: int  # and that behind which it does: an earlier one near the end of a cell's cities
    stretches: tuple[NDArray[np.int32], ...]  # their cities, in the order before; or none

    def sentence(self, change: TourChange, words: CityWords) -> str:
        """Say what changes places."""
        ant = f"ant {change.ant + 1}"
        if not self.stretches:
            nothing = f"{ant.capitalize()} changes nothing: "
            if len(change.kept) < _CITIES_OF_BRIDGE:
                return f"{nothing}so few cities have one tour only."
            return f"{nothing}it would give up an edge that leads out of its cell, and no ant may."
        early = ""
        if self.start != self.drawn:
            early = (
                f"Too few cities of its cell follow {words.called(self.drawn)}, so it begins "
                "earlier. "
            )
        first, second, third = (len(stretch) for stretch in self.stretches)
        return (
            f"{early}Behind {words.called(self.start)}, {ant} makes a double bridge: stretches of "
            f"{first}, {second} and {counted(third, 'city')} change places, and the last comes "
            f"first. Now the tour is {than(change.gain)} before."
        )

    def marks(self) -> list[PictureMark]:
        """Mark the stretches, and where the ant begins."""
        moved = [np.column_stack((one[:-1], one[1:])) for one in self.stretches]
        edges = np.concatenate([np.empty((0, 2), np.int32), *moved])
        begin = PictureMark(Sign.CHOSEN, np.array([self.start]), "begins here")
        return [PictureMark(Sign.SUBJECT, edges, "moved"), begin]


@dataclass(frozen=True, slots=True, eq=False)
class Repair(ChangeKind):
    """The local search mends what the double bridge made worse."""

    bridged: int  # by how much the double bridge made the tour shorter
    back: bool  # whether the tour is again the one that the ant found

    def sentence(self, change: TourChange, words: CityWords) -> str:
        """Say what the search changes."""
        if not len(change.given):
            return "The local search finds no move that makes the tour shorter."
        begin = f"The local search exchanges {counted(len(change.given), 'edge')}"
        if self.back:
            return f"{begin}, and is back at the tour that the ant found."
        return (
            f"{begin}. Now the tour is {than(change.gain)} after the double bridge, and "
            f"{than(change.gain + self.bridged)} before it."
        )


class Fate(enum.Enum):
    """What becomes of an ant's tour."""

    UNCHANGED = "unchanged"  # it is the tour that the ant found
    KEPT = "kept"
    TOO_LONG = "too long"  # taken back, because it is longer
    NO_ROOM = "no room"  # taken back, because the log of changes is full


@dataclass(frozen=True, slots=True, eq=False)
class Verdict(ChangeKind):
    """The ant's tour is kept, or taken back."""

    fate: Fate
    heat: float  # temperature in units of
    unit: float  # which is a length
    draw: float  # a longer tour is kept if this is below the probability
    cells: int  # whose ants work side by side; with one, what is kept stays as it is

    @property
    def temperature(self) -> float:
        """T, a length."""
        return self.heat * self.unit

    def probability(self, gain: int) -> float:
        """Return e^(-Δ/T), with which a tour is kept that is longer by Δ, -``gain``."""
        if gain >= 0:
            return 1.0
        return float(np.exp(gain / self.temperature)) if self.temperature > 0 else 0.0

    def sentence(self, change: TourChange, words: CityWords) -> str:
        """Say what becomes of the tour, and why."""
        gain = change.gain
        begin = f"The tour of ant {change.ant + 1} is {than(gain)} before"
        match self.fate:
            case Fate.UNCHANGED:
                return f"Ant {change.ant + 1} leaves the tour as it has found it."
            case Fate.NO_ROOM:
                no_room = "as the log of its cell has no room for more changes"
                return f"{begin}. It is taken back, {no_room}."
            case Fate.TOO_LONG if not self.heat:
                return f"{begin}. The temperature is 0, so it is taken back."
            case Fate.TOO_LONG:
                return f"{begin}. The draw is not below the probability, so it is taken back."
        kept = f"{begin}, so it is kept."
        if gain < 0:
            kept = f"{begin}. It is kept all the same, as the draw is below the probability."
        if self.cells == 1:
            return f"{kept} The next ant goes on from there."
        return (
            f"{kept} The next ant of its cell goes on from there. When the iteration ends, the "
            "change is merged, unless changes of other cells stand in its way."
        )

    def formula(self, change: TourChange) -> str:
        """Return the probability with which a longer tour is kept."""
        step, gain = change.difference, change.gain
        if self.fate is Fate.UNCHANGED:
            return step
        if not self.heat:
            return f"{step};   T = 0"
        heat = f"T = {quantity(self.heat)} · {quantity(self.unit)} = {quantity(self.temperature)}"
        if gain >= 0:
            return f"{step};   {heat}"
        chance = self.probability(gain)
        likely, draw = quantity(chance), quantity(self.draw)
        if chance >= _LIKELY:
            likely, draw = apart(chance, self.draw)
        return f"{step};   {heat};   e^(−Δ/T) = {likely};   draw {draw}"


@runtime_checkable
class ReadableFocusedColony(Protocol):
    """A colony that lets its state be read."""

    @property
    def standing(self) -> FocusedState:
        """The state as it stands, to be read alone."""


class FocusedRule:
    """What the ants of a focused colony do, told by the compiled code of the CPU colonies."""

    def __init__(self, instance: TspInstance) -> None:
        self._instance = instance
        self.caveat = ""

    def replay(
        self, trails: TrailSource, iteration: int, caveat: str = ""
    ) -> FocusedReplay | NotBegun:
        """Start to replay an iteration; see :class:`gpu.core.decisions.Rule`."""
        if isinstance(trails, PlacesColony):
            return NotBegun(iteration, NOT_REPLAYED)
        if (
            isinstance(trails, ReadableFocusedColony)
            and trails.standing.record.numbers[ITERATION] > 0
        ):
            return FocusedReplay(self._instance, trails.standing, iteration, caveat)
        return NotBegun(iteration, NO_ANTS_YET)


class FocusedReplay:
    """Predicts what ants change, from a tour that does not change meanwhile.

    The ants of a cell work one after another. So for an ant, all before it in its cell are
    replayed; from there it goes forward. Nothing but a patch and a log of its own is written.
    """

    def __init__(
        self, instance: TspInstance, state: FocusedState, iteration: int, caveat: str = ""
    ) -> None:
        self._instance, self._iteration, self._caveat = instance, iteration, caveat
        n, count = state.source.size, state.cells.bounds.size - 1
        k, ants, size = state.lists.neighbours.shape[1], state.rules.ants, states.patch_size(n)
        self._halves = 2 if state.lists.geometry.rule == DOUBLED else 1
        self._firsts = ants * np.arange(count + 1, dtype=np.int64) // count
        self._state = state._replace(log=states.new_log(1, states.logged_edges(n, ants)))
        self._patch = new_patch(n, k, size)
        self._story = Story(np.zeros((3, size), np.int32), np.zeros(5, np.int64), np.zeros(2))
        self._cell, self._ant = -1, -1  # the ant whose story is known
        self._outside = np.empty((0, 2), np.int32)  # edges of the tour that leave the cell

    def decision(self, ant: int, step: int, cancelled: Callable[[], bool] = never) -> Step | None:
        """Return step ``step`` of ``ant``, from 1 to 4.

        See :class:`gpu.core.decisions.Replay`; ValueError if there is no such step.
        """
        change = self.told(ant, step, cancelled)
        words = self._instance.city_words
        return None if change is None else change.step(self._iteration, words, self._caveat)

    def told(self, ant: int, step: int, cancelled: Callable[[], bool] = never) -> TourChange | None:
        """Return what the ant changes; see :meth:`decision`."""
        if not 1 <= step <= FOCUSED_STEPS:
            raise ValueError(f"step = {step} must be in [1, {FOCUSED_STEPS}]")
        cell = int(np.searchsorted(self._firsts, ant, side="right")) - 1
        if cell != self._cell or ant < self._ant:
            self._enter(cell)
        while self._ant < ant:
            if cancelled():
                return None
            count = min(ant - self._ant, _ANTS_AT_ONCE)
            single_ant.follow(self._state, self._patch, self._story, self._ant + 1, count)
            self._ant += count
        return self._change(step)

    def _enter(self, cell: int) -> None:
        """Lay out a cell as its first ant finds it."""
        log, source = self._state.log, self._state.source
        self._patch.number.fill(NOBODY)
        log.edges[0] = log.exchanges[0] = 0
        single_ant.enter_cell(self._state, self._patch, cell)
        self._cell, self._ant = cell, int(self._firsts[cell]) - 1
        inside = np.zeros(len(source), np.bool_)
        inside[self._members] = True
        outside = np.flatnonzero(~(inside & np.roll(inside, -1)))
        self._outside = self._of_instance(np.column_stack((source[outside], self._next(outside))))

    @property
    def _members(self) -> NDArray[np.int32]:
        """The cell's places of the source."""
        cells, cell = self._state.cells, self._cell
        return cells.members[cells.bounds[cell] : cells.bounds[cell + 1]]

    def _next(self, places: NDArray[np.integer]) -> NDArray[np.int32]:
        """The cities behind these places of the source."""
        source = self._state.source
        following: NDArray[np.int32] = source[(places + 1) % len(source)]
        return following

    def _change(self, step: int) -> TourChange:
        """Tell a step of the ant that searched last."""
        rows = ((FOUND, FOUND), (FOUND, BRIDGED), (BRIDGED, REPAIRED), (FOUND, REPAIRED))[step - 1]
        kept, given, made = self._compared(*rows)
        places = self._places()
        what: ChangeKind = places
        changed = [self._compared(FOUND, after)[1:] for after in (BRIDGED, REPAIRED)]
        around = np.concatenate([pairs.ravel() for both in changed for pairs in both])
        around //= self._halves
        if step == 1:
            around = places.behind.cities.ravel()
        elif step == 2:
            what = self._double_bridge(places.taken)
            around = np.concatenate((around, *what.stretches))
        elif step == 3:
            what = Repair(self._gains[0], back=not len(changed[1][0]))
        else:
            what = self._verdict(changed=len(given) > 0)
            around = np.concatenate((given, made)).ravel() // self._halves
        if not len(around):
            around = np.array([places.taken])
        return TourChange(
            ant=self._ant,
            number=step,
            what=what,
            kept=frozen(np.concatenate((self._outside, self._of_instance(kept)))),
            given=self._edges(given),
            made=self._edges(made),
            around=frozen(np.unique(around).astype(np.int32)),
        )

    @property
    def _gains(self) -> tuple[int, int]:
        """What the ant's double bridge and its local search gained."""
        numbers = self._story.numbers
        bridged = numbers[GAIN_BRIDGE] != NOT_BRIDGED
        return int(numbers[GAIN_BRIDGE]) if bridged else 0, int(numbers[GAIN_REPAIR])

    def _places(self) -> PlaceChoice:
        """Tell between which places the ant chose."""
        drawn = self._story.numbers[[FIRST_PLACE, OTHER_PLACE]]
        if drawn[0] == drawn[1] and self._state.rules.focus < 1:
            drawn = drawn[:1]
        at = self._members[drawn]
        cities = self._state.source[at]
        trails = self._state.trails.taken[cities]
        edges = self._edges(np.column_stack((cities, self._next(at))))
        return PlaceChoice(
            frozen(cities // self._halves),
            TourEdges(edges.cities, edges.lengths, frozen(trails)),
            int(trails.argmin()),  # of equal ones the first
        )

    def _double_bridge(self, drawn: int) -> DoubleBridge:
        """Tell which stretches changed places: B C D became D C B."""
        found, bridged = self._tours[FOUND], self._tours[BRIDGED]
        differing = np.flatnonzero(found != bridged)
        if not len(differing):
            return DoubleBridge(drawn, drawn, ())
        first, last = int(differing[0]), int(differing[-1])
        d = int(np.flatnonzero(found == bridged[first])[0])
        b = first + last + 1 - int(np.flatnonzero(bridged == found[first])[0])
        cities = self._patch.cities[found] // self._halves
        bounds = ((first, b), (b, d), (d, last + 1))
        stretches = [frozen(cities[begin : end : self._halves].copy()) for begin, end in bounds]
        return DoubleBridge(drawn, int(cities[first - 1]), tuple(stretches))

    def _verdict(self, *, changed: bool) -> Verdict:
        """Tell what became of the ant's tour."""
        measures, fate = self._story.measures, Fate.UNCHANGED
        if changed:
            fate = _FATES[int(self._story.numbers[VERDICT])]
        heat, cells = float(self._state.schedule[TEMPERATURE]), len(self._firsts) - 1
        return Verdict(fate, heat, float(measures[STORY_UNIT]), float(measures[STORY_DRAW]), cells)

    @property
    def _tours(self) -> NDArray[np.int32]:
        """The tours of the ant's story."""
        return self._story.tours[:, : int(self._patch.numbers[PATCH_CITIES])]

    def _compared(self, before: int, after: int) -> tuple[Pairs, Pairs, Pairs]:
        """Return the edges that two tours of the story have, only the first, only the second.

        Links are none of them.
        """
        old, new = (self._pairs(self._tours[row]) for row in (before, after))
        size = len(self._patch.cities)
        keys = [pairs[:, 0] * np.int64(size) + pairs[:, 1] for pairs in (old, new)]
        kept = np.isin(keys[0], keys[1])
        cities = self._patch.cities
        both, given, made = old[kept], old[~kept], new[~np.isin(keys[1], keys[0])]
        return cities[both], cities[given], cities[made]

    def _pairs(self, tour: NDArray[np.int32]) -> Pairs:
        """Return the edges of a patch's tour, each with its lower city first."""
        pairs = np.sort(np.column_stack((tour, np.roll(tour, -1))), axis=1)
        linked = (self._patch.links[pairs[:, 0]] == pairs[:, 1:]).any(axis=1)
        edges: Pairs = pairs[~linked]
        return edges

    def _of_instance(self, pairs: Pairs) -> Pairs:
        """Return edges between cities of the instance; those between halves of a city are none."""
        cities: Pairs = pairs // self._halves
        edges: Pairs = cities[cities[:, 0] != cities[:, 1]]
        return edges

    def _edges(self, pairs: Pairs) -> TourEdges:
        """Return edges with their lengths and trails."""
        lists, values = self._state.lists.neighbours, self._state.trails.values
        return edges_of(self._instance, lists, values, pairs, self._halves)


_FATES = {TOUR_KEPT: Fate.KEPT, TOO_LONG: Fate.TOO_LONG, NO_ROOM: Fate.NO_ROOM}
