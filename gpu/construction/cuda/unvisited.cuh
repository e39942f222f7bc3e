// Tabus that list the unvisited cities (2020, Section 4.1): LC and CT. Also wheel order policies.
//
// Where `left` cities are unvisited, they are at the places before `left`. The last of them takes
// the place of one that is visited, so the order of the list is no order of the cities. Two bytes
// an entry: for fewer than 65536 cities.
#pragma once

#include "gpu/cuda/kernels/portable.cuh"

//
// A visit has two parts: move() closes the gap on the list, leave() marks the city as visited. What
// an ant looks at on the list does not depend on leave().

// LC, list compression: the unvisited cities, and the place of each city. A visited city's place is
// where the list ended when it was visited. So the places say in which order that was.
struct CompressedList {
    static constexpr bool SHORTENS = true;  // fewer places with each step
    static constexpr bool PADDED = false;
    static constexpr bool KEEPS_ORDER = true;  // in which cities are visited
    unsigned short *unvisited, *places;
    int n;

    INLINE CompressedList(void* shared, unsigned*, int*, int n_)
        : unvisited(static_cast<unsigned short*>(shared)), places(unvisited + n_), n(n_) {}

    INLINE int first(int) const { return 0; }
    INLINE int end(int step) const { return n - step; }

    INLINE float weight(const float* row, int place) const {
        return __ldg(row + unsigned(unvisited[place]));
    }

    INLINE int city(int place) const { return unvisited[place]; }
    INLINE unsigned entry(int city) const { return places[city]; }

    // All threads of the block call this.
    INLINE void begin(int start, int) const { fill(start, threadIdx.x, blockDim.x); }

    // All of so many threads call this.
    INLINE void fill(int start, int thread, int threads) const {
        int last = n - 1;
        for (int i = thread; i < n; i += threads) {
            int other = i == start ? last : i == last ? start : i;
            unvisited[i] = places[i] = static_cast<unsigned short>(other);
        }
    }

    // One thread calls these, for the city at a place, which is visited at a step; `moved` is the
    // last city on the list.
    INLINE void move(int place, int moved, int) const {
        unvisited[place] = static_cast<unsigned short>(moved);
        places[moved] = static_cast<unsigned short>(place);
    }

    INLINE void leave(int city, int step) const {
        places[city] = static_cast<unsigned short>(n - 1 - step);
    }

    INLINE void drop(int place, int city, int step) const {
        move(place, unvisited[n - 1 - step], step);
        leave(city, step);
    }

    INLINE void take(int place, int city, int step) const { drop(place, city, step); }

    // Whether a city with such an entry is visited.
    INLINE bool visited(unsigned place, int, int step) const { return place >= unsigned(n - step); }

    // One warp writes the tour.
    INLINE void finish(int* tour, int lane) const {
        for (int city = lane; city < n; city += LANES) tour[n - 1 - places[city]] = city;
        __syncwarp();
    }
};

// CT, the compact tabu: one array for both. Its entries before `left` are the unvisited cities. The
// entry of an unvisited city from there on is the place of that city, that of a visited one is
// larger than the city's number.
struct CompactList {
    static constexpr bool SHORTENS = true;  // fewer places with each step
    static constexpr bool PADDED = false;
    static constexpr bool KEEPS_ORDER = false;
    static constexpr unsigned short VISITED = 0xffff;
    unsigned short* entries;
    int* tour;
    int n;

    INLINE CompactList(void* shared, unsigned*, int* tour_, int n_)
        : entries(static_cast<unsigned short*>(shared)), tour(tour_), n(n_) {}

    INLINE int first(int) const { return 0; }
    INLINE int end(int step) const { return n - step; }

    INLINE float weight(const float* row, int place) const {
        return __ldg(row + unsigned(entries[place]));
    }

    INLINE int city(int place) const { return entries[place]; }
    INLINE unsigned entry(int city) const { return entries[city]; }

    // All threads of the block call this.
    INLINE void begin(int start, int) const {
        fill(start, threadIdx.x, blockDim.x);
        if (threadIdx.x == 0) tour[0] = start;
    }

    // All of so many threads call this.
    INLINE void fill(int start, int thread, int threads) const {
        int last = n - 1;
        for (int i = thread; i < n; i += threads) {
            int entry = i == start ? last : i == last ? start : i;
            entries[i] = start == last && i == last ? VISITED : static_cast<unsigned short>(entry);
        }
    }

    // One thread calls these, for the city at a place, which is visited at a step; `moved` is the
    // last city on the list.
    INLINE void move(int place, int moved, int step) const {
        if (place == n - 1 - step) return;
        entries[place] = static_cast<unsigned short>(moved);
        entries[moved] = static_cast<unsigned short>(place);
    }

    // If the city's own place is still on the list, another city is there, of a larger number.
    INLINE void leave(int city, int step) const {
        if (city >= n - 1 - step) entries[city] = VISITED;
    }

    INLINE void drop(int place, int city, int step) const {
        move(place, entries[n - 1 - step], step);
        leave(city, step);
    }

    INLINE void take(int place, int city, int step) const {
        tour[step] = city;
        drop(place, city, step);
    }

    // Whether a city with such an entry is visited.
    INLINE bool visited(unsigned entry, int city, int) const { return entry > unsigned(city); }

    INLINE void finish(int*, int) const {}
};

// LC without places, in global memory, where the tour will be: the visited cities are behind the
// end, the last one first.
struct GlobalUnvisited {
    static constexpr bool SHORTENS = true;  // fewer places with each step
    static constexpr bool PADDED = false;
    int* cities;
    int n;

    INLINE GlobalUnvisited(void*, unsigned*, int* tour, int n_) : cities(tour), n(n_) {}

    // 0; where ptxas knows it, it takes 32 registers for the kernel and spills half of them.
    INLINE int first(int) const { return int(here_and_now(0u)); }
    INLINE int end(int step) const { return n - step; }

    INLINE float weight(const float* row, int place) const { return __ldg(row + cities[place]); }

    INLINE int city(int place) const { return cities[place]; }

    INLINE void begin(int start, int) const {
        int last = n - 1;
        for (int i = threadIdx.x; i < n; i += blockDim.x)
            cities[i] = i == last ? start : i == start ? last : i;
    }

    INLINE void take(int place, int city, int step) const {
        int last = n - 1 - step;
        cities[place] = cities[last];
        cities[last] = city;
    }

    // One warp brings the tour into its order.
    INLINE void finish(int* tour, int lane) const {
        for (int i = lane; i < n / 2; i += LANES) {
            int early = tour[n - 1 - i];
            tour[n - 1 - i] = tour[i];
            tour[i] = early;
        }
        __syncwarp();
    }
};
