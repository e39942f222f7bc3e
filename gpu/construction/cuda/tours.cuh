// The tour of an ant: in which order cities stand on the wheel, and how the tour is reported.
#pragma once

#include "gpu/cuda/kernels/colony_state.cuh"
#include "gpu/cuda/kernels/geometry.cuh"
#include "gpu/cuda/kernels/portable.cuh"
#include "gpu/cuda/kernels/random.cuh"

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

    INLINE float weight(const float* row, int place) const {
        return visited[place / 32] >> place % 32 & 1 ? 0.0f : __ldg(row + place);
    }

    INLINE float weight_if_any(const float* row, int place) const {
        return place < n ? weight(row, place) : 0.0f;
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
struct EntriesInShared {
    static constexpr bool SHORTENS = true;  // fewer places with each step
    unsigned short* entries;
    int n;

    INLINE float weight(const float* row, int place) const {
        return __ldg(row + unsigned(entries[place]));
    }

    // For places that may lie behind the padding.
    INLINE float weight_if_any(const float* row, int place) const {
        return place < n ? weight(row, place) : 0.0f;
    }

    INLINE int city(int place) const { return entries[place]; }
};

struct SharedList : EntriesInShared {
    INLINE SharedList(void* shared, unsigned*, int*, int n_)
        : EntriesInShared{static_cast<unsigned short*>(shared), n_} {}

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

    INLINE float weight(const float* row, int place) const { return weight_if_any(row, place); }

    INLINE float weight_if_any(const float* row, int place) const {
        return place < n ? __ldg(row + cities[place]) : 0.0f;
    }

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

// Wheel order policy: the compact tabu CT (2020, Section 4.1). It needs half the memory of a tour
// list that also knows the place of each city.
//
// As in the paper, but counted from the other end, so that its order is that of the tour list
// above: entries from the cursor on are the unvisited cities. A city whose own entry is
// there is unvisited if the entry is the city itself. The entry of another city says where it is,
// or that it is visited.

struct CompactList : EntriesInShared {
    static constexpr unsigned short VISITED = 0xffff;
    int* tour;

    INLINE CompactList(void* shared, unsigned*, int* tour_, int n_)
        : EntriesInShared{static_cast<unsigned short*>(shared), n_}, tour(tour_) {}

    // All threads of the block call this.
    INLINE void begin(int start, int padding) const {
        fill(start, padding, threadIdx.x, blockDim.x);
        if (threadIdx.x == 0) tour[0] = start;
    }

    // All of so many threads call this.
    INLINE void fill(int start, int padding, int thread, int threads) const {
        for (int i = thread; i < n + padding; i += threads) {
            int entry = i == start ? 0 : min(i, n);
            if (i == 0) entry = start == 0 ? VISITED : start;
            entries[i] = static_cast<unsigned short>(entry);
        }
    }

    // One thread calls this.
    INLINE void take(int place, int city, int step) const {
        tour[step] = city;
        drop(place, city, step);
    }

    // The first unvisited city moves to the place of the one that is visited, unless it is that.
    INLINE void drop(int place, int city, int step) const {
        unsigned short first = entries[step];
        if (place != step) entries[place] = first;
        entries[step] = VISITED;
        if (place != step) entries[first] = static_cast<unsigned short>(place);
        if (city < step) entries[city] = VISITED;
    }

    INLINE void finish(int*, int) const {}
};

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
