// Circles of edges that are in turn in one tour and in the other (AB-cycles: Nagata 1997).
//
// Each city has as many edges of the first tour alone as of the second alone. So a path that takes
// such edges in turn, at random, comes back to where a circle closes, and all edges fall into
// circles. Cities whose edges differ are numbered, for a few bytes of each are in shared memory.
#pragma once

#include "gpu/focused/cuda/spots.cuh"

constexpr unsigned NO_NUMBER = 0xffff;
constexpr unsigned NONE_LEFT = 0xffffffff;  // two times no number
constexpr int MOST_TRACED = 0x7fff;  // cities whose edges differ, at most: a path has each twice
constexpr int TRACED_BYTES = 20;            // for each of them

// Two numbers of 16 bits in a word: the ends of edges that are left. The first comes first.
INLINE unsigned without(unsigned pair, unsigned number) {
    return (pair & 0xffff) == number ? pair >> 16 | NO_NUMBER << 16 : pair | NO_NUMBER << 16;
}

// The cities beside a city on a tour.
template <int METRIC>
INLINE int2 beside(const Source<METRIC>& tour, int city) {
    int place = number_in(tour.cities[city]), n = tour.n;
    return make_int2(number_in(tour.stops[place > 0 ? place - 1 : n - 1]),
                     number_in(tour.stops[place + 1 < n ? place + 1 : 0]));
}

INLINE bool has(int2 pair, int city) { return pair.x == city || pair.y == city; }

struct Tracing {
    unsigned* mine;          // of each number: ends of edges of one's own tour alone that are left
    unsigned* theirs;        // and of the other tour alone
    unsigned* seen;          // where on the path it is, after an even and after an odd number
    int* cities;             // that the numbers stand for
    unsigned short* path;    // twice as many, and 2
    unsigned random;         // never 0

    // Lays it out in memory for `room` numbers.
    INLINE Tracing(void* memory, int room, unsigned seed) {
        mine = static_cast<unsigned*>(memory);
        theirs = mine + room;
        seen = theirs + room;
        cities = reinterpret_cast<int*>(seen + room);
        path = reinterpret_cast<unsigned short*>(cities + room);
        random = seed | 1;
    }

    INLINE unsigned draw() {
        random ^= random << 13;
        random ^= random >> 17;
        random ^= random << 5;
        return random;
    }

    // Takes an edge of a number at random; returns its other end.
    INLINE unsigned take(unsigned* edges, unsigned number) {
        unsigned pair = edges[number];
        bool second = pair >> 16 != NO_NUMBER && (draw() >> 16 & 1);
        unsigned end = second ? pair >> 16 : pair & 0xffff;
        edges[number] = without(pair, end);
        edges[end] = without(edges[end], number);
        return end;
    }

    // Follows edges until the path is used up. Writes the cities of the circles from `at` on, and
    // where each ends; the first edge of each is one's own. Returns the number of circles so far.
    INLINE int trace(unsigned begin, int found, int& at, int* circles, int* ends) {
        unsigned first = draw() >> 16 & 1;  // 0: the path begins with an own edge
        unsigned steps = 0, number = begin;
        path[0] = static_cast<unsigned short>(begin);
        see(begin, 0, 0);
        while (true) {
            number = take((first + steps) & 1 ? theirs : mine, number);
            ++steps;
            path[steps] = static_cast<unsigned short>(number);
            unsigned back = seen[number] >> (steps & 1) * 16 & 0xffff;
            if (back == NO_NUMBER) {
                see(number, steps & 1, steps);
                continue;
            }
            unsigned size = steps - back, shift = (first + back) & 1;
            for (unsigned step = 0; step < size; ++step) {
                unsigned taken = step + shift;
                circles[at++] = cities[path[back + (taken < size ? taken : taken - size)]];
            }
            ends[found++] = at;
            for (unsigned step = back + 1; step < steps; ++step)
                see(path[step], step & 1, NO_NUMBER);
            steps = back;
            if (back == 0) {
                see(begin, 0, NO_NUMBER);
                return found;
            }
        }
    }

  private:
    INLINE void see(unsigned number, unsigned odd, unsigned place) {
        unsigned shift = odd * 16;
        seen[number] = (seen[number] & ~(0xffffu << shift)) | place << shift;
    }
};
