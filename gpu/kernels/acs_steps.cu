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
    Draws draws{seed, static_cast<unsigned>(ant), iteration};
    int* tour = tours + static_cast<long long>(ant) * n;
    int start = draws.start(n), kept = start, until_update = period;
    unsigned explorations = 0;
    if (works) {
        walk.begin(start);
        tabu.clear(n, lane);
        walk.visit(start);
        walk.foresee();
        explorations = draws.explorations(0, threshold, lane);
    }
    for (int step = 1; step <= n; ++step) {
        bool due = --until_update == 0;
        if (due) until_update = period;
        int from = walk.city;
        unsigned rank = walk.candidate.reverse();
        MatrixWalk::Choice choice{start, false, false, 1.0f};
        if (works)
            choice = step < n ? walk.choose(explorations >> step % LANES & 1, draws, step)
                              : walk.choose_start(start);
        if (due) barrier.arrive();
        EdgeUpdate update{nullptr, nullptr, choice.trail};
        if (works) {
            walk.look(choice.city);
            if (due && choice.mine) update.there = walk.place_of(from, choice);
            if (due && !directed) {
                float* back = walk.reverse_of(from, choice, rank);
                if (choice.mine) update.back = back;
            }
            walk.visit(choice.city);
            if (lane == step % LANES) kept = choice.city;
            if (step % LANES == LANES - 1 && step < n) tour[step - LANES + 1 + lane] = kept;
            if (step % LANES == LANES - 1)
                explorations = draws.explorations(step + 1, threshold, lane);
            if (step + 1 < n) walk.foresee();
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
    unsigned explorations;
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
            int number = first + i * all_warps;
            Draws draws{seed, static_cast<unsigned>(number), iteration};
            int start = draws.start(n);
            int* tour = tours + static_cast<long long>(number) * n;
            EdgeUpdate update{nullptr, nullptr, 0.0f};
            int next = start;
            if (step == 0) {
                tabu.clear(n, lane);
            } else {
                walk.begin(ant.city);
                if (step == 1 || step % LANES == 0) {
                    unsigned drawn = draws.explorations(step & -LANES, threshold, lane);
                    if (lane == 0) ant.explorations = drawn;
                    __syncwarp();
                }
                unsigned rank = walk.candidate.reverse();
                MatrixWalk::Choice choice =
                    step < n ? walk.choose(ant.explorations >> step % LANES & 1, draws, step)
                             : walk.choose_start(start);
                next = choice.city;
                walk.look(next);
                float* back = directed ? nullptr : walk.reverse_of(ant.city, choice, rank);
                if (choice.mine)
                    update = EdgeUpdate{walk.place_of(ant.city, choice), back, choice.trail};
                __syncwarp();  // all lanes have read ant.city
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
