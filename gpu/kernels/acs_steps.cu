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

// One ant between two steps, the same in all lanes of its warp.
struct Ant {
    int city;
    ExplorationBits exploration;
};

// Where a warp with several ants keeps them: the ant, its pending update, its tabu bits.
struct AntRecord {
    PendingUpdate pending;
    Ant ant;
};

constexpr int ANT_RECORD_WORDS = sizeof(AntRecord) / sizeof(unsigned);

// Builds the tours of one iteration. MANY is false if every ant has a warp of its own and lives in
// its registers; its tabu bits are in shared memory. Otherwise a warp takes turns among its ants,
// which live in shared memory, or in `ants_memory` if that is too small. `tours` has a row an ant.
template <bool MANY>
__global__ void step_tours(int n, int ants, unsigned threshold, int period, float keep, float add,
                           unsigned seed_low, unsigned seed_high, const uint2* rows,
                           const uint2* backup, int backup_width, int metric, double beta,
                           const double* coordinates, const int* matrix, const int* nearest,
                           int directed, float* listed, float* outside, float* beyond,
                           unsigned long long* ants_memory, int* tours, ColonyState* state) {
    extern __shared__ unsigned long long shared[];
    int lane = threadIdx.x % LANES, warps = blockDim.x / LANES;
    // Neighbouring ants go to different multiprocessors, so that all have as many.
    int first = blockIdx.x + threadIdx.x / LANES * gridDim.x, all_warps = gridDim.x * warps;
    int mine = first < ants ? (ants - 1 - first) / all_warps + 1 : 0;
    int at_most = MANY ? (ants - 1) / all_warps + 1 : 1;
    int record_words = (MANY ? ANT_RECORD_WORDS : 0) + (n + 2 * LANES - 1) / (2 * LANES) * 2;
    unsigned* home =
        MANY && ants_memory
            ? reinterpret_cast<unsigned*>(ants_memory) +
                  static_cast<long long>(first) * at_most * record_words
            : reinterpret_cast<unsigned*>(shared) +
                  threadIdx.x / LANES * at_most * record_words;
    CandidateLists lists{rows, backup, backup_width};
    Geometry geometry{n, metric, beta, coordinates, matrix, nearest};
    TrailMatrix trails{listed, outside, beyond, n, static_cast<bool>(directed)};
    LocalUpdate change{keep, add};
    Seed seed{seed_low, seed_high};
    unsigned iteration = static_cast<unsigned>(state->iteration);
    GridBarrier barrier(&state->arrivals);
    Ant ant;
    PendingUpdate pending{nullptr, nullptr, 0.0f};

    for (int i = 0; i < mine; ++i) {
        unsigned* record = home + static_cast<long long>(i) * record_words;
        int number = first + i * all_warps;
        BitTabu tabu(record + (MANY ? ANT_RECORD_WORDS : 0), n);
        tabu.clear(n, lane);
        ant.city = draw_start(seed, number, iteration, n);
        if (lane == 0) {
            tabu.mark(ant.city);
            tours[static_cast<long long>(number) * n] = ant.city;
            if (MANY) reinterpret_cast<AntRecord*>(record)->ant = ant;
        }
        __syncwarp();
    }

    int until_update = period;
    for (int step = 1; step <= n; ++step) {
        bool due = --until_update == 0;
        if (due) until_update = period;
        for (int i = 0; i < mine; ++i) {
            unsigned* record = home + static_cast<long long>(i) * record_words;
            int number = first + i * all_warps;
            if (MANY) ant = reinterpret_cast<AntRecord*>(record)->ant;
            if (step == 1 || step % 128 == 0)
                ant.exploration.draw(seed, number, iteration, step & ~127, threshold, lane);
            BitTabu tabu(record + (MANY ? ANT_RECORD_WORDS : 0), n);
            MatrixWalk walk(lists, geometry, tabu, change, listed, outside, beyond, 0, directed,
                            lane);
            pending.there = nullptr;
            if (step < n) {
                bool explores = ant.exploration.explores(step);
                float wheel = explores ? draw_roulette(seed, number, iteration, step) : 0.0f;
                ant.city = walk.step_pending(ant.city, explores, wheel, due, pending);
                if (lane == 0) tours[static_cast<long long>(number) * n + step] = ant.city;
            } else if (due) {
                walk.finish_pending(ant.city, draw_start(seed, number, iteration, n), pending);
            }
            if (MANY) {
                __syncwarp();
                if (lane == 0) reinterpret_cast<AntRecord*>(record)->ant = ant;
                if (pending.there) reinterpret_cast<AntRecord*>(record)->pending = pending;
                __syncwarp();
            }
        }
        if (!due) continue;
        barrier.arrive();
        barrier.wait();
        if (MANY) {
            for (int i = lane; i < mine; i += LANES)
                reinterpret_cast<AntRecord*>(home + static_cast<long long>(i) * record_words)
                    ->pending.apply(change);
        } else {
            pending.apply(change);
        }
        barrier.arrive();
        barrier.wait();
    }

    __syncwarp();  // lane 0 wrote the tours that all lanes read now
    Word best = ~0ull, sum = 0;
    for (int i = 0; i < mine; ++i) {
        int number = first + i * all_warps;
        const int* tour = tours + static_cast<long long>(number) * n;
        Word length = tour_length(geometry, tour, lane);
        best = min(best, length << ANT_BITS | number);
        sum += length;
    }
    report_tours(state, best, sum, lane);
}
