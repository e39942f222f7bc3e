"""What the ants of a gpx colony do, to the last bit: the same on one core and on all cores.

On a GPU an ant makes the same moves, and crosses colorings in the same way. Whole runs differ:
iterations are longer there, every second ant begins with the greedy coloring, one that has fallen
behind always squeezes its own, and pairs of HEAD do so whenever fewer colors are tried. Where the
kernel of a graph is colored (:mod:`gpu.gpx.kernel`), what is called the graph here is that kernel,
whose vertices are numbered anew in ascending order.

**Random numbers.** A *word* is a random word of Philox. Move t (counted from 0) of the ant a has
word ``t & 3`` of block ``t >> 2`` of that ant, iteration 0, purpose TABU for a tabu search and
OPTIMIZE for an ant with a partial coloring; an ant's moves are counted on over its whole life.
What an ant draws when it crosses colorings, or makes a random one, in iteration i has words 0 and 1
of block 0 of (i, a), purpose CROSS. A *lot* is made of two whole numbers and a word,
:func:`gpu.tabu_search.cpu.lot_of`; it has 16 bits. Where options are equal, the one with the lowest
lot is taken; if lots are equal, the one with the lowest first number, and then the lowest second
one.

**Tabu moves** are those of :mod:`gpu.tabu_search.cpu`: lots are of vertex and color.

**A partial coloring** has a list of the vertices without color. At the beginning they are in
ascending order. A move takes one of them from the list, the last vertex of the list takes its
place, and gives it a class. Its neighbours in this class lose their color, in ascending order: each
goes to the end of the list.

**A conflict optimizer** takes the vertex at place ``word * length >> 32`` of the list. For each
class c, let G be the sum of the weights of the vertex' neighbours in c, and L the lot of vertex and
c. With the noise of ν percent, ``low = 1024 ν // 100``, and the key is ``G * (1024 - low + (L * (2
low + 1) >> 16)) + (L & 1023)`` in 32 bits. The class with the lowest key is taken, and if keys are
equal, the lowest class. Whoever loses its color weighs 1 more. If one of them then weighs
:func:`gpu.gpx.cpu.optimizer.heaviest_of` or more, all weights w become ``(w + 1) >> 1`` after the
move. A vertex weighs 1 at first.

**Partial tabu search** takes, of all vertices without color and all classes, the pair for which the
fewest vertices lose their color; lots are of vertex and class. Whoever loses its color in move t
must not have that class again before move ``t + 1 + T``, unless fewer vertices than ever have no
color then. If no pair is left, it takes the vertex at place ``word * length >> 32``, and the class
``L * k >> 16``, L being the lot of (vertex, 1). T is 10 at first. After every 1000 moves it becomes
15 more if the number of vertices without color changed by no more than 1 in them, and 1 less, but
not less than 0, if it changed by more. With each other number of colors, T and what is tabu begin
anew. The p-th such ant, counted from 0, tries ``p % PARTIAL_TARGETS`` colors fewer than others do,
but one at least.

**In a large graph** whose only ant is an optimizer, it makes rounds of moves at once while L of its
vertices have no color, L being 512 or more. An iteration i is one round; if fewer than 512 are left
after it, and no weights were halved in it, single moves as above follow, with a new list in each
iteration. Of the vertices without color those move of which the lot of
v modulo 2^16, v // 2^16 and word 0 of block 0 of (i, a), purpose OPTIMIZE, is less than
``65536 // max(8, L // 32768)``. Each chooses a class as in a single move, with word 1; but it gets
no color if a lower neighbour moves to the same class. Neighbours that were in the class of a vertex
that got it lose their color, and weigh 1 more from the next round on. An iteration in which a
number of colors is begun, or all vertices have a color, is one without moves; before its first
round, an optimizer sums up the weights.

**Squeezing.** A coloring that shall have fewer colors loses its smallest classes, of equals the
lowest one first; the others are numbered anew in their order. For a tabu search, the vertices of
these classes, in ascending order, get the color that the fewest of their neighbours have, of equals
the lowest; then nothing is tabu. In a partial coloring they have no color.

**A random coloring** with k colors gives vertex v the color ``L * k >> 16``, L being the lot of
(v, 1) and word 1.

**Islands.** Ants that cross colorings are a to b of island i, ``a = m i // I`` and
``b = m (i + 1) // I``, for m such ants on I islands. In a generation, each crosses its own coloring
with a partner's: of the others of its island, in ascending order, the one at place
``word * others // 2^32``, for word 2 of those with which it crosses.

**Crossing** (greedy partition crossover, Galinier and Hao 1999) of own coloring and partner's makes
classes 0, 1, ... k - 1 in turn, even ones from own classes, odd ones from the partner's: the class
with the most vertices that have no color yet; its lots are of the number of the new class and of
the class itself, and word 0. Vertices that are left over are listed in ascending order and
shuffled: for i from the last place to 1, places i and ``L * (i + 1) >> 16`` are exchanged, L being
the lot of (i, 2) and word 1. Then each goes to the class to whose vertices, those that were left
over and have a color by now included, the sum of its trails is largest; its lots are of vertex and
class, and word 0. Without trails each gets a color as in a random coloring.

**A generation** is as many tabu moves of each ant as ``moves`` says. It begins with the child of a
crossing, with as many colors as the best coloring of all has, less one; nothing is tabu. Its result
is the first coloring with the fewest conflicts of those with the fewest colors. As soon as a
coloring is proper, it is squeezed by one color, and the ant goes on with that in the same
generation. When others have found a coloring with fewer colors than an ant tries to make do with,
its coloring is squeezed before its next move; if it has to give up more than one color, and more
than one sixteenth of those that are left, the first ant of an island squeezes the best coloring
instead, and others begin with a random one. In the beginning all do as if they were so far behind.
If of all ants of an island the last crossing left no more than n / 100 vertices over, all of them
begin the next generation with a random coloring, and without trails.

**Trails.** At the end of a generation each trail t of an island becomes ``t * keep >> 16``, with
``keep`` = ρ 2^16 rounded; of two vertices with the same color in the result of an ant of the
island, ``(65536 - keep) * 65535 // 65536 // ants`` more for each such ant.

**HEAD** has islands of two, no trails, and elites: the result with the fewest conflicts of a cycle,
of equals the one that came first, and of the same generation that of the first ant. At the end of a
cycle the elite of the cycle before, if there is one, takes the place of the first ant's result.
Whenever fewer colors are tried, all begin anew with a random coloring, and forget their elites.

**Explorers** make tabu moves as well, and cross nothing. Explorer e, counted from 0, has the
spread ``EXPLORER_SPREADS[e % len(EXPLORER_SPREADS)]`` of tenures. The first of so many begins with
a random coloring of as many colors as the share ``explored`` of the best number says, rounded; it
is squeezed when that number falls. When it has had no fewer conflicts for ``patience`` generations,
it begins anew. The others begin with the best coloring, squeezed by one color, and squeeze their
own when others have found a better one; they never begin anew.
"""

from __future__ import annotations

from gpu.tabu_search.cpu import SPREAD

WHOLE_FACTOR = 1024  # a factor of 1, with which an optimizer multiplies a weight
TIE_LOTS = 1024  # what decides between weights that are equal
HEAVIEST_SUM = 1 << 21  # sums of weights, times a factor, fit into 32 bits
WHOLE_KEEP = 1 << 16  # a share of trails of 1
MOST_TRAIL = 65535  # of two vertices that always have one color
LONG_SPREAD, LONGER_SPREAD = 30, 100
EXPLORER_SPREADS = SPREAD, LONG_SPREAD, LONGER_SPREAD, SPREAD
MOST_SPREAD = max(EXPLORER_SPREADS)
PARTIAL_TARGETS = 4
FIRST_TENURE = 10  # of partial tabu search
LONGER_TENURE = 15  # is added where the search goes round in circles
TENURE_WINDOW = 1000  # moves after which that is looked at
UNCHANGED = 1  # it does if the number of vertices without color changed by no more than that
BEHIND = 16  # an ant is far behind if it must give up more than one in so many colors
FEW_LOOSE = 512  # vertices without color from which on an optimizer of a large graph makes rounds
ROUND_SHARE = 8  # one in so many of them moves in a round
MOST_AT_ONCE = 1 << 15  # of them, about
LOTS = 1 << 16  # how many there are
