// What an ant with candidate lists has visited, and where it goes when no candidate is left.
#pragma once

#include "gpu/construction/cuda/tours.cuh"
#include "gpu/construction/cuda/unvisited.cuh"
#include "gpu/cuda/kernels/candidates.cuh"
#include "gpu/cuda/kernels/choice.cuh"
#include "gpu/cuda/kernels/geometry.cuh"

// Tabu policies for ants with candidate lists, a warp an ant (2020, Section 4.1): whether a city is
// visited, and which are not.
//
// seen() reads of a city what says whether it is visited, and what mark() can use. All lanes must
// have called it, and synchronize, before one of them marks; then the warp must synchronize
// again. unvisited_of(eight) has a bit for each of the cities from 8 eight on.

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
    UNROLL for (int i = 0; i < 8; ++i) {
        int city = min(8 * eight + i, n - 1);
        bool there = 8 * eight + i < n && !tabu.visited(tabu.seen(city), city, step);
        open |= there ? 1u << i : 0;
    }
    return open;
}

// LC and CT: see CompressedList and CompactList.
template <class List>
struct UnvisitedTabu {
    List list;

    INLINE UnvisitedTabu(void* shared, int n) : list(shared, nullptr, nullptr, n) {}

    INLINE void begin(int, int start, int lane) {
        list.fill(start, lane, LANES);
        __syncwarp();
    }

    // Where the city is on the list, if it is unvisited.
    INLINE unsigned seen(int city) const { return list.entry(city); }

    INLINE bool visited(unsigned seen, int city, int step) const {
        return list.visited(seen, city, step);
    }

    INLINE void mark(unsigned seen, int city, int step) const { list.drop(int(seen), city, step); }

    INLINE unsigned unvisited_of(int eight, int n, int step) const {
        return unvisited_eight(*this, eight, n, step);
    }
};

typedef UnvisitedTabu<CompressedList> ListTabu;
typedef UnvisitedTabu<CompactList> CompactTabu;

// Cities beyond the candidate lists: where no candidate is left, an ant goes to the heaviest of all
// unvisited cities, the lowest on a tie. That is about one step in fifty.

// The heaviest city that a lane has seen, the lowest on a tie.
struct Heaviest {
    unsigned most = 0, lowest = ~0u;

    INLINE void offer(float weight, int its_city) {
        unsigned own = __float_as_uint(weight), number = unsigned(its_city);
        bool better = own > most || (own == most && number < lowest);
        most = better ? own : most;
        lowest = better ? number : lowest;
    }

    // That of all lanes.
    INLINE int city() const {
        unsigned top = warp_max(most);
        return int(warp_min(most == top ? lowest : ~0u));
    }
};

// Eight consecutive weights of a row, all of half or of full precision.
template <bool HALVES>
struct EightWeights {
    uint4 words[HALVES ? 1 : 2];

    INLINE void read(const void* row, int eight) {
        constexpr int COUNT = HALVES ? 1 : 2;
        UNROLL for (int i = 0; i < COUNT; ++i) {
            words[i] = __ldg(static_cast<const uint4*>(row) + COUNT * eight + i);
        }
    }

    INLINE float weight(int i) const {
        const uint4& own = words[HALVES ? 0 : i / 4];
        int at = HALVES ? i / 2 : i % 4;
        unsigned word = at == 0 ? own.x : at == 1 ? own.y : at == 2 ? own.z : own.w;
        if (HALVES) word = i % 2 == 0 ? word << 16 : word & 0xffff0000u;
        return __uint_as_float(word);
    }
};

// The weights of all edges: a row of `columns` a city, whose end has weights of 0.
struct AllWeights {
    const void* weights;
    int n, columns, rounds;  // to half precision

    // The heaviest of the cities that this lane looks at.
    template <class Tabu>
    INLINE Heaviest heaviest(const Tabu& tabu, int from, int step, int lane) const {
        long long row = static_cast<long long>(from) * columns;
        if (rounds)
            return of_row<true>(static_cast<const unsigned short*>(weights) + row, tabu, step,
                                lane);
        return of_row<false>(static_cast<const float*>(weights) + row, tabu, step, lane);
    }

  private:
    // Reads overlap: a few rounds are enough for all cities. Every lane makes the same number.
    template <bool HALVES, class Tabu>
    INLINE Heaviest of_row(const void* row, const Tabu& tabu, int step, int lane) const {
        constexpr int READS = HALVES ? 5 : 3;
        Heaviest found;
        int eights = (n + 7) / 8;
#pragma unroll 1
        for (int first = 0; first < eights; first += READS * LANES) {
            EightWeights<HALVES> eight[READS];
            UNROLL for (int i = 0; i < READS; ++i) {
                // the last may be looked at twice
                eight[i].read(row, min(first + i * LANES + lane, eights - 1));
            }
            UNROLL for (int i = 0; i < READS; ++i) {
                int place = min(first + i * LANES + lane, eights - 1);
                unsigned open = tabu.unvisited_of(place, n, step);
                UNROLL for (int j = 0; j < 8; ++j) {
                    found.offer(open >> j & 1 ? eight[i].weight(j) : 0.0f, 8 * place + j);
                }
            }
        }
        return found;
    }
};

// What an ant without a candidate needs. It is in shared memory, where it takes no registers from
// ants that have candidates.
//
// Where the weights of all edges are not kept, nearly all of these edges never got a deposit: their
// trail is that from a city to itself. Then the heaviest is one of the nearest, and the backup
// list is enough. A city is `strayed` if a trail beyond its backup list has ever grown.
struct OtherCities {
    AllWeights kept;  // or null: then they are made of trails
    const float* trails;
    const uint2* backup;  // BACKUP_ROWS rows of 32 a city
    const unsigned char* strayed;
    int factors;
    double alpha;
    Distances geometry;

    // The heaviest unvisited city. All lanes of the warp call this.
    template <class Tabu>
    INLINE int heaviest(const Tabu& tabu, int from, int step, int lane) const {
        Heaviest found = at_once(this, tabu, from, step, lane);
        if (warp_max(found.most) == 0) found = one_after_another(tabu, from, step, lane);
        return found.city();
    }

  private:
    // Returns none if all cities must be looked at.
    template <class Tabu>
    SELDOM Heaviest at_once(const OtherCities* others, Tabu tabu, int from, int step, int lane) {
        return others->kept.weights ? others->kept.heaviest(tabu, from, step, lane)
                                    : others->of_backup(tabu, from, step, lane);
    }

    // Returns none if a heavier one may be beyond.
    template <class Tabu>
    INLINE Heaviest of_backup(const Tabu& tabu, int from, int step, int lane) const {
        const float* row = trails + static_cast<long long>(from) * kept.columns;
        const uint2* own = backup + static_cast<long long>(from) * BACKUP_ROWS * LANES;
        if (strayed[from]) return Heaviest();
        Candidate others[BACKUP_ROWS];
        float tops[BACKUP_ROWS];
        UNROLL for (int i = 0; i < BACKUP_ROWS; ++i) others[i] = {__ldg(&own[i * LANES + lane])};
        float eta = Candidate{__ldg(&own[BACKUP_ROWS * LANES - 1])}.weight();
        float beyond = eta > 0.0f ? weighed(__ldg(&row[from]), eta) : 0.0f;
        UNROLL for (int i = 0; i < BACKUP_ROWS; ++i) {
            int city = others[i].city();
            bool open = !tabu.visited(tabu.seen(city), city, step);
            tops[i] = open ? __ldg(&row[city]) : 0.0f;
        }
        Heaviest found{__float_as_uint(beyond), 0};  // wins over any that is no heavier
        UNROLL for (int i = 0; i < BACKUP_ROWS; ++i) {
            if (tops[i] > 0.0f) found.offer(weighed(tops[i], others[i].weight()), others[i].city());
        }
        return found.most > __float_as_uint(beyond) ? found : Heaviest();
    }

    // The heaviest city so far, with its trail and distance. A later city that is not nearer, by a
    // trail that is not stronger, cannot win, and needs no weight: on a tie the lower city wins.
    struct Leader {
        unsigned most = 0;
        int city = 0, distance = 0;
        float trail = 0.0f;

        INLINE bool rules_out(float other_trail, int other_distance) const {
            return other_trail <= trail && other_distance >= distance;
        }

        // The distance is at least this.
        INLINE bool rules_out(float other_trail, float other_distance) const {
            return other_trail <= trail && other_distance >= float(distance);
        }
    };

    static constexpr int MANY = 8;  // cities of a lane at a time

    template <class Tabu>
    INLINE Heaviest one_after_another(const Tabu& tabu, int from, int step, int lane) const {
        Leader leader;
#pragma unroll 1
        for (int first = lane; first - lane < geometry.n; first += MANY * LANES) {
            unsigned open = 0;
            UNROLL for (int i = 0; i < MANY; ++i) {
                int city = first + i * LANES, any = min(city, geometry.n - 1);
                bool visited = tabu.visited(tabu.seen(any), any, step);
                open |= city < geometry.n && !visited ? 1u << i : 0;
            }
            if (__ballot_sync(ALL_LANES, open != 0) == 0) continue;
            leader = of_many(this, leader, open, from, first);
        }
        return {leader.most, unsigned(leader.city)};
    }

    // The leader among it and the open ones of every 32nd city from `first` on, of all lanes. All
    // lanes of the warp call this.
    SELDOM Leader of_many(const OtherCities* others, Leader leader, unsigned open, int from,
                          int first) {
        const Distances& geometry = others->geometry;
        const float* row = others->trails + static_cast<long long>(from) * others->kept.columns;
        unsigned worth = worth_weighing(geometry, row, leader, open, from, first);
        Leader own = leader;
        for (; worth; worth &= worth - 1) {
            int city = first + (__ffs(worth) - 1) * LANES;
            int distance = geometry.distance(from, city);
            float trail = __ldg(&row[city]);
            if (own.rules_out(trail, distance)) continue;
            float eta = weight_of(distance, __ldg(&geometry.nearest[from]), geometry.beta,
                                  geometry.shortest);
            unsigned weight = __float_as_uint(others->weighed(trail, eta));
            if (weight > own.most) own = {weight, city, distance, trail};
        }
        unsigned most = warp_max(own.most);
        if (most == leader.most) return leader;
        bool leads = own.most == most;
        int city = int(warp_min(leads ? unsigned(own.city) : ~0u));
        leads = leads && own.city == city;
        int distance = int(warp_max(leads ? own.distance : 0));
        unsigned trail = warp_max(leads ? __float_as_uint(own.trail) : 0);
        return {most, city, distance, __uint_as_float(trail)};
    }

    // Of the open ones. Their reads overlap.
    static INLINE unsigned worth_weighing(const Distances& geometry, const float* row,
                                          const Leader& leader, unsigned open, int from,
                                          int first) {
        Site here = geometry.site(from), there[MANY];
        float trails[MANY];
        UNROLL for (int i = 0; i < MANY; ++i) {
            if (!(open >> i & 1)) continue;
            trails[i] = __ldg(&row[first + i * LANES]);
            there[i] = geometry.site(first + i * LANES);
        }
        UNROLL for (int i = 0; i < MANY; ++i) {
            if (open >> i & 1 && leader.rules_out(trails[i], geometry.at_least(here, there[i])))
                open ^= 1u << i;
        }
        return open;
    }

    INLINE float weighed(float trail, float eta) const {
        float power = factors == 1 ? trail : power_of(trail, factors, alpha);
        float own = choice(power, eta);
        return kept.rounds ? rounded_to_half(own) : own;
    }

    // `factors` is alpha where that is whole, else -1.
    SELDOM float power_of(float trail, int factors, double alpha) {
        return factors < 0 ? RealPower(alpha)(trail) : WholePower(alpha)(trail);
    }
};
