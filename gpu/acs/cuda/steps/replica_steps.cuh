// What is rare for an ant that steps together with others, where every block has all listed trails:
// trails of edges on no list, draws, the closing edge. These are a few functions, out of line, so
// that the usual step stays short.
#pragma once

#include "gpu/cuda/kernels/philox.cuh"
#include "replica_trails.cuh"
#include "step_updates.cuh"

// What the usual step does not need; in shared memory.
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
    const NearCandidate* candidates;  // (n, 32), in shared memory
    int* tours;

    INLINE Word* outside_from(unsigned city) const {
        return global_address(held_pointer(outside + city * unsigned(geometry.n)));
    }

    INLINE const float* weights_from(unsigned city) const {
        return held_pointer(weights + city * unsigned(geometry.n));
    }

    // The place of the way from one city to another, or NONE. All lanes of the warp call this.
    INLINE unsigned place(int from, int to, int lane) const {
        unsigned lanes = __ballot_sync(ALL_LANES, candidates[places::of(from, lane)].city() == to);
        return lanes ? places::of(from, __ffs(lanes) - 1) : places::NONE;
    }
};

// The report of a step, and whether trails in global memory were updated.
struct StepReport {
    unsigned word = 0;
    bool updates = false;
};

// Updates those trails of an edge that are on no list, from the trail before. All lanes of the warp
// call this.
SELDOM StepReport update_outside(const StepTask* task, int from, int to, float trail, unsigned word,
                                 unsigned time, int lane) {
    unsigned there = places::there(word), back = places::back(word);
    if (there >= places::ELSEWHERE) {
        there = places::ELSEWHERE + from;
        if (lane == 0) stamped::update(task->outside_from(from) + to, time, trail);
    }
    if (!task->trails.directed && back >= places::ELSEWHERE) {
        back = places::ELSEWHERE + to;
        if (lane == 1) stamped::update(task->outside_from(to) + from, time, trail);
    }
    return {places::both(there, back), true};
}

// Offers all unvisited cities.
INLINE void offer_all(const StepTask* task, const LaneTabu& tabu, int city, unsigned time, int lane,
                      Offer& best) {
    constexpr int COUNT = 4;
    const Word* stamps = task->outside_from(city);
    const float* weights = task->weights_from(city);
    tabu.each_unvisited<COUNT>(lane, [&](const unsigned (&other)[COUNT]) {
        float weight[COUNT], trail[COUNT];
        Word stamp[COUNT];
#pragma unroll
        for (int i = 0; i < COUNT; ++i) {
            stamp[i] = __ldcg(&stamps[other[i]]);
            weight[i] = __ldg(&weights[other[i]]);
        }
        stamped::trails(stamp, time, task->change, trail);
#pragma unroll
        for (int i = 0; i < COUNT; ++i) best.improve(other[i], trail[i], weight[i]);
    });
}

// The same where the trails to all of them are at the initial level, except to cities that are
// offered after this.
INLINE void offer_nearest(const StepTask* task, const LaneTabu& tabu, int city, int lane,
                          Offer& best) {
    constexpr int COUNT = 4;
    const float* weights = task->weights_from(city);
    tabu.each_unvisited<COUNT>(lane, [&](const unsigned (&other)[COUNT]) {
        // The largest of all comes first; else the warp would wait for each read by itself.
        unsigned keys[COUNT], top = 0, city = other[0];
#pragma unroll
        for (int i = 0; i < COUNT; ++i) keys[i] = weight_key(__ldg(&weights[other[i]]), true);
#pragma unroll
        for (int i = 0; i < COUNT; ++i) top = max(top, keys[i]);
#pragma unroll
        for (int i = COUNT - 1; i > 0; --i) city = keys[i] == top ? other[i] : city;
        best.improve_by(top, keys[0] == top ? other[0] : city, 1.0f);
    });
}

// The choice of an ant that has no candidate.
struct OutsideChoice {
    int next;
    float trail;
    unsigned word;  // the report, unless a trail on no list has to be updated
};

// It stays valid unless a trail from the city that is on no list is updated at the time before.
SELDOM OutsideChoice choose_outside(const StepTask* task, LaneTabu tabu, int city, unsigned time,
                                    int lane) {
    constexpr int COUNT = BACKUP_ROWS + 1;
    unsigned other[COUNT];
    float weight[COUNT], trail[COUNT];
    Word stamp[COUNT];
    bool open[COUNT], backed = false;
    const Word* stamps = task->outside_from(city);
    int far_city = task->trails.far_of(city, lane);
    Backup backup = task->lists.backup_of(city, lane);
#pragma unroll
    for (int i = 0; i < COUNT; ++i) {
        other[i] = i < BACKUP_ROWS ? backup.at[i % BACKUP_ROWS].city() : max(far_city, 0);
        open[i] = !tabu.visited(other[i]) && (i < BACKUP_ROWS || far_city >= 0);
        if (i < BACKUP_ROWS) backed = backed || open[i];
        stamp[i] = open[i] ? __ldcg(&stamps[other[i]]) : 0;
    }
    Offer best;
    // As in TrailMatrix::options: a city on neither list is chosen only if no backup city can be,
    // and if its trail is at the initial level.
    if (__any_sync(ALL_LANES, far_city == TOO_MANY_FAR)) {
        offer_all(task, tabu, city, time, lane, best);
    } else {
        if (!__any_sync(ALL_LANES, backed)) offer_nearest(task, tabu, city, lane, best);
#pragma unroll
        for (int i = 0; i < COUNT; ++i) {
            if (i < BACKUP_ROWS)
                weight[i] = backup.at[i % BACKUP_ROWS].weight();
            else
                weight[i] = open[i] ? __ldg(&task->weights_from(city)[other[i]]) : 0.0f;
        }
        stamped::trails(stamp, time, task->change, trail);
#pragma unroll
        for (int i = 0; i < COUNT; ++i) best.improve(other[i], trail[i], weight[i], open[i]);
    }
    int next = best_city(best.key, warp_max(best.key), best.city);
    // A far city may have been offered twice: at the initial level, below which no trail is, and
    // with its own trail.
    unsigned trail_bits = warp_max(best.city == unsigned(next) ? __float_as_uint(best.trail) : 0);
    return {next, __uint_as_float(trail_bits),
            places::both(places::NONE,
                         task->trails.directed ? places::NONE : task->place(next, city, lane))};
}

// The draws of 32 steps.
struct StepDraws {
    unsigned explorations;  // a bit a step
    unsigned spins;         // a lane a step: what spins the roulette wheel
};

// Draws for 32 steps from `step` on, and stores the cities of the last 32.
SELDOM StepDraws draw_steps(const StepTask* task, int number, int step, int kept, int lane) {
    Draws draws{task->seed, unsigned(number), task->iteration};
    if (step > 0) task->tours[number * task->geometry.n + step - LANES + lane] = kept;
    return {draws.explorations(step, task->threshold, lane), draws.spin(step + lane)};
}

// The last step, back to where the tour began; `trail` is the one to this lane's candidate.
SELDOM StepReport close_tour(const StepTask* task, int city, int start, float trail, unsigned time,
                             int lane) {
    unsigned there = task->place(city, start, lane);
    unsigned back = task->trails.directed ? places::NONE : task->place(start, city, lane);
    if (there == places::NONE)
        trail = stamped::trail(__ldcg(task->outside_from(city) + start), time, task->change);
    else
        trail = __shfl_sync(ALL_LANES, trail, there % LANES);
    StepReport report{places::both(there, back)};
    if (task->change(trail) == trail) return report;
    return update_outside(task, city, start, trail, report.word, time, lane);
}
