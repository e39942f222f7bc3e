// ACS-GPU-Alt and ACS-GPU-SPM (2016, Sections 3.1.2 and 3.2): whole tours in one launch, a warp
// an ant; other ants read and write the same trails at the same time.
#pragma once

#include "gpu/cuda/kernels/colony_state.cuh"
#include "kernels.py"
#include "matrix_walk.cuh"
#include "selective_walk.cuh"

// A warp keeps the best of its tours: `tours` has two rows a warp, and `holders[w]` says which is
// the better one. So memory does not grow with the number of ants.
struct BestOfWarp {
    static constexpr bool MEASURED = true;
    int* tours;
    int* holders;
    int current = 0;

    INLINE int* row(int, int n) const { return tours + (2ll * blockIdx.x + current) * n; }

    INLINE void keep(int lane) {
        if (lane == 0) holders[blockIdx.x] = current;
        current ^= 1;
    }

    // The key of the warp's best tour of earlier launches of the iteration, if it may be the best
    // of all and must stay; else ~0.
    INLINE Word resume(const ColonyState* state, int first_ant, int warps) {
        Word best = __ldcg(&state->running_best);
        int ant = int(best & ((1 << ANT_BITS) - 1));
        if (best == ~0ull || ant >= first_ant || ant % warps != blockIdx.x) return ~0ull;
        current = holders[blockIdx.x] ^ 1;
        return best;
    }
};

// `tours` has a row an ant, for the local search, which measures them.
struct EveryTour {
    static constexpr bool MEASURED = false;
    int* tours;
    int* unused;

    INLINE int* row(int ant, int n) const { return row_of(tours, ant, n); }

    INLINE void keep(int) {}
};

// Builds the tours of the ants from `first_ant` to before `end_ant`. Warp w of the W of the grid
// builds those of the ants w, w + W, w + 2W, … from the first one on, which is a multiple of W.
//
// A block is one warp. The bound on registers lets 19 warps share a multiprocessor, so that an
// H100 builds the tours of 2508 ants at once.
template <class Walk, class Kept>
__global__ void
    __launch_bounds__(LANES, Walk::RESIDENT < MOST_BLOCKS ? Walk::RESIDENT : MOST_BLOCKS)
    build_tours(const BuildTours arguments) {
    const auto [common, trails, more_trails, far, memory_size, links, tabu_words, tours, holders,
                first_ant, end_ant, state] = arguments;
    const auto [ants, threshold, period, change, seed, lists, geometry, directed] = common;
    const int n = geometry.n;
    extern __shared__ __align__(16) unsigned shared[];
    int lane = held(threadIdx.x), warp = blockIdx.x, all_warps = gridDim.x;
    unsigned* slots = held_shared(shared);
    BitTabu tabu(slots + SLOT_WORDS, tabu_words);
    unsigned iteration = unsigned(state->iteration);
    Walk walk(lists, geometry, tabu, change, trails, more_trails, far, memory_size, links, slots,
              directed, lane);

    Kept kept_tours{tours, holders};
    Word best = ~0ull, sum = 0;
    if constexpr (Kept::MEASURED) best = kept_tours.resume(state, first_ant, all_warps);
    for (int ant = first_ant + warp; ant < end_ant; ant += all_warps) {
        int* tour = kept_tours.row(ant, n);
        Draws draws{seed, unsigned(ant), iteration};
        int start = draws.start(n), kept = start;
        tabu.clear(n, lane);
        walk.arrive(start, 0);
        walk.enter(0);
        for (int first = 0; first < n; first += LANES) {
            unsigned explorations = draws.explorations(first, threshold, lane);
            unsigned updates = __ballot_sync(ALL_LANES, (first + lane) % period == 0);
            // The random words of the roulette wheel for all 32 steps at once.
            unsigned spins = explorations ? draws.spin(first + lane) : 0;
            int steps = min(LANES, n - first);
            // The run of usual steps ends before these: steps that explore, and the next 32.
            unsigned stops = explorations | (steps < LANES ? 1u << steps : 0);
            for (int i = first == 0; i < steps; ++i) {
                bool usual = !(explorations >> i & 1);
                while (usual && walk.follow(updates >> i & 1, i & 1)) {
                    if (lane == i) kept = walk.city;
                    ++i;
                    usual = i < LANES && !(stops >> i & 1);
                }
                if (i == steps) break;
                int city = walk.step(explorations >> i & 1, __shfl_sync(ALL_LANES, spins, i),
                                     updates >> i & 1, i & 1);
                if (lane == i) kept = city;
            }
            if (lane < steps) __stcs(&tour[first + lane], kept);
        }
        walk.finish(start, n % period == 0);
        __syncwarp();
        if constexpr (Kept::MEASURED) {
            Word length = tour_length(geometry, tour, lane);
            sum += length;
            Word key = length << ANT_BITS | ant;
            if (key < best) {
                best = key;
                kept_tours.keep(lane);
            }
        }
    }
    report_tours(state, best, sum, lane);
    walk.report(state);
}
