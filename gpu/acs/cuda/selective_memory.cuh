// The selective pheromone memory (2016, Section 3.2 and Fig. 5): a policy for construction.
//
// Each city remembers its last few trails in a ring of 64-bit records {city, trail}; every other
// trail has the initial value. A record is one word, read and written whole: as two words it
// tears under concurrent misses, and the memory fills with duplicates. All reads go past the L1
// cache, which is not coherent between multiprocessors.
#pragma once

#include "choices.cuh"
#include "kernels.py"

typedef unsigned long long Record;

[[maybe_unused]] constexpr unsigned NOBODY = 0xffffffffu;

INLINE Record make_record(unsigned city, float trail) {
    return static_cast<Record>(city) << 32 | __float_as_uint(trail);
}
INLINE unsigned record_city(Record record) { return unsigned(record >> 32); }
INLINE float record_trail(Record record) { return __uint_as_float(unsigned(record)); }

// The key of what `city` remembers in a record; 0 if an ant cannot go there.
INLINE unsigned record_key(Record record, const Distances& geometry, const BitTabu& tabu,
                           int city) {
    unsigned other = record_city(record);
    if (other == NOBODY || tabu.visited(other)) return 0;
    return weight_key(record_trail(record) * geometry.weight(city, other), true);
}

// Among which cities the greedy choice takes the heaviest: the candidates alone, as in Fig. 3, or
// the candidates and every remembered city, as in the author's program.
enum Greedy { LISTED, REMEMBERED };

// One city's ring, as a warp holds it: lane i has slot i.
struct Ring {
    Record* slots;   // of this city, in global memory
    unsigned* tail;  // slot written last
    int size;
    Record mine;
    unsigned last;

    // All lanes of the warp call this; the loads are in flight until they are used.
    INLINE void open(Record* slots_, unsigned* tail_, int size_, int lane) {
        slots = slots_;
        tail = tail_;
        size = size_;
        mine = lane < size ? __ldcg(&slots[lane]) : make_record(NOBODY, 1.0f);
        last = __ldcg(tail);
    }

    // How many records were added after this lane's.
    INLINE unsigned age(int lane) const { return last - lane + (lane > int(last) ? size : 0); }

    // What an update will write, planned before it is written.
    struct Plan {
        bool hit;
        bool writes;  // in one lane: to its slot
    };

    // Fig. 5: a remembered trail to `other` changes; else it replaces the oldest record.
    // All lanes of the warp call this.
    template <class Change>
    INLINE Plan plan(unsigned other, Change change, int lane) {
        unsigned found = __ballot_sync(ALL_LANES, record_city(mine) == other);
        if (!found) last = last + 1 < size ? last + 1 : 0;
        bool writes = lane == (found ? __ffs(found) - 1 : last);
        if (writes) mine = make_record(other, change(found ? record_trail(mine) : 1.0f));
        return Plan{found != 0, writes};
    }

    // Does what was planned; `record` and `newest` are `mine` and `last` as they were then.
    INLINE void carry_out(Plan plan, Record record, unsigned newest, int lane) const {
        if (!plan.writes) return;
        slots[lane] = record;
        if (!plan.hit) *tail = newest;
    }

    // Both at once. Returns whether the trail was there.
    template <class Change>
    INLINE bool update(unsigned other, Change change, int lane) {
        Plan planned = plan(other, change, lane);
        carry_out(planned, mine, last, lane);
        return planned.hit;
    }
};

// CAPACITY is the size rounded up to 8, 16 or 32: every lane looks its candidate up among as many
// records held in registers.
template <int CAPACITY>
struct SelectiveMemory {
    Record* records;  // (n, CAPACITY)
    unsigned* tails;  // (n, TAIL_STRIDE), of which the first is used
    int size;

    // All of a city's records, in every lane; the loads are in flight until they are used.
    struct Page {
        ulonglong2 pair[CAPACITY / 2];

        INLINE float trail_to(unsigned city) const {
            float trail = 1.0f;
            UNROLL for (int i = 0; i < CAPACITY / 2; ++i) {
                if (record_city(pair[i].x) == city) trail = record_trail(pair[i].x);
                if (record_city(pair[i].y) == city) trail = record_trail(pair[i].y);
            }
            return trail;
        }
    };

    INLINE Record* slots_of(int city) const { return row_of(records, city, CAPACITY); }

    INLINE unsigned* tail_of(int city) const { return row_of(tails, city, TAIL_STRIDE); }

    INLINE void open(Ring& ring, int city, int lane) const {
        ring.open(slots_of(city), tail_of(city), size, lane);
    }

    // Both from copies in shared memory.
    INLINE void open(Ring& ring, Page& page, const Record* copies, unsigned tail, int city,
                     int lane) const {
        UNROLL for (int i = 0; i < CAPACITY / 2; ++i) {
            page.pair[i] = reinterpret_cast<const ulonglong2*>(copies)[i];
        }
        ring = Ring{slots_of(city), tail_of(city), size,
                    lane < size ? copies[lane] : make_record(NOBODY, 1.0f), tail};
    }

    INLINE Page read(int city) const {
        const ulonglong2* pairs = reinterpret_cast<const ulonglong2*>(slots_of(city));
        Page page;
        UNROLL for (int i = 0; i < CAPACITY / 2; ++i) page.pair[i] = __ldcg(&pairs[i]);
        return page;
    }

    // The next city when no candidate is left: among the remembered cities and the nearest
    // unvisited one, the one of the largest trail * weight. All lanes of the warp call this.
    __device__ int choose_outside(const Fallback& fallback, const Distances& geometry,
                                  const BitTabu& tabu, const Ring& ring, int city, int lane) const {
        unsigned key = record_key(ring.mine, geometry, tabu, city);
        unsigned remembered = record_city(ring.mine), best = remembered;
        int nearest = fallback.nearest_city();
        unsigned known = __ballot_sync(ALL_LANES, remembered == nearest);
        if (!known && key == 0) {  // the lanes with nothing to offer speak for the nearest city
            best = nearest;
            key = weight_key(geometry.weight(city, nearest), true);
        }
        return best_city(key, warp_max(key), best);
    }
};
