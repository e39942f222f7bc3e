// AB-cycles: closed ways along edges of one tour and of the other in turn (Nagata 1997).
//
// Each city has as many edges of the first tour alone as of the second alone. So a path that takes
// such edges in turn, at random, comes back to where an AB-cycle closes, and all edges fall into
// AB-cycles. Cities whose edges differ are numbered, for a few bytes of each are in shared memory.
// No AB-cycle leaves its component: cities that such edges join, directly or by others. So a thread
// finds the AB-cycles of a component, while others are at work on theirs. Where many cities differ,
// most of them are one component. So the map is cut into cells, at another place in each round, and
// AB-cycles are looked for within cells: edges between two cells are left out, and a path that
// would need one goes back.
#pragma once

#include "gpu/tour_changes/cuda/spots.cuh"
#include "kernels.py"

constexpr unsigned NO_NUMBER = 0xffff;
constexpr unsigned NONE_LEFT = 0xffffffff;      // two times no number
constexpr int MOST_TRACED = int(NO_NUMBER);     // cities whose edges differ, at most
constexpr int MOST_STEPS = int(NO_NUMBER) - 1;  // edges of a component, at most
constexpr int LEAST_AB_CYCLE = 4;               // edges

// The cells of a round.
struct Cells {
    float scale, right, up;  // a scale of 0 makes one cell of all

    INLINE int2 of(const float4& record) const {
        return make_int2(__float2int_rd(__fadd_rn(__fmul_rn(record.x, scale), right)),
                         __float2int_rd(__fadd_rn(__fmul_rn(record.y, scale), up)));
    }
};

// Two numbers of 16 bits in a word: the ends of edges that are left. The first comes first.
INLINE unsigned without(unsigned pair, unsigned number) {
    return (pair & 0xffff) == number ? pair >> 16 | NO_NUMBER << 16 : pair | NO_NUMBER << 16;
}

INLINE int ends_in(unsigned pair) {
    return (pair & 0xffff) != NO_NUMBER ? 1 + (pair >> 16 != NO_NUMBER) : 0;
}

// The cities beside a city on a tour.
template <int METRIC>
INLINE int2 beside(const Source<METRIC>& tour, int city) {
    int place = number_in(tour.cities[city]), n = tour.n;
    return make_int2(number_in(tour.tour_records[place > 0 ? place - 1 : n - 1]),
                     number_in(tour.tour_records[place + 1 < n ? place + 1 : 0]));
}

INLINE bool has(int2 pair, int city) { return pair.x == city || pair.y == city; }

struct Tracing {
    unsigned* mine;        // of each number: ends of edges of one's own tour alone that are left
    unsigned* theirs;      // and of the other tour alone
    unsigned* seen;        // where on the path it is, after an even and after an odd number
    int* cities;           // that the numbers stand for
    unsigned short* path;  // a place for each edge

    // Lays it out in memory for `room` numbers.
    INLINE Tracing(void* memory, int room) {
        mine = static_cast<unsigned*>(memory);
        theirs = mine + room;
        seen = theirs + room;
        cities = reinterpret_cast<int*>(seen + room);
        path = reinterpret_cast<unsigned short*>(cities + room);
    }

    // Before anything is traced: each number's component is called after its least number.
    INLINE unsigned* roots() const { return seen; }
    INLINE int* sizes() const { return reinterpret_cast<int*>(path); }

    INLINE unsigned root_of(unsigned number) const {
        const volatile unsigned* above = seen;
        while (above[number] != number) number = above[number];
        return number;
    }

    // Joins the components of a number and of its neighbours. Any number of threads may do so.
    INLINE void join(unsigned number) const {
        unsigned ends[4] = {mine[number] & 0xffff, mine[number] >> 16, theirs[number] & 0xffff,
                            theirs[number] >> 16};
        for (unsigned end : ends) {
            if (end > number) continue;  // the other end joins it; or there is none
            unsigned one = number, other = end;
            while ((one = root_of(one)) != (other = root_of(other))) {
                unsigned low = min(one, other), high = max(one, other);
                if (atomicCAS(&seen[high], high, low) == high) break;
            }
        }
    }
};

// Finds the AB-cycles of a component.
struct Tracer {
    const Tracing& all;
    unsigned short* path;
    int* ab_cycles;   // numbers of the cities, AB-cycle by AB-cycle
    int2* spans;      // of the AB-cycles: where each begins, and its end
    int end;          // of what is in `ab_cycles`
    unsigned room;    // places of the path
    unsigned random;  // never 0
    int found = 0;

    INLINE void run(unsigned number) {
        int next = end;
        trace(number);
        for (; next < end; ++next) {
            number = unsigned(ab_cycles[next]);
            while (all.mine[number] != NONE_LEFT) trace(number);
        }
    }

  private:
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
        unsigned to = second ? pair >> 16 : pair & 0xffff;
        edges[number] = without(pair, to);
        edges[to] = without(edges[to], number);
        return to;
    }

    // Follows edges until the path is used up. The first edge of each AB-cycle is one's own.
    INLINE void trace(unsigned begin) {
        unsigned first = draw() >> 16 & 1;  // 0: the path begins with an own edge
        if (all.mine[begin] == NONE_LEFT) first = 1;
        if (all.theirs[begin] == NONE_LEFT) first = 0;
        unsigned steps = 0, number = begin;
        path[0] = static_cast<unsigned short>(begin);
        see(begin, 0, 0);
        while (true) {
            unsigned* edges = (first + steps) & 1 ? all.theirs : all.mine;
            if (edges[number] == NONE_LEFT) {  // at the border of a cell
                see(number, steps & 1, NO_NUMBER);
                if (steps == 0) return;
                number = path[--steps];
                continue;
            }
            unsigned to = take(edges, number);
            unsigned back = all.seen[to] >> ((steps + 1) & 1) * 16 & 0xffff;
            if (back == NO_NUMBER) {
                if (steps + 1 == room) continue;
                number = to;
                path[++steps] = static_cast<unsigned short>(number);
                see(number, steps & 1, steps);
                continue;
            }
            number = to;
            unsigned size = ++steps - back, shift = (first + back) & 1;
            int from = end;
            for (unsigned step = 0; step < size; ++step) {
                unsigned taken = step + shift;
                ab_cycles[end++] = path[back + (taken < size ? taken : taken - size)];
            }
            spans[found++] = make_int2(from, end);
            for (unsigned step = back + 1; step < steps; ++step)
                see(path[step], step & 1, NO_NUMBER);
            steps = back;
            if (back == 0) {
                see(begin, 0, NO_NUMBER);
                return;
            }
        }
    }

    INLINE void see(unsigned number, unsigned odd, unsigned place) {
        unsigned shift = odd * 16;
        all.seen[number] = (all.seen[number] & ~(0xffffu << shift)) | place << shift;
    }
};
