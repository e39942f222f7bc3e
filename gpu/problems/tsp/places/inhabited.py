"""Where on the globe people live, roughly: what tells latitudes from longitudes without a header.

A list of places nearly always lies where people live. Read with its columns the other way round, it
hardly ever does as well: most of such places are in the sea, in a desert, or beyond the poles.
"""

from __future__ import annotations

import numpy as np

from gpu.problems.tsp.distances import Reals

CELL_SIDE = 5  # degrees of a cell of the map
_NORTH = 75  # latitude of its upper edge
_POPULATION = (
    "........................................111.............................",  #  70
    "................................1.....112221..1.2212.2..................",  #  65
    ".....12.11..11.................2111..222322222222222.........2..........",  #  60
    ".........1..11..1.................13.233323333333221222221111.....1.1...",  #  55
    ".........112232221..1.1.11........3444333333333322323321222122222..2....",  #  50
    "..........1322222322332212.........344333333322112222211121133322.......",  #  45
    "...........2232233333422..........33333333333322233323211233332.31......",  #  40
    "...........33123333332........1...3333333333333323221111334434343.......",  #  35
    "............333233332..1........2.332332234333322344211134444333........",  #  30
    ".............23333232...........321.11111232333323344432344332..........",  #  25
    "....2........1333.2321..........2....11...232323.344344324433...........",  #  20
    "....2..........343323332.......13..222.1..33322...443223332.3....1......",  #  15
    ".................33233332......2323333322233321...243.1233..32..1.......",  #  10
    "...................3332221.......3334432222332.....33..232.233..........",  #   5
    "....................3311.2........11.332223313....1....3322221........1.",  #   0
    "....................321212323........12323331..1........3222221121......",  #  -5
    "...................23222..2233........323223.............44322..12.11...",  # -10
    ".1..................321111123.........22133222..............1.1.........",  # -15
    "1.....1..............23222332.........121333.3..............1....2...1.2",  # -20
    "1...1................2211343..........12132112.2...........1..1..12..1..",  # -25
    ".....................222333............1133..1............11.....13.....",  # -30
    ".....................32333.............3222................21..2123.....",  # -35
    ".....................3222......................................1321...22",  # -40
    ".....................211.........................................2....21",  # -45
    ".....................11..............................................11.",  # -50
    ".....................11.................................................",  # -55
)
"""How many live in each cell of five degrees from 180° west on; behind a row is its southern edge.

A point stands for hardly anybody, 1 for some 100,000, 2 for a million, 3 for ten, 4 for far more.
"""

_CELLS = np.array([[*map(int, row.replace(".", "0"))] for row in _POPULATION])
INHABITED_SHARE = 0.9  # of the places of a list, at least, that are where people live
_FAR_MORE = 1.0  # how much more populated cells must be, on average, than the other way round
_SURE = (4.0, 8.0)  # by how much in all; more where the longitude is first, which fewer write


def population(latitudes: Reals, longitudes: Reals) -> Reals:
    """Return how populated the surroundings of each place are: from 0 to 4, beyond the globe 0."""
    on_globe = (np.abs(latitudes) <= 90.0) & (np.abs(longitudes) <= 180.0)
    row = np.floor((_NORTH - np.where(on_globe, latitudes, 90.0)) / CELL_SIDE).astype(np.int64)
    column = np.floor((np.where(on_globe, longitudes, 0.0) + 180.0) / CELL_SIDE).astype(np.int64)
    inside = on_globe & (row >= 0) & (row < len(_CELLS))
    found = _CELLS[np.where(inside, row, 0), column % _CELLS.shape[1]]
    return np.where(inside, found, 0).astype(np.float64)


def where_people_live(degrees: Reals, share: float = INHABITED_SHARE) -> bool:
    """Whether such a ``share`` of latitudes and longitudes, shape (n, 2), is where people live."""
    return bool(np.mean(population(*degrees.T) > 0.0) >= share)


def latitude_column(points: Reals) -> int | None:
    """Return which column of ``points``, shape (n, 2), has the latitudes; None if it is open.

    Each cell counts once: many places in one town tell no more than one.
    """
    _, kept = np.unique(np.floor(points / CELL_SIDE), axis=0, return_index=True)
    cells = points[kept]
    more = population(*cells.T) - population(*cells[:, ::-1].T)
    for column, gain in enumerate((more, -more)):
        ordered = points if column == 0 else points[:, ::-1]
        if gain.mean() >= _FAR_MORE and gain.sum() >= _SURE[column] and where_people_live(ordered):
            return column
    return None
