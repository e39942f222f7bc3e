// ACO-RLF (2017): the ants of an iteration color the graph, a block an ant.
#pragma once

#include "gpu/cuda/kernels/colony_state.cuh"
#include "kernels.py"
#include "selection.cuh"

// Blocks have enough warps for each to own OWN words of vertices. `order` gets the vertices in the
// order of visits, or is null.
template <int ROWS, int OWN, template <int> class Selection>
__global__ void __launch_bounds__(LANES * LANES * ROWS / OWN, OWN == 1 || ROWS > 4 ? 1 : 2)
color_graph(const ColorGraph arguments) {
    const auto [n, words, seed, adjacency, columns, powers, info, prefixes, trials, colors, order,
                costs, state, first_ant] = arguments;
    extern __shared__ unsigned short shared[];
    __shared__ GroupMemory memory;
    int thread = threadIdx.x, ant = first_ant + blockIdx.x, lane = thread % LANES;
    Group<> group{memory, int(blockDim.x) / LANES, thread / LANES, lane};
    Draws draws{seed, unsigned(ant), unsigned(state->iteration)};
    Graph graph{n, words, adjacency + lane};
    Choices choices{columns, powers, info, prefixes};
    Walk<ROWS, OWN> walk(graph, group.warp, lane);
    Selection<OWN> selection(shared, trials);
    StepWords starts{START};
    int* own_colors = row_of(colors, ant, n);
    int color = 0;
    for (int step = 0;; ++color) {
        walk.begin_class();
        unsigned word = starts.at(draws, step, lane);  // of n - step vertices any may be the first
        int vertex = walk.uncolored.nth(int(__umulhi(word, n - step)), lane);
        while (true) {
            if (thread == 0) {
                own_colors[vertex] = color;
                if (order) order[static_cast<long long>(ant) * n + step] = vertex;
            }
            bool more = walk.visit(vertex);
            ++step;
            if (!more) break;
            selection.look(walk, choices, vertex);
            walk.count();
            vertex = selection.choose(group, walk, choices, draws, step);
        }
        if (step == n) break;
    }
    Word cost = Word(color) + 1;
    if (thread == 0) costs[ant] = cost;
    if (group.warp == 0) report_tours(state, cost << ANT_BITS | Word(ant), cost, lane);
}
