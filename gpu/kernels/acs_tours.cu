// ACS-GPU-Alt and ACS-GPU-SPM (2016, Sections 3.1.2 and 3.2): whole tours in one launch, a warp
// an ant, plain updates of trails that other ants read and write at the same time.
#include "acs_walk.cuh"
#include "colony_state.cuh"
#include "philox.cuh"

// Builds the tours of one iteration. Warp w of the grid builds those of ants w, w + W, w + 2W, …
// and keeps the best of them: `tours` has two rows a warp, of which `holders[w]` is the best, so
// that memory does not grow with the number of ants.
template <class Walk>
__global__ void build_tours(int n, int ants, unsigned threshold, int period, float keep, float add,
                            unsigned seed_low, unsigned seed_high, const uint2* rows,
                            const uint2* backup, int metric, double beta,
                            const double* coordinates, const int* matrix, const int* nearest,
                            int directed, void* trails, void* more_trails, void* bounds,
                            int memory_size, int tabu_words, int* tours, int* holders,
                            ColonyState* state) {
    extern __shared__ unsigned shared[];
    int lane = threadIdx.x % LANES, warps = blockDim.x / LANES;
    int warp = blockIdx.x * warps + threadIdx.x / LANES, all_warps = gridDim.x * warps;
    BitTabu tabu(shared + threadIdx.x / LANES * tabu_words, tabu_words);
    CandidateLists lists{rows, backup};
    Geometry geometry{n, metric, beta, coordinates, matrix, nearest};
    Seed seed{seed_low, seed_high};
    unsigned iteration = static_cast<unsigned>(state->iteration);
    Walk walk(lists, geometry, tabu, LocalUpdate{keep, add}, trails, more_trails, bounds,
              memory_size, directed, lane);

    Word best = ~0ull, sum = 0;
    int current = 0;
    for (int ant = warp; ant < ants; ant += all_warps) {
        int* tour = tours + (2ll * warp + current) * n;
        ExplorationBits exploration;
        int start = draw_start(seed, ant, iteration, n), kept = start;
        walk.begin(start);
        tabu.clear(n, lane);
        walk.visit(start);
        int until_update = period;
        for (int step = 1; step < n; ++step) {
            if (step == 1 || step % 128 == 0)
                exploration.draw(seed, ant, iteration, step & ~127, threshold, lane);
            bool due = --until_update == 0;
            if (due) until_update = period;
            bool explores = exploration.explores(step);
            float number = explores ? draw_roulette(seed, ant, iteration, step) : 0.0f;
            int city = walk.step(explores, number, due);
            if (lane == step % LANES) kept = city;
            if (step % LANES == LANES - 1) __stcs(&tour[step - LANES + 1 + lane], kept);
        }
        if (lane < n % LANES) __stcs(&tour[n - n % LANES + lane], kept);
        walk.finish(start, --until_update == 0);
        __syncwarp();

        Word length = tour_length(geometry, tour, lane);
        sum += length;
        Word key = length << ANT_BITS | ant;
        if (key < best) {
            best = key;
            if (lane == 0) holders[warp] = current;
            current ^= 1;
        }
    }
    report_tours(state, best, sum, lane);
    walk.report(state);
}
