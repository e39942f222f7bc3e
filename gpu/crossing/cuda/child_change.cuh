// What a child changes in its tour, as merge.cu takes it: see changes.cuh.
#pragma once

#include "child.cuh"

struct ChildChange : ChangeOf<MOST_PIECES> {};

constexpr int NO_GAP = 0xff;
constexpr int WIDTHS = 4;  // that gaps are tried with: NARROWEST, and each four times as wide

// The pieces of a child, while its change is written. All lanes of the warp call all of this.
struct ChangeWriter {
    Pieces pieces;
    int cut[MOST_PIECES];              // places behind which the child goes on elsewhere, ascending
    unsigned char gap[MOST_PIECES];    // the gap that begins with a piece: between two such places
    unsigned char order[MOST_PIECES];  // gaps, in the order of the child
    unsigned char back[MOST_PIECES];   // and which of them it takes from their end

    // Writes the change of so many pieces of a tour of n cities, which gains so much.
    INLINE void write(ChildChange& change, int count, int n, long long gain, int rank, int lane) {
        if (lane == 0) settle(count, n);
        __syncwarp();
        int cuts = find_cuts(count, lane);
        if (lane == 0) follow(count);
        __syncwarp();
        int width = untangled(cuts, n, lane);
        int links = write_links(change, count, n, lane);
        if (lane == 0) {
            change.gain = gain;
            change.links = links;
            change.windows = write_windows(change, cuts, width > 0 ? width : TANGLED_GAP, n);
            change.tangled = width == 0 || change.windows == 0;
            change.rank = rank;
            if (change.windows == 0) {  // the whole tour
                change.windows = 1;
                change.window[0] = make_int2(0, n - 1);
            }
        }
        __syncwarp();
    }

  private:
    INLINE int first(int piece, int count, int n) const {
        int place = pieces.last[piece > 0 ? piece - 1 : count - 1] + 1;
        return place < n ? place : 0;
    }

    INLINE int place_of(int end, int count, int n) const {
        return end & 1 ? pieces.last[end / 2] : first(end / 2, count, n);
    }

    INLINE int length(int gap, int cuts, int n) const {
        int cities = cut[gap + 1 < cuts ? gap + 1 : 0] - cut[gap];
        return cities > 0 ? cities : cities + n;
    }

    // Decides which way pieces of one city go, if a neighbour on the child is one on the tour.
    INLINE void settle(int count, int n) {
        for (int piece = 0; piece < count; ++piece) {
            int place = pieces.last[piece], low = 2 * piece, high = low + 1;
            if (first(piece, count, n) != place) continue;
            int up = place + 1 < n ? place + 1 : 0, down = place > 0 ? place - 1 : n - 1;
            int left = pieces.link[low], right = pieces.link[high];
            int before = place_of(left, count, n), after = place_of(right, count, n);
            if (before == down || after == up || (before != up && after != down)) continue;
            pieces.link[low] = static_cast<unsigned short>(right);
            pieces.link[high] = static_cast<unsigned short>(left);
            pieces.link[right] = static_cast<unsigned short>(low);
            pieces.link[left] = static_cast<unsigned short>(high);
        }
    }

    // Finds out behind which pieces the child goes on elsewhere. Returns how many these are.
    INLINE int find_cuts(int count, int lane) {
        int cuts = 0;
        for (int begin = 0; begin < count; begin += LANES) {
            int piece = begin + lane, next = piece + 1 < count ? piece + 1 : 0;
            bool is = piece < count && pieces.link[2 * piece + 1] != 2 * next;
            unsigned all = __ballot_sync(ALL_LANES, is);
            int number = cuts + __popc(all & ((1u << lane) - 1));
            if (is) cut[number] = pieces.last[piece];
            if (piece < count) gap[next] = static_cast<unsigned char>(is ? number : NO_GAP);
            cuts += __popc(all);
        }
        __syncwarp();
        return cuts;
    }

    INLINE void follow(int count) {
        int found = 0;
        for (int end = 0, step = 0; step < count; ++step) {
            int piece = end / 2;
            if (gap[piece] != NO_GAP) {
                order[found] = gap[piece];
                back[found++] = static_cast<unsigned char>(end & 1);
            }
            end = pieces.link[end ^ 1];
        }
    }

    // The least width such that all longer gaps keep order and direction; 0 if there is none. Each
    // lane tries another one.
    INLINE int untangled(int cuts, int n, int lane) const {
        int width = NARROWEST << 2 * (lane % WIDTHS);
        int wide = 0, turned = 0, wrapped = 0, begin = 0, before = 0;
        for (int i = 0; i < cuts; ++i) {
            int own = order[i];
            if (length(own, cuts, n) <= width) continue;
            if (wide == 0)
                begin = own;
            else
                wrapped += back[i] ? own > before : own < before;
            ++wide;
            turned += back[i];
            before = own;
        }
        wrapped += turned ? begin > before : begin < before;
        bool kept = wide == 1 || (wide > 0 && wrapped == 1 && (turned == 0 || turned == wide));
        unsigned all = __ballot_sync(ALL_LANES, kept);
        return all ? NARROWEST << 2 * (__ffs(all) - 1) : 0;
    }

    // From the cut behind a wide gap to the one before the next wide gap. Returns how many.
    INLINE int write_windows(ChildChange& change, int cuts, int width, int n) const {
        int begin = 0, windows = 0;
        while (begin < cuts && length(begin, cuts, n) <= width) ++begin;
        if (begin == cuts) return 0;
        for (int i = 1, from = begin; i <= cuts; ++i) {
            int own = begin + i < cuts ? begin + i : begin + i - cuts;
            if (length(own, cuts, n) <= width) continue;
            change.window[windows++] = make_int2(cut[from + 1 < cuts ? from + 1 : 0], cut[own]);
            from = own;
        }
        return windows;
    }

    // Returns how many edges are new.
    INLINE int write_links(ChildChange& change, int count, int n, int lane) const {
        int links = 0;
        for (int begin = 0; begin < 2 * count; begin += LANES) {
            int end = begin + lane, other = end < 2 * count ? pieces.link[end] : 0;
            bool same = end & 1 ? other == end + 1 : end == 0 && other == 2 * count - 1;
            bool is = other > end && !same;
            unsigned all = __ballot_sync(ALL_LANES, is);
            if (is)
                change.link[links + __popc(all & ((1u << lane) - 1))] =
                    make_int2(2 * place_of(end, count, n) + (end & 1),
                              2 * place_of(other, count, n) + (other & 1));
            links += __popc(all);
        }
        return links;
    }
};
