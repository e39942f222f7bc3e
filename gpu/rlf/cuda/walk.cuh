// An ant of ACO-RLF (2017, Algorithm 3): the class that it builds, and what it knows of the
// candidates. A block is an ant.
//
// Every warp holds all sets and changes them in the same way, so that no warp has to send any. The
// counts of the candidates are shared out: a warp has OWN consecutive words of vertices, a lane
// one vertex of each.
#pragma once

#include "gpu/cuda/kernels/group.cuh"
#include "vertex_set.cuh"

// Loops over this many words or rows are unrolled; larger ones would be too much code.
constexpr int FEW = 4;

__device__ constexpr int unrolled(int count) { return count <= FEW ? count : 1; }

// The adjacency as one lane reads it: a row of `words` words a vertex, whole rows of 32.
struct Graph {
    int n, words;
    const unsigned* lane_words;  // from the lane's first word on

    INLINE const unsigned* row(int vertex) const {
        return lane_words + unsigned(vertex) * unsigned(words);
    }
};

template <int ROWS, int OWN>
struct Walk {
    typedef VertexSet<ROWS> Set;
    Graph graph;
    int first, lane;                  // own words begin there
    Set uncolored, candidates, gone;  // gone: what the last visit made no candidates any more
    unsigned own[OWN];                // own words of the candidates
    int excluded[OWN];  // d: neighbours of the own vertex that the class keeps from it

    INLINE Walk(const Graph& graph_, int warp, int lane_)
        : graph(graph_), first(warp * OWN), lane(lane_), uncolored(Set::of_all(graph_.n, lane_)) {}

    INLINE void begin_class() {
        candidates = uncolored;
#pragma unroll unrolled(OWN)
        for (int i = 0; i < OWN; ++i) excluded[i] = 0;
    }

    // Takes `vertex` into the class. Says whether there are candidates left.
    INLINE bool visit(int vertex) {
        gone = Set::of_row(graph.row(vertex), graph.words);
        uncolored.remove(vertex, lane);
        candidates.remove(vertex, lane);
#pragma unroll
        for (int k = 0; k < ROWS; ++k) {
            unsigned before = candidates.words[k];
            candidates.words[k] = before & ~gone.words[k];
            gone.words[k] &= before;
        }
        if (candidates.empty()) return false;
#pragma unroll unrolled(OWN)
        for (int i = 0; i < OWN; ++i) own[i] = candidates.word(first + i);
        return true;
    }

    // Updates the counts of the own candidates: how many neighbours of each have gone. It takes two
    // candidates of each of TOGETHER words at a time, so that there is always something to read;
    // their counts are added up in the two halves of one word.
    INLINE void count() {
#pragma unroll unrolled(OWN / TOGETHER)
        for (int i = 0; i < OWN; i += TOGETHER) {
            unsigned left[TOGETHER], any = 0;
#pragma unroll
            for (int j = 0; j < TOGETHER; ++j) any |= left[j] = own[i + j];
            while (any) {
                int one[TOGETHER], other[TOGETHER];
                unsigned counts[TOGETHER];
                any = 0;
#pragma unroll
                for (int j = 0; j < TOGETHER; ++j) {
                    one[j] = take(left[j]);
                    other[j] = take(left[j]);
                    any |= left[j];
                    counts[j] = own_part(one[j], first + i + j);
                    counts[j] |= own_part(other[j], first + i + j) << 16;
                }
#pragma unroll
                for (int j = 0; j < TOGETHER; ++j) {
                    unsigned total = warp_total(counts[j]);
                    int more = lane == other[j] ? total >> 16 : 0;
                    excluded[i + j] += lane == one[j] ? total & 0xffff : more;
                }
            }
        }
    }

    INLINE int vertex(int i) const { return LANES * (first + i) + lane; }

    // Whether the i-th own vertex is a candidate.
    INLINE bool is_candidate(int i) const { return own[i] >> lane & 1; }

    INLINE int most_excluded() const {
        int most = 0;
#pragma unroll unrolled(OWN)
        for (int i = 0; i < OWN; ++i) most = is_candidate(i) ? max(most, excluded[i]) : most;
        return most;
    }

  private:
    static constexpr int TOGETHER = OWN <= FEW ? OWN : 1;

    // The highest bit that is set, which is cleared; -1 if there is none.
    static INLINE int take(unsigned& bits) {
        int place = LANES - 1 - __clz(int(bits));
        bits &= ~(1u << (place & (LANES - 1)));
        return place;
    }

    // How many neighbours of a vertex of this word have gone, as far as the lane knows them.
    INLINE unsigned own_part(int place, int word) const {
        unsigned count = 0;
        if (place < 0) return count;
        Set near = Set::of_row(graph.row(LANES * word + place), graph.words);
#pragma unroll
        for (int k = 0; k < ROWS; ++k) count += __popc(near.words[k] & gone.words[k]);
        return count;
    }
};
