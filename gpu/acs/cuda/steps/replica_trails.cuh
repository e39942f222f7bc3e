// Trails of listed edges where every block has them all, for ants that step together.
#pragma once

#include "gpu/acs/cuda/constants.py"
#include "gpu/acs/cuda/trail_matrix.cuh"
#include "gpu/cuda/kernels/order.cuh"

// What an ant reports of a step to all blocks, in one word: places of the edge's two directions,
// whose trails are to be updated. For one on no list: whether its trail is updated, and from
// which city it leads.
namespace places {

constexpr unsigned HALF = (1u << PLACE_BITS) - 1;
constexpr unsigned NONE = HALF, ELSEWHERE = HALF - OUTSIDE_PLACES;  // ELSEWHERE + city

INLINE unsigned of(int city, unsigned rank) { return city * LANES + rank; }

// The city that a place belongs to; more than any for NONE.
INLINE unsigned city(unsigned place) {
    return place < ELSEWHERE ? place / LANES : place - ELSEWHERE;
}

INLINE unsigned both(unsigned there, unsigned back) { return there | back << PLACE_BITS; }

INLINE unsigned there(unsigned word) { return word & HALF; }

INLINE unsigned back(unsigned word) { return word >> PLACE_BITS; }

}  // namespace places

// A candidate as it lies in shared memory. x: the city, then the place of the way back; y: the bits
// of the weight.
struct NearCandidate {
    uint2 packed;

    static INLINE NearCandidate of(Candidate candidate, bool directed) {
        unsigned city = candidate.city(), rank = candidate.reverse();
        bool back = !directed && rank != NOT_LISTED;
        return {make_uint2(places::both(city, back ? places::of(city, rank) : places::NONE),
                           candidate.packed.y)};
    }

    INLINE int city() const { return places::there(packed.x); }
    INLINE float weight() const { return __uint_as_float(packed.y); }

    // The report of a step to it from `place`.
    INLINE unsigned word(unsigned place) const { return place | (packed.x & ~places::HALF); }
};

// A trail and the number of its updates, at the last time and at the present one in turn. Ants read
// the trail from before the present updates, so no update has to wait until all ants have read.
class ReplicaTrails {
  public:
    // `shared` holds trails and counts, candidates, and changed().
    INLINE ReplicaTrails(uint2* shared, int n, LocalUpdate change)
        : size_(n * LANES), change_(change), trails_(shared) {}

    // All threads of the block call this; a barrier must follow.
    INLINE void open(const CandidateLists& lists, const float* listed, bool directed) const {
        for (int i = threadIdx.x; i < size_; i += blockDim.x) {
            trails_[i] = make_uint2(__float_as_uint(__ldcg(&listed[i])), 0);
            trails_[size_ + i] = NearCandidate::of(lists.at(i / LANES, i % LANES), directed).packed;
        }
    }

    INLINE const NearCandidate* candidates() const {
        return reinterpret_cast<const NearCandidate*>(trails_ + size_);
    }

    // (n), for OutsideNews.
    INLINE unsigned* changed() const { return reinterpret_cast<unsigned*>(trails_ + 2 * size_); }

    // The trail at a place before the updates of this time. If not `wanted`, an older value will
    // do: ants that walk together update an edge so often that it pays not to work out what nobody
    // needs.
    INLINE float read(unsigned place, unsigned time, bool wanted = true) const {
        constexpr unsigned AT_ONCE = 4;
        uint2 trail = trails_[place];
        float value = __uint_as_float(trail.x);
        unsigned times = wanted ? trail.y >> shift(time - 1) & COUNT : 0;
#pragma unroll 1
        for (; times >= AT_ONCE; times -= AT_ONCE) {
#pragma unroll
            for (unsigned i = 0; i < AT_ONCE; ++i) value = change_(value);
        }
#pragma unroll
        for (unsigned i = 1; i < AT_ONCE; ++i) {
            float next = change_(value);
            if (i <= times) value = next;
        }
        return value;
    }

    // Counts an update of this time. Returns the counts before.
    INLINE unsigned count(unsigned place, unsigned time) const {
        return atomicAdd(&trails_[place].y, 1u << shift(time));
    }

    // Whether an update was the first of the time before to be counted.
    static INLINE bool first(unsigned counts_before, unsigned time) {
        return !(counts_before >> shift(time - 1) & COUNT);
    }

    // Writes the trail that all updates of the time before lead to, once all ants have read.
    INLINE void settle(unsigned place, float value, unsigned time) const {
        trails_[place].x = __float_as_uint(value);
        atomicAnd(&trails_[place].y, COUNT << shift(time));
    }

  private:
    static constexpr unsigned COUNT = 0xffff;

    int size_;
    LocalUpdate change_;
    uint2* trails_;  // (2, n, 32): trail and counts, candidate

    static INLINE unsigned shift(unsigned at) { return (at & 1) * 16; }
};

// News of trails on no list, in shared memory: who chose among them while they were updated must
// choose again.
struct OutsideNews {
    static constexpr unsigned BITS = 9, SEVERAL = (1u << BITS) - 1;  // or unknown

    // In a city's word: the time of the last such update from it, and where to.
    static INLINE void note(unsigned* word, unsigned to, unsigned time) {
        unsigned own = time << BITS | min(to, SEVERAL), last = atomicMax(word, own);
        if (last >> BITS == time && last != own) atomicMax(word, own | SEVERAL);
    }
};

// A thread that reads the reports of one ant.
struct Listener {
    unsigned places[2] = {places::NONE, places::NONE}, before[2];
    bool settles[2];
    float settled;

    // Computes the updates of the time before, if this thread has to make them. Those of an edge's
    // two directions are equal.
    INLINE void prepare(const ReplicaTrails& trails, unsigned time) {
#pragma unroll
        for (int i = 0; i < 2; ++i)
            settles[i] = places[i] < places::ELSEWHERE && ReplicaTrails::first(before[i], time);
        if (settles[0] || settles[1]) settled = trails.read(places[settles[0] ? 0 : 1], time);
    }

    // Makes them.
    INLINE void settle(const ReplicaTrails& trails, unsigned time) const {
#pragma unroll
        for (int i = 0; i < 2; ++i)
            if (settles[i]) trails.settle(places[i], settled, time);
    }

    // Counts the updates that a report asks for.
    INLINE void count(const ReplicaTrails& trails, unsigned word, unsigned time) {
        places[0] = places::there(word);
        places[1] = places::back(word);
        bool elsewhere = false;
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            if (places[i] < places::ELSEWHERE) {
                before[i] = trails.count(places[i], time);
            } else if (places[i] != places::NONE) {
                OutsideNews::note(&trails.changed()[places[i] - places::ELSEWHERE],
                                  places::city(places[1 - i]), time);
                elsewhere = true;
            }
        }
        if (elsewhere) acquire();  // the ant updated them before it sent its word
    }
};
