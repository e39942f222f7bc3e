"""What is seen in each view, in two sentences, and the paper to read about it."""

from __future__ import annotations

from collections.abc import Mapping

from views.widgets.explanation import Explanation, Paper

_AS = Paper(
    "Dorigo, Maniezzo, Colorni: Ant System (1996)",
    "10.1109/3477.484436",
)
_ACS = Paper(
    "Dorigo, Gambardella: Ant Colony System (1997)",
    "10.1109/4235.585892",
)
_MMAS = Paper(
    "Stützle, Hoos: MAX-MIN Ant System (2000)",
    "10.1016/S0167-739X(00)00043-1",
)
_SELECTIVE = Paper(
    "Skinderowicz: The GPU-based parallel Ant Colony System (2016)",
    "10.1016/j.jpdc.2016.04.014",
)
_PHASES = Paper(
    "Skinderowicz: Implementing a GPU-based parallel MAX-MIN Ant System (2020)",
    "10.48550/arXiv.2003.11902",
)
_SPEEDUP = Paper(
    "Cecilia and others: Enhancing data parallelism for Ant Colony Optimization on GPUs (2013)",
    "10.1016/j.jpdc.2012.01.002",
)
_COLORING = Paper(
    "Leighton: A graph coloring algorithm for large scheduling problems (1979)",
    "10.6028/jres.084.024",
)
_ANTCOL = Paper(
    "Costa, Hertz: Ants can colour graphs (1997)",
    "10.1057/palgrave.jors.2600357",
)
_TSPLIB = Paper(
    "Reinelt: TSPLIB, a traveling salesman problem library (1991)", "10.1287/ijoc.3.4.376"
)
_RANK_SUM = Paper(
    "Wilcoxon: Individual comparisons by ranking methods (1945)",
    "10.2307/3001968",
)
_SPRINGS = Paper(
    "Zheng, Pawar, Goodman: Graph drawing by stochastic gradient descent (2019)",
    "10.1109/TVCG.2018.2859997",
)
_RANDOM = Paper(
    "Salmon and others: Parallel random numbers: as easy as 1, 2, 3 (2011)",
    "10.1145/2063384.2063405",
)

# By the key of the view.
EXPLANATIONS: Mapping[str, Explanation] = {
    "tour": Explanation(
        "The bold line is the shortest tour that the colony has found, the thin one the best tour "
        "of the last iteration. The green bands are the trails on which ants have left most "
        "pheromone: the wider the band, the more likely the next ants take that edge.",
        _AS,
    ),
    "decision": Explanation(
        "As a rule an ant stands in a city and chooses the next one: the bars show how likely each "
        "city is, from the trail to it (τ) and from its nearness (η). A focused or a crossing ant "
        "changes a tour instead: its steps show the edges that it gives up and makes, and whether "
        "the tour is kept.",
        _ACS,
    ),
    "coloring-decision": Explanation(
        "An ant fills one color class after the other: a neighbour of the class is excluded from "
        "it, and all other uncolored vertices are candidates. A candidate is the more likely the "
        "more excluded neighbours it has (d_N) and the stronger its trail (τ) is to the vertex "
        "that the ant colored last.",
        _ANTCOL,
    ),
    "graph": Explanation(
        "Each mark is a vertex and each color or shape a class; vertices that an edge joins must "
        "be in different classes. The fewer classes the better, and an edge within a class is "
        "drawn as a conflict.",
        _SPRINGS,
    ),
    "matrix": Explanation(
        "Each dot is an edge between the vertex of its row and the vertex of its column, and the "
        "vertices of one color are together. The squares on the diagonal are the classes: in a "
        "proper coloring they are empty.",
        _COLORING,
    ),
    "runs": Explanation(
        "Each row is a run that was recorded, with its colony, its seed and what it found. The "
        "gap says by how many percent its cost exceeds the best known one.",
        _TSPLIB,
    ),
    "race": Explanation(
        "Each lane is a colony that works on the same instance with the same limits. The curves "
        "and the table say which one is ahead at equal time, and which needs fewer tours for an "
        "equal gap.",
        _MMAS,
    ),
    "study": Explanation(
        "A study runs colonies on instances with many seeds, so that luck does not decide. A "
        "small p-value says that the difference between two colonies would be rare if they were "
        "equally good.",
        _RANK_SUM,
    ),
    "convergence": Explanation(
        "The bold curve is the cost of the best solution so far, which can only fall. The mean of "
        "an iteration lies above it: as long as the two are apart, ants still try different "
        "solutions.",
        _MMAS,
    ),
    "classes": Explanation(
        "Each bar is a color class, and its height the number of vertices in it. Ants fill one "
        "class after the other, so that the first classes are large and the last ones small.",
        _COLORING,
    ),
    "hit-rates": Explanation(
        "A selective memory keeps only a few trails at each city. The curves say how often an "
        "update finds its trail there: a low rate means that the memory forgets much.",
        _SELECTIVE,
    ),
    "device": Explanation(
        "The bars say where the time of an iteration goes: building solutions, improving them, "
        "updating the trails. The branching factor is the mean number of edges that ants still "
        "consider at a city: near 1 the search has settled.",
        _PHASES,
    ),
    "pheromone": Explanation(
        "The colour of each place is the trail (τ) between two cities, compared with the trail at "
        "the beginning (τ₀). The rows follow the best tour, so that a bright line shows that ants "
        "have agreed on it, and bright places beside it show where they still try other ways.",
        _AS,
    ),
    "speedup": Explanation(
        "The curves say how many times as fast as one core of the CPU the other devices build "
        "tours. Instances, parameters and numbers of tours are the same, and the times are "
        "medians of several measurements.",
        _SPEEDUP,
    ),
    "compare": Explanation(
        "The table says how long an iteration takes with each colony and each option that this "
        "device can run. It says nothing of how good the solutions are.",
        _PHASES,
    ),
    "log": Explanation(
        "The log records how a run began and what it found, line by line. With the same seed most "
        "colonies find the same solutions again, because all random numbers follow from it.",
        _RANDOM,
    ),
}
