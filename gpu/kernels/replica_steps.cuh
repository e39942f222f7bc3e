// What an ant that steps together with others does beside its usual step, where every block has all
// listed trails: trails that are on no list, draws, the way back. These are functions, and few, so
// that the usual step stays short.
#pragma once

#include "colony_state.cuh"
#include "philox.cuh"
#include "replica_trails.cuh"
#include "step_updates.cuh"

// What the usual step has no need of; in shared memory.
struct StepTask {
    unsigned threshold;
    unsigned iteration;
    Seed seed;
    LocalUpdate change;
    CandidateLists lists;
    Geometry geometry;
    TrailMatrix trails;
    const float* weights;             // (n, n)
    Word* outside;                    // (n, n), trails of edges that are on no list, stamped
    unsigned* made;                   // (n + 1), ants that have updated some of them, by time
    const NearCandidate* candidates;  // (n, 32), in shared memory
    int tabu_words;
    int* tours;

    __device__ __forceinline__ long long between(int from, int to) const {
        return static_cast<long long>(from) * geometry.n + to;
    }

    // The place of the way from one city to another, or NONE. All lanes of the warp call this.
    __device__ __forceinline__ unsigned place(int from, int to, int lane) const {
        unsigned lanes = __ballot_sync(ALL_LANES, candidates[places::of(from, lane)].city() == to);
        return lanes ? places::of(from, __ffs(lanes) - 1) : places::NONE;
    }
};

// What a step tells, and what it began in global memory.
struct Told {
    unsigned word = 0;
    bool updates = false;
    unsigned seen = 0;  // to be waited for by performed()
};

// Begins to update the trails of an edge as far as they are on no list, from the trail before. All
// lanes of the warp call this.
static __device__ SELDOM Told update_outside(const StepTask* task, int from, int to, float trail,
                                             unsigned word, unsigned time, int lane) {
    unsigned there = places::there(word), back = places::back(word), seen = 0;
    if (there >= places::ELSEWHERE) {
        there = places::ELSEWHERE + from;
        if (lane == 0) seen = stamped::update(&task->outside[task->between(from, to)], time, trail);
    }
    if (!task->trails.directed && back >= places::ELSEWHERE) {
        back = places::ELSEWHERE + to;
        if (lane == 1) seen = stamped::update(&task->outside[task->between(to, from)], time, trail);
    }
    return {places::both(there, back), true, seen};
}

// All unvisited cities, some in each lane. `visited` is this lane's word of the tabu bits.
static __device__ SELDOM Offer offer_all(const StepTask* task, unsigned visited, int city,
                                         unsigned time, int lane) {
    constexpr int AT_ONCE = 4;
    // Where lanes are more than words, several share one.
    int words = task->tabu_words, sharing = LANES / words, first = lane & (words - 1);
    unsigned mine = static_cast<unsigned>(0xffffffffull / ((1ull << sharing) - 1)) << lane / words;
    unsigned left = ~__shfl_sync(ALL_LANES, visited, first) & mine;
    Offer best;
    while (left) {
        int other[AT_ONCE];
        float weight[AT_ONCE], trail[AT_ONCE];
        Word stamp[AT_ONCE];
#pragma unroll
        for (int i = 0; i < AT_ONCE; ++i) {  // past the end: the last city once more
            other[i] = left || i == 0 ? (__ffs(left) - 1) * words + first : other[i - 1];
            left &= left - 1;
            stamp[i] = __ldcg(&task->outside[task->between(city, other[i])]);
            weight[i] = __ldg(&task->weights[task->between(city, other[i])]);
        }
        stamped::trails(stamp, time, task->change, trail);
#pragma unroll
        for (int i = 0; i < AT_ONCE; ++i) best.improve(other[i], trail[i], weight[i]);
    }
    return best;
}

// The choice of an ant that has no candidate.
struct OutsideChoice {
    int next;
    float trail;
    unsigned word;  // to be told if no trail on no list has to be updated
};

// It stands unless a trail from the city that is on no list is updated before `time`.
static __device__ SELDOM OutsideChoice choose_outside(const StepTask* task, unsigned visited,
                                                      int city, unsigned time, int lane) {
    constexpr int COUNT = BACKUP_ROWS + 1;
    int words = task->tabu_words, shift = 31 - __clz(words), other[COUNT];
    float weight[COUNT], trail[COUNT];
    Word stamp[COUNT];
    bool open[COUNT], backed = false;
    int far_city = task->trails.far_of(city, lane);
    Backup backup = task->lists.backup_of(city, lane);
#pragma unroll
    for (int i = 0; i < COUNT; ++i) {
        other[i] = i < BACKUP_ROWS ? backup.at[i % BACKUP_ROWS].city() : max(far_city, 0);
        unsigned its = __shfl_sync(ALL_LANES, visited, other[i] & (words - 1));
        open[i] = !(its >> (other[i] >> shift) & 1) && (i < BACKUP_ROWS || far_city >= 0);
        if (i < BACKUP_ROWS) backed = backed || open[i];
        stamp[i] = open[i] ? __ldcg(&task->outside[task->between(city, other[i])]) : 0;
    }
    Offer best;
    // As in TrailMatrix::options: what is on neither list can be chosen only if none of the backup
    // list can.
    if (!__any_sync(ALL_LANES, backed) ||
        __any_sync(ALL_LANES, far_city == TrailMatrix::TOO_MANY)) {
        best = offer_all(task, visited, city, time, lane);
    } else {
#pragma unroll
        for (int i = 0; i < COUNT; ++i) {
            if (i < BACKUP_ROWS)
                weight[i] = backup.at[i % BACKUP_ROWS].weight();
            else
                weight[i] = open[i] ? __ldg(&task->weights[task->between(city, other[i])]) : 0.0f;
        }
        stamped::trails(stamp, time, task->change, trail);
#pragma unroll
        for (int i = 0; i < COUNT; ++i)
            if (open[i]) best.improve(other[i], trail[i], weight[i]);
    }
    int next = best_city(best.key, warp_max(best.key), best.city);
    int chooser = __ffs(__ballot_sync(ALL_LANES, best.city == static_cast<unsigned>(next))) - 1;
    return {next, __shfl_sync(ALL_LANES, best.trail, chooser),
            places::both(places::NONE,
                         task->trails.directed ? places::NONE : task->place(next, city, lane))};
}

// The draws of 32 steps.
struct Page {
    unsigned explorations;  // a bit a step
    float spins;            // a lane a step: what turns the roulette wheel
};

// Draws for 32 steps from `step` on, and stores the cities of the last 32.
static __device__ SELDOM Page turn_page(const StepTask* task, int number, int step, int kept,
                                        int lane) {
    Draws draws{task->seed, static_cast<unsigned>(number), task->iteration};
    if (step > 0) task->tours[task->between(number, step - LANES + lane)] = kept;
    return {draws.explorations(step, task->threshold, lane), draws.roulette(step + lane)};
}

// The last step, back to where the tour began; `trail` is the one to this lane's candidate.
static __device__ SELDOM Told close_tour(const StepTask* task, int city, int start, float trail,
                                         unsigned time, int lane) {
    unsigned there = task->place(city, start, lane);
    unsigned back = task->trails.directed ? places::NONE : task->place(start, city, lane);
    if (there == places::NONE)
        trail =
            stamped::trail(__ldcg(&task->outside[task->between(city, start)]), time, task->change);
    else
        trail = __shfl_sync(ALL_LANES, trail, there % LANES);
    Told told{places::both(there, back)};
    if (task->change(trail) == trail) return told;
    return update_outside(task, city, start, trail, told.word, time, lane);
}
