// Tabu policies for ants with candidate lists, a warp an ant (2020, Section 4.1): whether a city is
// visited, and which are not.
//
// seen() reads of a city what says whether it is visited, and what mark() can use. All lanes must
// have called it, and synchronize, before one of them marks; then the warp must synchronize
// again. unvisited_of(eight) has a bit for each of the cities from 8 eight on.
#pragma once

#include "compact_list.cuh"

// BT: a bit a city.
struct BitmaskTabu {
    unsigned* bits;

    INLINE BitmaskTabu(void* shared, int) : bits(static_cast<unsigned*>(shared)) {}

    // Numbers of no city count as visited.
    INLINE void begin(int n, int start, int lane) {
        for (int word = lane; 32 * word < n; word += LANES) {
            unsigned own = n - 32 * word < 32 ? ~0u << n % 32 : 0;
            if (word == start / 32) own |= 1u << start % 32;
            bits[word] = own;
        }
        __syncwarp();
    }

    INLINE unsigned seen(int city) const { return bits[unsigned(city) / 32]; }

    INLINE bool visited(unsigned seen, int city, int) const { return seen >> city % 32 & 1; }

    INLINE void mark(unsigned seen, int city, int) const {
        bits[unsigned(city) / 32] = seen | 1u << city % 32;
    }

    INLINE unsigned unvisited_of(int eight, int, int) const {
        return ~(bits[eight / 4] >> 8 * (eight % 4)) & 0xff;
    }
};

// Which of the cities from 8 eight on are unvisited, asked one by one.
template <class Tabu>
INLINE unsigned unvisited_eight(const Tabu& tabu, int eight, int n, int step) {
    unsigned open = 0;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        int city = min(8 * eight + i, n - 1);
        bool there = 8 * eight + i < n && !tabu.visited(tabu.seen(city), city, step);
        open |= there ? 1u << i : 0;
    }
    return open;
}

// CT: see gpu/max_min/cuda/compact_list.cuh.
struct CompactTabu {
    CompactList list;

    INLINE CompactTabu(void* shared, int n) : list(shared, nullptr, nullptr, n) {}

    INLINE void begin(int, int start, int lane) {
        list.fill(start, 0, lane, LANES);
        __syncwarp();
    }

    INLINE unsigned seen(int city) const { return list.entries[city]; }

    INLINE bool visited(unsigned seen, int city, int step) const {
        return seen != (city < step ? seen : unsigned(city)) || seen == CompactList::VISITED;
    }

    INLINE void mark(unsigned seen, int city, int step) const {
        list.drop(city < step ? int(seen) : city, city, step);
    }

    INLINE unsigned unvisited_of(int eight, int n, int step) const {
        return unvisited_eight(*this, eight, n, step);
    }
};

// LC: the tour list, and the place of each city on it.
struct ListTabu {
    unsigned short *cities, *places;

    INLINE ListTabu(void* shared, int n)
        : cities(static_cast<unsigned short*>(shared)), places(cities + n) {}

    INLINE void begin(int n, int start, int lane) const {
        for (int i = lane; i < n; i += LANES) {
            int other = i == 0 ? start : i == start ? 0 : i;
            cities[i] = places[i] = static_cast<unsigned short>(other);
        }
        __syncwarp();
    }

    INLINE unsigned seen(int city) const { return places[city]; }

    INLINE bool visited(unsigned seen, int, int step) const { return seen < unsigned(step); }

    INLINE void mark(unsigned seen, int city, int step) const {
        unsigned short first = cities[step];
        cities[seen] = first;
        places[first] = static_cast<unsigned short>(seen);
        cities[step] = static_cast<unsigned short>(city);
        places[city] = static_cast<unsigned short>(step);
    }

    INLINE unsigned unvisited_of(int eight, int n, int step) const {
        return unvisited_eight(*this, eight, n, step);
    }
};
