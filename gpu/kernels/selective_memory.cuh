// The selective pheromone memory (2016, Section 3.2 and Fig. 5): a policy for construction.
//
// Each city remembers its last few trails in a ring of 64-bit records {city, trail}; every other
// trail has the initial value. A record is one word, read and written whole: as two words it
// tears under concurrent misses, and the memory fills with duplicates. All reads go past the L1
// cache, which is not coherent between multiprocessors.
#pragma once

#include "candidates.cuh"
#include "geometry.cuh"
#include "selection.cuh"
#include "tabu.cuh"

typedef unsigned long long Record;

constexpr unsigned NOBODY = 0xffffffffu;

__device__ __forceinline__ Record make_record(unsigned city, float trail) {
    return static_cast<Record>(city) << 32 | __float_as_uint(trail);
}
__device__ __forceinline__ unsigned record_city(Record record) {
    return static_cast<unsigned>(record >> 32);
}
__device__ __forceinline__ float record_trail(Record record) {
    return __uint_as_float(static_cast<unsigned>(record));
}

// One city's ring, as a warp holds it: lane i has slot i.
struct Ring {
    Record* slots;   // of this city, in global memory
    unsigned* tail;  // slot written last
    int size;
    Record mine;
    unsigned last;

    // All lanes of the warp call this; the loads are in flight until they are used.
    __device__ __forceinline__ void open(Record* records, unsigned* tails, int capacity, int size_,
                                         int city, int lane) {
        slots = records + static_cast<long long>(city) * capacity;
        tail = tails + city;
        size = size_;
        mine = lane < size ? __ldcg(&slots[lane]) : make_record(NOBODY, 1.0f);
        last = __ldcg(tail);
    }

    // Fig. 5: change the trail to `other` where it is remembered, else remember it over the
    // oldest. Returns whether it was there. All lanes of the warp call this.
    template <class Change>
    __device__ __forceinline__ bool update(unsigned other, Change change, int lane) {
        unsigned found = __ballot_sync(ALL_LANES, record_city(mine) == other);
        if (found) {
            if (lane == __ffs(found) - 1) {
                mine = make_record(other, change(record_trail(mine)));
                slots[lane] = mine;
            }
            return true;
        }
        last = last + 1 < size ? last + 1 : 0;
        if (lane == last) {
            mine = make_record(other, change(1.0f));
            slots[lane] = mine;
            *tail = last;
        }
        return false;
    }
};

// CAPACITY is the size rounded up to 8, 16 or 32: every lane looks its candidate up among as many
// records held in registers.
template <int CAPACITY>
struct SelectiveMemory {
    Record* records;  // (n, CAPACITY)
    unsigned* tails;  // (n)
    int size;

    __device__ __forceinline__ void open(Ring& ring, int city, int lane) const {
        ring.open(records, tails, CAPACITY, size, city, lane);
    }

    // The trails from `city` to each lane's candidate.
    __device__ __forceinline__ float look_up(int city, int candidate) const {
        const ulonglong2* pairs = reinterpret_cast<const ulonglong2*>(
            records + static_cast<long long>(city) * CAPACITY);
        float trail = 1.0f;
        ulonglong2 pair[CAPACITY / 2];
#pragma unroll
        for (int i = 0; i < CAPACITY / 2; ++i) pair[i] = __ldcg(&pairs[i]);
#pragma unroll
        for (int i = 0; i < CAPACITY / 2; ++i) {
            if (record_city(pair[i].x) == candidate) trail = record_trail(pair[i].x);
            if (record_city(pair[i].y) == candidate) trail = record_trail(pair[i].y);
        }
        return trail;
    }

    // The next city when no candidate is left: among the remembered cities and the nearest
    // unvisited one, the one of the largest trail * weight. All lanes of the warp call this.
    __device__ int choose_outside(const CandidateLists& lists, const Geometry& geometry,
                                  const BitTabu& tabu, const Ring& ring, int city,
                                  int lane) const {
        unsigned key = 0;
        int remembered = record_city(ring.mine), best = remembered;
        if (remembered != NOBODY && !tabu.visited(remembered))
            key = weight_key(record_trail(ring.mine) * geometry.weight(city, remembered), true);
        int nearest = nearest_unvisited(lists, geometry, tabu, city, lane);
        unsigned known = __ballot_sync(ALL_LANES, remembered == nearest);
        if (!known && key == 0) {  // the lanes with nothing to offer speak for the nearest city
            best = nearest;
            key = weight_key(geometry.weight(city, nearest), true);
        }
        return best_city(key, warp_max(key), best);
    }

  private:
    // The backup list is in order of distance, so its first unvisited city is the nearest.
    __device__ int nearest_unvisited(const CandidateLists& lists, const Geometry& geometry,
                                     const BitTabu& tabu, int city, int lane) const {
        for (int start = 0; start < lists.width; start += LANES) {
            int candidate = lists.backup_at(city, start + lane).city();
            unsigned free =
                __ballot_sync(ALL_LANES, candidate != city && !tabu.visited(candidate));
            if (free) return __shfl_sync(ALL_LANES, candidate, __ffs(free) - 1);
        }
        int shortest = 0x7fffffff, best = 0x7fffffff;
        for (int word = lane; word < tabu.words; word += LANES) {
            for (unsigned left = ~tabu.bits[word]; left; left &= left - 1) {
                int other = word * LANES + __ffs(left) - 1;
                int length = geometry.distance(city, other);
                if (length < shortest) {
                    shortest = length;
                    best = other;
                }
            }
        }
        int least = warp_min(shortest);
        return warp_min(shortest == least ? best : 0x7fffffff);
    }
};
