// What an ant of the Ant System chooses by: the weights of all edges (2013, `choice_info`),
// computed before each iteration, so that no ant has to raise anything to a power.
#include "gpu/cuda/kernels/choice.cuh"
#include "gpu/cuda/kernels/geometry.cuh"
#include "kernels.py"

// Matrices have a row of `columns` floats a city, `columns` being a multiple of four. Beyond the
// n-th, and from a city to itself, heuristic and weights are 0: there is no edge.

// eta^beta of every edge, once a run, in units of the row's nearest neighbour.
__global__ void prepare_heuristic(const PrepareHeuristic arguments) {
    const auto [geometry, columns, heuristic] = arguments;
    const int n = geometry.n;
    long long size = static_cast<long long>(n) * columns;
    for (long long i = grid_thread(); i < size; i += grid_threads()) {
        int from = int(i / columns), to = int(i % columns);
        heuristic[i] = from == to || to >= n ? 0.0f : geometry.weight(from, to);
    }
}

// Four edges a thread. Trails and heuristic are not read again while the ants build tours: they
// leave the L2 cache to the weights.
template <class Power>
__global__ void weigh_choices(const WeighChoices arguments) {
    const auto [quarters, alpha, trails, heuristic, weights] = arguments;
    Power power(alpha);
    long long stride = grid_threads();
    for (long long i = grid_thread(); i < quarters; i += stride) {
        float4 trail = __ldcs(&trails[i]), eta = __ldcs(&heuristic[i]);
        weights[i] = make_float4(choice(power(trail.x), eta.x), choice(power(trail.y), eta.y),
                                 choice(power(trail.z), eta.z), choice(power(trail.w), eta.w));
    }
}
