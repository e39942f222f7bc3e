// ACS-GPU (2016, Section 3.1.2): all ants take one step, then the next; local updates by
// compare-and-swap.
//
// The paper launches one kernel a step. Here one cooperative launch takes all steps of an
// iteration, and a barrier over the grid stands where a launch ended: the same order of events at
// a fraction of the cost. A second barrier parts the choices of a step from its updates, which
// makes the colony reproducible: all ants choose from the trails as the step found them, and an
// edge that c ants took is updated c times, in whichever order.
#include "acs_walk.cuh"
#include "colony_state.cuh"
#include "philox.cuh"

// Builds the tours of one iteration with a warp for every ant. `tours` has a row an ant.
//
// What a step needs and no update can change (the next city's candidates, its tabu bits) is done
// between arriving at a barrier and waiting there.
__global__ void step_tours(int n, int ants, unsigned threshold, int period, float keep, float add,
                           unsigned seed_low, unsigned seed_high, const uint2* rows,
                           const uint2* backup, int metric, double beta,
                           const double* coordinates, const int* matrix, const int* nearest,
                           int directed, float* listed, float* outside, float* beyond,
                           int tabu_words, int* tours, ColonyState* state) {
    extern __shared__ unsigned shared[];
    int lane = threadIdx.x % LANES;
    // Neighbouring ants go to different multiprocessors, so that all have as many.
    int ant = blockIdx.x + threadIdx.x / LANES * gridDim.x;
    bool works = ant < ants;  // the same for all lanes of a warp
    BitTabu tabu(shared + threadIdx.x / LANES * tabu_words, tabu_words);
    CandidateLists lists{rows, backup};
    Geometry geometry{n, metric, beta, coordinates, matrix, nearest};
    LocalUpdate change{keep, add};
    Seed seed{seed_low, seed_high};
    unsigned iteration = static_cast<unsigned>(state->iteration);
    GridBarrier barrier(&state->arrivals);
    MatrixWalk walk(lists, geometry, tabu, change, listed, outside, beyond, 0, directed, lane);
    int* tour = tours + static_cast<long long>(ant) * n;
    int start = draw_start(seed, ant, iteration, n), kept = start, until_update = period;
    ExplorationBits exploration;
    EdgeUpdate update{nullptr, nullptr, 0.0f};
    if (works) {
        walk.begin(start);
        tabu.clear(n, lane);
        walk.visit(start);
    }
    for (int step = 1; step <= n; ++step) {
        bool due = --until_update == 0;
        if (due) until_update = period;
        if (works && step < n) {
            if (step == 1 || step % 128 == 0)
                exploration.draw(seed, ant, iteration, step & ~127, threshold, lane);
            bool explores = exploration.explores(step);
            float number = explores ? draw_roulette(seed, ant, iteration, step) : 0.0f;
            int next = walk.advance(explores, number, due, update);
            if (lane == step % LANES) kept = next;
        } else if (works) {
            walk.close(start, due, update);
        }
        if (due) barrier.arrive();
        if (works) {
            walk.visit(walk.city);
            if (step % LANES == LANES - 1 && step < n) tour[step - LANES + 1 + lane] = kept;
        }
        if (due) {
            barrier.wait();
            update.swap(change);
            barrier.arrive();
            barrier.wait();
        }
        if (works) walk.sense();
    }
    if (!works) return;
    if (lane < n % LANES) tour[n - n % LANES + lane] = kept;
    __syncwarp();
    Word length = tour_length(geometry, tour, lane);
    report_tours(state, length << ANT_BITS | ant, length, lane);
}

// One ant between two steps, where a warp takes turns among several. Its tabu bits follow it.
struct AntRecord {
    EdgeUpdate update;
    ExplorationBits exploration;
    int city;
};

constexpr int ANT_RECORD_WORDS = (sizeof(AntRecord) + 7) / 8 * 2;

// The same for more ants than the device has room for warps. The ants live in shared memory, or
// in `ants_memory` if there are too many for that.
__global__ void step_many_tours(int n, int ants, unsigned threshold, int period, float keep,
                                float add, unsigned seed_low, unsigned seed_high,
                                const uint2* rows, const uint2* backup, int metric, double beta,
                                const double* coordinates, const int* matrix, const int* nearest,
                                int directed, float* listed, float* outside, float* beyond,
                                int tabu_words, unsigned long long* ants_memory, int* tours,
                                ColonyState* state) {
    extern __shared__ unsigned long long shared_ants[];
    int lane = threadIdx.x % LANES, warps = blockDim.x / LANES;
    int first = blockIdx.x + threadIdx.x / LANES * gridDim.x, all_warps = gridDim.x * warps;
    int mine = first < ants ? (ants - 1 - first) / all_warps + 1 : 0;
    int at_most = (ants - 1) / all_warps + 1;
    long long record_words = ANT_RECORD_WORDS + (tabu_words + 1) / 2 * 2;
    unsigned* home = ants_memory ? reinterpret_cast<unsigned*>(ants_memory) +
                                       first * at_most * record_words
                                 : reinterpret_cast<unsigned*>(shared_ants) +
                                       threadIdx.x / LANES * at_most * record_words;
    CandidateLists lists{rows, backup};
    Geometry geometry{n, metric, beta, coordinates, matrix, nearest};
    LocalUpdate change{keep, add};
    Seed seed{seed_low, seed_high};
    unsigned iteration = static_cast<unsigned>(state->iteration);
    GridBarrier barrier(&state->arrivals);

    int until_update = period;
    for (int step = 0; step <= n; ++step) {
        bool due = step > 0 && --until_update == 0;
        if (due) until_update = period;
        for (int i = 0; i < mine; ++i) {
            AntRecord& ant = *reinterpret_cast<AntRecord*>(home + i * record_words);
            BitTabu tabu(home + i * record_words + ANT_RECORD_WORDS, tabu_words);
            MatrixWalk walk(lists, geometry, tabu, change, listed, outside, beyond, 0, directed,
                            lane);
            int number = first + i * all_warps, start = draw_start(seed, number, iteration, n);
            int* tour = tours + static_cast<long long>(number) * n;
            EdgeUpdate update{nullptr, nullptr, 0.0f};
            int next = start;
            if (step == 0) {
                tabu.clear(n, lane);
            } else {
                walk.begin(ant.city);
                if (step == 1 || step % 128 == 0) {
                    ExplorationBits drawn;
                    drawn.draw(seed, number, iteration, step & ~127, threshold, lane);
                    if (lane == 0) ant.exploration = drawn;
                    __syncwarp();
                }
                bool explores = ant.exploration.explores(step);
                float wheel = explores ? draw_roulette(seed, number, iteration, step) : 0.0f;
                if (step < n)
                    next = walk.advance(explores, wheel, due, update);
                else
                    walk.close(start, due, update);
            }
            walk.visit(next);
            if (lane == 0) {
                ant.city = next;
                if (step < n) tour[step] = next;
            }
            if (update.there) ant.update = update;
            __syncwarp();
        }
        if (!due) continue;
        barrier.arrive();
        barrier.wait();
        for (int i = lane; i < mine; i += LANES)
            reinterpret_cast<AntRecord*>(home + i * record_words)->update.swap(change);
        barrier.arrive();
        barrier.wait();
    }

    Word best = ~0ull, sum = 0;
    for (int i = 0; i < mine; ++i) {
        int number = first + i * all_warps;
        Word length = tour_length(geometry, tours + static_cast<long long>(number) * n, lane);
        best = min(best, length << ANT_BITS | number);
        sum += length;
    }
    report_tours(state, best, sum, lane);
}
