// An ant of ACO-RLF (2017, Algorithm 3): the class that it is making, and what it knows of the
// candidates. A block is an ant.
//
// Every warp holds all sets and changes them alike, so that none has to be told. What is known of
// each candidate is shared out: a warp looks after OWN consecutive words of vertices, a lane after
// one vertex of each.
#pragma once

#include "group.cuh"
#include "vertex_set.cuh"

// Loops over this many words or rows are unrolled; larger ones would be too much code.
constexpr int FEW = 4;

__device__ constexpr int unrolled(int count) { return count <= FEW ? count : 1; }

struct Graph {
    int n, words;
    const unsigned* adjacency;  // a row of words a vertex

    __device__ __forceinline__ const unsigned* row(int vertex) const {
        return adjacency + static_cast<long long>(vertex) * words;
    }
};

template <int ROWS, int OWN>
struct Walk {
    static constexpr int AT_ONCE = ROWS == 1 ? 4 : 1;  // candidates that are counted for together
    typedef VertexSet<ROWS> Set;
    const Graph& graph;
    int first, lane;                  // own words begin there
    Set uncolored, candidates, gone;  // gone: what the last visit made no candidates any more
    unsigned own[OWN];                // own words of the candidates
    int excluded[OWN];  // d: neighbours of the own vertex that the class keeps from it

    __device__ __forceinline__ Walk(const Graph& graph_, int warp, int lane_)
        : graph(graph_), first(warp * OWN), lane(lane_), uncolored(Set::of_all(graph_.n, lane_)) {}

    __device__ __forceinline__ void begin_class() {
        candidates = uncolored;
#pragma unroll unrolled(OWN)
        for (int i = 0; i < OWN; ++i) excluded[i] = 0;
    }

    // Takes `vertex` into the class. Says whether there are candidates left.
    __device__ __forceinline__ bool visit(int vertex) {
        gone = Set::of_row(graph.row(vertex), graph.words, lane);
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
        for (int i = 0; i < OWN; ++i)
            own[i] = first + i < graph.words ? candidates.word(first + i) : 0;
        return true;
    }

    // Brings what is known of the own candidates up to date.
    __device__ __forceinline__ void count() {
#pragma unroll unrolled(OWN)
        for (int i = 0; i < OWN; ++i) excluded[i] += count_gone(own[i], first + i);
    }

    __device__ __forceinline__ int vertex(int i) const { return LANES * (first + i) + lane; }

    // Whether the i-th own vertex is a candidate.
    __device__ __forceinline__ bool is_candidate(int i) const { return own[i] >> lane & 1; }

    __device__ __forceinline__ int most_excluded() const {
        int most = 0;
#pragma unroll unrolled(OWN)
        for (int i = 0; i < OWN; ++i) most = is_candidate(i) ? max(most, excluded[i]) : most;
        return most;
    }

  private:
    // Each lane's vertex of this word: if it is among `bits`, how many of its neighbours have gone.
    __device__ __forceinline__ int count_gone(unsigned bits, int word) const {
        const unsigned* rows = graph.row(LANES * word);
        int mine = 0;
        while (bits) {
            int place[AT_ONCE];
            unsigned count[AT_ONCE];
#pragma unroll
            for (int i = 0; i < AT_ONCE; ++i) {
                place[i] = __ffs(bits) - 1;
                bits &= bits - 1;
                count[i] = 0;
                if (place[i] < 0) continue;
                const unsigned* row = rows + place[i] * graph.words;
#pragma unroll
                for (int k = 0; k < ROWS; ++k) {
                    int at = k * LANES + lane;
                    if (at < graph.words) count[i] += __popc(__ldg(&row[at]) & gone.words[k]);
                }
            }
#pragma unroll
            for (int i = 0; i < AT_ONCE; ++i) {
                int total = static_cast<int>(warp_total(count[i]));
                mine = lane == place[i] ? total : mine;
            }
        }
        return mine;
    }
};
