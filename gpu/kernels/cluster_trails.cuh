// Trails of listed edges, and their updates, for ants that step together in one cluster.
#pragma once

#include "candidates.cuh"
#include "cluster.cuh"
#include "trail_matrix.cuh"

// What an ant tells all blocks of a step, in one word: the places of the two directions of the edge
// whose trails are to be updated, as far as these are listed.
namespace places {

constexpr unsigned HALF = 0xffff, NONE = HALF;

__device__ __forceinline__ unsigned of(int city, unsigned rank) { return city * LANES + rank; }

__device__ __forceinline__ unsigned both(unsigned there, unsigned back) {
    return there | back << 16;
}

}  // namespace places

// A candidate as it lies in shared memory. x: the city in the low half, in the high half the place
// of the way back; y: the bits of the weight.
struct NearCandidate {
    uint2 packed;

    __device__ __forceinline__ static NearCandidate of(Candidate candidate, bool directed) {
        unsigned city = candidate.city(), rank = candidate.reverse();
        bool back = !directed && rank != NOT_LISTED;
        return {make_uint2(places::both(city, back ? places::of(city, rank) : places::NONE),
                           candidate.packed.y)};
    }

    __device__ __forceinline__ int city() const { return packed.x & places::HALF; }
    __device__ __forceinline__ float weight() const { return __uint_as_float(packed.y); }

    // What to tell of a step to it from `place`.
    __device__ __forceinline__ unsigned word(unsigned place) const {
        return place | (packed.x & ~places::HALF);
    }
};

// How often the ants have met, and what a thread has to do when they meet again.
struct Meeting {
    unsigned thread;
    unsigned time = 1;
    unsigned counted = places::NONE;  // the place where it counted an update
    unsigned before = 0;              // and the counts before

    __device__ __forceinline__ unsigned odd() const { return time & 1; }
};

// Every block has an ant at least, and so is waited for by all others before they meet once more;
// it has the candidate lists and a copy of all their trails in its shared memory, and makes all
// updates of a step there, those of its own ants as those that others send word of. So a step reads
// nothing from global memory, and to meet costs no more than a message.
//
// A trail is updated in two turns, so that one barrier does for both: when the word comes, the
// update is counted, and whoever reads the trail applies the count; when the next word comes, the
// trail itself is updated. Odd and even times count in a half word each.
class ClusterTrails {
  public:
    // `shared` holds two inboxes, trails and counts, candidates, a half word a thread for either
    // inbox, and what begins at rest().
    __device__ __forceinline__ ClusterTrails(uint4* shared, int n, int ants, LocalUpdate change)
        : size_(n * LANES),
          bytes_(static_cast<unsigned>(sizeof(unsigned)) * ants),
          words_(blockDim.x / 2),
          change_(change),
          inboxes_(reinterpret_cast<Inbox*>(shared)),
          trails_(reinterpret_cast<uint2*>(shared + 1)) {}

    // All threads call this; meet_cluster() must follow.
    __device__ __forceinline__ void open(const CandidateLists& lists, const float* listed,
                                         bool directed) {
        for (int i = threadIdx.x; i < size_; i += blockDim.x) {
            trails_[i] = make_uint2(__float_as_uint(__ldcg(&listed[i])), 0);
            trails_[size_ + i] = NearCandidate::of(lists.at(i / LANES, i % LANES), directed).packed;
        }
        for (unsigned i = threadIdx.x; i < 2 * words_; i += blockDim.x) mail()[i] = ~0u;
        if (threadIdx.x > 0) return;
        for (int i = 0; i < 2; ++i) {
            inboxes_[i].open();
            inboxes_[i].expect(bytes_);
        }
    }

    __device__ __forceinline__ const NearCandidate* candidates() const {
        return reinterpret_cast<const NearCandidate*>(trails_ + size_);
    }

    __device__ __forceinline__ unsigned* rest() const { return mail() + 2 * words_; }

    // Where an ant's word is to be sent in a block.
    __device__ __forceinline__ Address address(int ant, unsigned block) const {
        return Address(&mail()[ant], inboxes_[0], block);
    }

    __device__ __forceinline__ void send(const Meeting& meeting, const Address& address,
                                         unsigned word) const {
        address.send(word, meeting.odd() * words_, meeting.odd());
    }

    // The trail at a place as it was before the updates of this time.
    __device__ __forceinline__ float read(const Meeting& meeting, unsigned place) const {
        uint2 trail = trails_[place];
        return updated(trail, count(meeting, trail));
    }

    // All threads of all blocks call this once the warps' words are sent.
    __device__ __forceinline__ void meet(Meeting& meeting) const {
        // The first to count an update makes all of that time.
        bool settles = meeting.counted != places::NONE &&
                       !(meeting.before >> half(meeting.time - 1) & places::HALF);
        float settled = 0;
        unsigned less = 0;
        if (settles) {
            uint2 trail = trails_[meeting.counted];
            settled = updated(trail, count(meeting, trail));
            less = count(meeting, trail) << half(meeting.time - 1);
        }
        inboxes_[meeting.odd()].wait(meeting.time - 1 >> 1);
        if (meeting.thread == 0) inboxes_[meeting.odd()].expect(bytes_);
        // Of a word's two places, every thread has one; those beyond the ants have none.
        unsigned place = reinterpret_cast<const unsigned short*>(
            mail() + meeting.odd() * words_)[meeting.thread];
        if (settles) {
            trails_[meeting.counted].x = __float_as_uint(settled);
            atomicSub(&trails_[meeting.counted].y, less);
        }
        meeting.counted = place;
        if (place != places::NONE)
            meeting.before = atomicAdd(&trails_[place].y, 1u << half(meeting.time));
        __syncthreads();
        meeting.time += 1;
    }

  private:
    int size_;
    unsigned bytes_, words_;  // that come to an inbox, and that it has room for
    LocalUpdate change_;
    Inbox* inboxes_;  // of even times and of odd ones
    uint2* trails_;   // (2, n, 32): trail and counts, candidate

    __device__ __forceinline__ unsigned* mail() const {
        return reinterpret_cast<unsigned*>(trails_ + 2 * size_);
    }

    static __device__ __forceinline__ unsigned half(unsigned at) { return (at & 1) * 16; }

    __device__ __forceinline__ unsigned count(const Meeting& meeting, uint2 trail) const {
        return trail.y >> half(meeting.time - 1) & places::HALF;
    }

    __device__ __forceinline__ float updated(uint2 trail, unsigned times) const {
        float value = __uint_as_float(trail.x);
#pragma unroll 1
        for (; times > 0; --times) value = change_(value);
        return value;
    }
};
