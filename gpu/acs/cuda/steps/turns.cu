// ACS-GPU for more ants than the device has room for warps: a warp takes turns among several.
#include "gpu/acs/cuda/kernels.py"
#include "gpu/acs/cuda/matrix_walk.cuh"
#include "gpu/cuda/kernels/colony_state.cuh"
#include "gpu/cuda/kernels/order.cuh"
#include "step_updates.cuh"

// A local update that is made after all ants have chosen; `back` is null if directed.
struct StepUpdate {
    float* there;
    float* back;  // the reverse edge's trail, equal to this one's

    INLINE void apply(LocalUpdate change) const {
        swap(there, change);
        if (back) swap(back, change);
    }

  private:
    static INLINE void swap(float* place, LocalUpdate change) {
        TrailSwap swap;
        float trail = __ldcg(place);
        swap.begin(place, trail, change(trail));
        swap.settle(change);
    }
};

// One ant between two steps, where a warp takes turns among several. Its tabu bits follow it.
struct AntRecord {
    StepUpdate update;
    unsigned explorations;
    int city;
};

static_assert((sizeof(AntRecord) + 7) / 8 * 2 == ANT_RECORD_WORDS, "whole pairs of words");

// Makes the steps of all ants from `first_step` to before `end_step`, of which an iteration has
// n + 1, as step_tours does. The ants live in `ants_memory`, or if they fit, `in_shared` memory
// during a launch; all updates are swaps.
__global__ void __launch_bounds__(TURNING_WARPS* LANES) step_many_tours(
    const StepManyTours arguments) {
    const auto& [common, listed, outside, far, tours, state, tabu_words, ants_memory, in_shared,
                 first_step, end_step] = arguments;
    const auto& [ants, threshold, period, change, seed, lists, geometry, directed] = common;
    const int n = geometry.n;
    extern __shared__ unsigned long long shared_ants[];
    int lane = threadIdx.x % LANES, warps = blockDim.x / LANES;
    int first = blockIdx.x + threadIdx.x / LANES * gridDim.x, all_warps = gridDim.x * warps;
    int mine = first < ants ? (ants - 1 - first) / all_warps + 1 : 0;
    int at_most = (ants - 1) / all_warps + 1;
    long long record_words = ANT_RECORD_WORDS + (tabu_words + 1) / 2 * 2;
    unsigned* kept = reinterpret_cast<unsigned*>(ants_memory) + first * at_most * record_words;
    unsigned* home = in_shared ? reinterpret_cast<unsigned*>(shared_ants) +
                                     threadIdx.x / LANES * at_most * record_words
                               : kept;
    if (in_shared && first_step > 0) {
        for (int i = lane; i < mine * record_words; i += LANES) home[i] = kept[i];
        __syncwarp();
    }
    unsigned iteration = unsigned(state->iteration);
    // Each update before this launch had two barriers.
    unsigned met = 2 * (max(first_step - 1, 0) / period);
    GridBarrier barrier{&state->arrivals, met * gridDim.x};

    int until_update = period - max(first_step - 1, 0) % period;
    for (int step = first_step; step < end_step; ++step) {
        bool due = step > 0 && --until_update == 0;
        if (due) until_update = period;
        for (int i = 0; i < mine; ++i) {
            AntRecord& ant = *reinterpret_cast<AntRecord*>(home + i * record_words);
            BitTabu tabu(home + i * record_words + ANT_RECORD_WORDS, tabu_words);
            MatrixWalk<RACING> walk(lists, geometry, tabu, change, listed, outside, far, 0, nullptr,
                                    nullptr, directed, lane);
            int number = first + i * all_warps;
            Draws draws{seed, unsigned(number), iteration};
            int from = step == 0 ? 0 : ant.city, next = draws.start(n);
            if (step == 0) {
                tabu.clear(n, lane);
            } else {
                walk.look(from);
                if (step == 1 || step % LANES == 0) {
                    unsigned drawn = draws.explorations(step & -LANES, threshold, lane);
                    if (lane == 0) ant.explorations = drawn;
                    __syncwarp();
                }
                if (step < n) {
                    OutsideTrail unused;
                    OutsideOptions options;
                    bool stuck = !__any_sync(ALL_LANES, walk.free());
                    if (stuck) {
                        Fallback fallback;
                        fallback.prepare(lists, tabu, geometry, from, lane);
                        options = walk.trails.options(fallback, walk.trails.far_of(from, lane),
                                                      geometry, tabu, from, lane);
                    }
                    next = choose(walk, walk.trails, walk.trail, stuck, options, AsRead{},
                                  ant.explorations >> step % LANES & 1, draws, step, unused);
                }
                float* there = walk.trails.find(lists, from, next, lane);
                float* back = directed ? nullptr : walk.trails.find(lists, next, from, lane);
                if (lane == 0) ant.update = StepUpdate{there, back};
                __syncwarp();
            }
            walk.visit(next);
            if (lane == 0) {
                ant.city = next;
                if (step < n) tours[static_cast<long long>(number) * n + step] = next;
            }
            __syncwarp();
        }
        if (!due) continue;
        barrier.arrive();
        barrier.wait();
        for (int i = lane; i < mine; i += LANES)
            reinterpret_cast<AntRecord*>(home + i * record_words)->update.apply(change);
        barrier.arrive();
        barrier.wait();
    }

    if (end_step <= n) {
        if (in_shared) {
            __syncwarp();
            for (int i = lane; i < mine * record_words; i += LANES) kept[i] = home[i];
        }
        return;
    }
    Word best = ~0ull, sum = 0;
    for (int i = 0; i < mine; ++i) {
        int number = first + i * all_warps;
        Word length = tour_length(geometry, row_of(tours, number, n), lane);
        best = min(best, length << ANT_BITS | number);
        sum += length;
    }
    report_tours(state, best, sum, lane);
}
