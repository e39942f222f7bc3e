// The tour of an ant: in which order cities stand on the wheel, and how the tour is reported.
#pragma once

#include "gpu/cuda/kernels/colony_state.cuh"
#include "gpu/cuda/kernels/geometry.cuh"
#include "gpu/cuda/kernels/portable.cuh"
#include "gpu/cuda/kernels/random.cuh"
#include "kernels.py"

// A wheel order policy says at which place of a list or matrix each city is on the wheel. On the
// wheel of a step are the places from first(step) on and before end(step). If it is PADDED,
// weight() may also be asked for the places of the padding behind.

// Wheel order policy: all cities in the order of their numbers, with one tabu bit each.

// The bits are in shared memory, or in global memory where each step is a launch of its own. Cities
// that do not exist count as visited.
struct NumberedCities {
    unsigned* visited;
    int* tour;
    int n;

    // `bits` is null for bits in shared memory.
    INLINE NumberedCities(void* shared, unsigned* bits, int* tour_, int n_)
        : visited(bits ? bits : static_cast<unsigned*>(shared)), tour(tour_), n(n_) {}

    static constexpr bool SHORTENS = false;  // the same for all steps
    static constexpr bool PADDED = true;

    INLINE int first(int) const { return 0; }
    INLINE int end(int) const { return n; }

    INLINE float weight(const float* row, int place) const {
        return visited[place / 32] >> place % 32 & 1 ? 0.0f : __ldg(row + place);
    }

    INLINE int city(int place) const { return place; }

    INLINE void begin(int start, int padding) const {
        for (int word = threadIdx.x; 32 * word < n + padding; word += blockDim.x) {
            int left = n - 32 * word;
            unsigned none = left <= 0 ? ~0u : left < 32 ? ~0u << left : 0;
            visited[word] = none | (start / 32 == word ? 1u << start % 32 : 0);
        }
        if (threadIdx.x == 0) tour[0] = start;
    }

    INLINE void take(int, int city, int step) const {
        visited[city / 32] |= 1u << city % 32;
        tour[step] = city;
    }

    INLINE void finish(int*, int) const {}
};

// Wheel order policy: the tour list (2017, Definitions 1 to 3). It contains all cities. Those
// before the cursor are the tour so far, in order; the others are unvisited. A step swaps the next
// city to the cursor.
//
// An ant looks at unvisited cities only: the fewer there are, the less work is a step.

// A list in shared memory, two bytes an entry: for fewer than 65536 cities. Behind the end it holds
// n, where rows of weights have a 0, in as many places as a group may read there.
struct SharedList {
    static constexpr bool SHORTENS = true;  // fewer places with each step
    static constexpr bool PADDED = true;
    unsigned short* entries;
    int n;

    INLINE SharedList(void* shared, unsigned*, int*, int n_)
        : entries(static_cast<unsigned short*>(shared)), n(n_) {}

    INLINE int first(int step) const { return step; }
    INLINE int end(int) const { return n; }

    INLINE float weight(const float* row, int place) const {
        return __ldg(row + unsigned(entries[place]));
    }

    INLINE int city(int place) const { return entries[place]; }

    // Definition 1, with the start city swapped to the front. All threads of the block call this.
    INLINE void begin(int start, int padding) const {
        for (int i = threadIdx.x; i < n + padding; i += blockDim.x)
            entries[i] = static_cast<unsigned short>(i == 0 ? start : i == start ? 0 : min(i, n));
    }

    // Definition 3. One thread calls this.
    INLINE void take(int place, int city, int step) const {
        entries[place] = entries[step];
        entries[step] = static_cast<unsigned short>(city);
    }

    // One warp writes the tour.
    INLINE void finish(int* tour, int lane) const {
        for (int i = lane; i < n; i += LANES) tour[i] = entries[i];
        __syncwarp();
    }
};

// The list in global memory, in the place of the tour.
struct GlobalList {
    int* cities;
    int n;

    INLINE GlobalList(void*, unsigned*, int* tour, int n_) : cities(tour), n(n_) {}

    static constexpr bool SHORTENS = true;  // fewer places with each step
    static constexpr bool PADDED = false;

    INLINE int first(int step) const { return step; }
    INLINE int end(int) const { return n; }

    INLINE float weight(const float* row, int place) const { return __ldg(row + cities[place]); }

    INLINE int city(int place) const { return cities[place]; }

    INLINE void begin(int start, int) const {
        for (int i = threadIdx.x; i < n; i += blockDim.x)
            cities[i] = i == 0 ? start : i == start ? 0 : i;
    }

    INLINE void take(int place, int city, int step) const {
        cities[place] = cities[step];
        cities[step] = city;
    }

    INLINE void finish(int*, int) const {}
};

// The next lower number of rows for which there is code, where a warp looks at so many rows of 32
// places. A warp alone has more such numbers, because it makes most of the steps.
__device__ constexpr int fewer_rows(int rows, bool alone) {
    return rows > PADDED_ROWS ? rows - (alone ? 4 : PADDED_ROWS) : rows > 4 ? 4 : rows / 2;
}

// The length of a tour, computed while it is built. A warp holds 32 cities at a time, one a lane,
// so the tour need not be read again. All lanes of the warp call these.
struct GrowingTour {
    Distances geometry;
    int start, last;
    Word sum = 0;  // over the edges that this lane has seen

    // Cities at places `first` to before `end` of the tour, at most 32; `first` is a multiple
    // of 32.
    INLINE void add(int city, int first, int end, int lane) {
        int before = __shfl_up_sync(ALL_LANES, city, 1);
        if (lane == 0) before = last;
        int place = first + lane;
        if (place > 0 && place < end) sum += geometry.distance(before, city);
        last = __shfl_sync(ALL_LANES, city, end - first - 1);
    }

    // Closes the tour and reports it.
    INLINE void report(ColonyState* state, int ant, Word* lengths, int lane) {
        if (lane == 0) sum += geometry.distance(last, start);
        Word length = warp_sum(sum);
        if (lane == 0) lengths[ant] = length;
        report_tours(state, length << ANT_BITS | Word(ant), length, lane);
    }
};

// Reports a tour that is in memory. All lanes of the warp call this.
INLINE void report_tour(ColonyState* state, const Distances& geometry, const int* tour, int ant,
                        Word* lengths, int lane) {
    Word length = tour_length(geometry, tour, lane);
    if (lane == 0) lengths[ant] = length;
    report_tours(state, length << ANT_BITS | Word(ant), length, lane);
}
