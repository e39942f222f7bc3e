// A child: one's own tour with the edges of AB-cycles exchanged, and made one tour again.
//
// The tour is cut into pieces, which come in any order, some of them turned. The exchange often
// leaves several tours. The smallest is joined to another one by the exchange of two edges that
// costs least, until one is left (Nagata and Kobayashi 2013). Nothing takes time in proportion to
// the number of cities, but for joining: that looks at the cities of the smallest tour, or at those
// near the ends of its pieces if they are many.
#pragma once

#include "gpu/tour_changes/cuda/changes.cuh"

constexpr int WHOLLY_LOOKED = 2000;  // cities of a tour that are all looked at to join it
constexpr int REACH = 64;            // places from the ends of its pieces, where there are more

// Pieces of one's own tour, and how they are joined. End 2 i is the first city of piece i, 2 i + 1
// its last.
template <int PIECES>
struct Pieces {
    int last[PIECES];  // ascending places; the first piece begins behind the last one's end
    unsigned short link[2 * PIECES];  // the end that each end is joined to
};

// AB-cycles of a tour of which a child exchanges some: the first, and those behind it whose bits
// are set.
struct AbCycles {
    const int* cities;
    const int2* spans;  // of all that were found
    int found, first;
    unsigned chosen;

    // Takes those of `bits` that a child has room for, which gives up so many edges at most.
    INLINE void choose(unsigned bits, int most) {
        AbCycles all = *this;
        all.chosen = bits;
        chosen = 0;
        int edges = 0;
        all.each([&](const int*, int more) {
            unsigned bit = bits & -bits;
            bits ^= bit;
            if (edges + more > most) return;
            edges += more;
            chosen |= bit;
        });
    }

    // Visits each: its cities, and how many of its edges the tour gives up.
    template <class Visitor>
    INLINE void each(Visitor visit) const {
        for (unsigned left = chosen; left; left &= left - 1) {
            int at = first + __ffs(left) - 1;
            int2 span = spans[at < found ? at : at - found];
            visit(cities + span.x, (span.y - span.x) / 2);
        }
    }
};

// What a warp works in.
template <int PIECES>
struct ChildRoom {
    Pieces<PIECES> pieces;
    int part[PIECES];       // of several tours, that which each piece belongs to
    int size[PIECES];       // cities of each of these tours
    int raw[PIECES];        // in the order of the AB-cycle: twice the cut, 1 if it is left upwards
    unsigned ends[PIECES];  // both ends of an edge that is given up
};

// An edge of the child, from one of its cities: that is at `place`, and the edge leaves it towards
// higher places if `up` is 1.
struct Way {
    int place, up;
};

template <int METRIC, int PIECES>
struct Child {
    const Source<METRIC>& source;
    ChildRoom<PIECES>* room;
    int lane;
    int count = 0;
    long long gain = 0;

    // Exchanges the edges of AB-cycles, and joins what that leaves. Returns whether that gave one
    // tour; `gain` says how much shorter it is. All lanes of the warp call this.
    INLINE bool make(const AbCycles& ab_cycles) {
        ab_cycles.each([&](const int*, int edges) { count += edges; });
        if (count > PIECES) return false;
        exchange(ab_cycles);
        find_parts();
        while (true) {
            unsigned least = ~0u, smallest = ~0u, parts = 0;
            for (int i = lane; i < count; i += LANES) {
                if (room->size[i] == 0) continue;
                least = min(least, unsigned(room->size[i]));
                ++parts;
            }
            if (warp_total(parts) == 1) return true;
            if (count + 2 > PIECES) return false;
            least = warp_min(least);
            for (int i = lane; i < count; i += LANES)
                if (unsigned(room->size[i]) == least) smallest = min(smallest, unsigned(i));
            if (!join(int(warp_min(smallest)))) return false;
        }
    }

    // Cuts the tour behind a place, unless it is cut there.
    INLINE void cut_behind(int place) {
        Pieces<PIECES>& pieces = room->pieces;
        int at = ended_before(place);
        if (at < count && pieces.last[at] == place) return;
        // The last pieces first: what is written over has been read.
        for (int begin = (count - 1) / LANES * LANES; begin >= 0; begin -= LANES) {
            int piece = begin + lane, last = 0, part = 0, low = 0, high = 0;
            if (piece < count) {
                last = pieces.last[piece];
                part = room->part[piece];
                low = moved(pieces.link[2 * piece], at);
                high = moved(pieces.link[2 * piece + 1], at);
            }
            __syncwarp();
            if (piece < count) {
                int to = piece + (piece >= at);
                pieces.last[to] = last;
                room->part[to] = part;
                pieces.link[moved(2 * piece, at)] = static_cast<unsigned short>(low);
                pieces.link[moved(2 * piece + 1, at)] = static_cast<unsigned short>(high);
            }
            __syncwarp();
        }
        if (lane == 0) {
            int behind = at < count ? at + 1 : 0;  // the piece behind the cut
            pieces.last[at] = place;
            room->size[count] = 0;  // no tour is called after a piece that came later
            room->part[at] = room->part[behind];
            pieces.link[2 * at + 1] = static_cast<unsigned short>(2 * behind);
            pieces.link[2 * behind] = static_cast<unsigned short>(2 * at + 1);
        }
        ++count;
        __syncwarp();
    }

    // The number of pieces that end before a place.
    INLINE int ended_before(int place) const {
        int low = 0, high = count;
        while (low < high) {
            int middle = (low + high) / 2;
            if (room->pieces.last[middle] < place)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }

    INLINE int first(int piece) const {
        int place = room->pieces.last[piece > 0 ? piece - 1 : count - 1] + 1;
        return place < source.n ? place : 0;
    }

    INLINE int place_of(int end) const {
        return end & 1 ? room->pieces.last[end / 2] : first(end / 2);
    }

    INLINE int city_of(int end) const { return number_in(source.tour_records[place_of(end)]); }

    // Visits the edges that the child has not and those that it has instead, lane by lane.
    template <class Visitor>
    INLINE void each_change(Visitor visit) const {
        const Pieces<PIECES>& pieces = room->pieces;
        for (int piece = lane; piece < count; piece += LANES) {
            int next = piece + 1 < count ? 2 * (piece + 1) : 0;
            if (pieces.link[2 * piece + 1] != next)
                visit(city_of(2 * piece + 1), city_of(next), -1);
        }
        for (int end = lane; end < 2 * count; end += LANES) {
            int other = pieces.link[end];
            if (other < end) continue;
            bool same = end & 1 ? other == end + 1 : end == 0 && other == 2 * count - 1;
            if (!same) visit(city_of(end), city_of(other), 1);
        }
    }

  private:
    // The piece that has a place.
    INLINE int locate(int place) const {
        int piece = ended_before(place);
        return piece < count ? piece : 0;
    }

    // What an end is called when piece `at` has been cut in two. The first piece may begin before
    // place 0; if that part of it is cut off, it becomes the last piece.
    INLINE int moved(int end, int at) const {
        if (at == count) return end == 0 ? 2 * count : end;
        return end > 2 * at ? end + 2 : end;
    }

    INLINE int length(int piece) const {
        int cities = room->pieces.last[piece] - first(piece) + 1;
        return cities > 0 ? cities : cities + source.n;
    }

    INLINE void exchange(const AbCycles& ab_cycles) {
        Pieces<PIECES>& pieces = room->pieces;
        int n = source.n, begin = 0;
        ab_cycles.each([&](const int* ab_cycle, int edges) {
            for (int i = lane; i < edges; i += LANES) {
                int a = ab_cycle[2 * i], b = ab_cycle[2 * i + 1];
                int after = ab_cycle[i + 1 < edges ? 2 * i + 2 : 0];
                int from = number_in(source.cities[a]), to = number_in(source.cities[b]);
                bool up = to == from + 1 || (from == n - 1 && to == 0);
                room->raw[begin + i] = 2 * (up ? from : to) + up;
                gain += source.exactly(a, b) - source.exactly(b, after);
            }
            begin += edges;
        });
        gain = static_cast<long long>(warp_sum(static_cast<unsigned long long>(gain)));
        __syncwarp();
        for (int i = lane; i < count; i += LANES) {
            int own = room->raw[i], rank = 0;
            for (int other = 0; other < count; ++other) rank += room->raw[other] < own;
            pieces.last[rank] = own >> 1;
            unsigned low = 2 * rank + 1, high = rank + 1 < count ? 2 * rank + 2 : 0;
            room->ends[i] = own & 1 ? low | high << 16 : high | low << 16;
        }
        __syncwarp();
        begin = 0;
        ab_cycles.each([&](const int*, int edges) {
            for (int i = lane; i < edges; i += LANES) {
                unsigned end = room->ends[begin + i] >> 16;
                unsigned other = room->ends[begin + (i + 1 < edges ? i + 1 : 0)] & 0xffff;
                pieces.link[end] = static_cast<unsigned short>(other);
                pieces.link[other] = static_cast<unsigned short>(end);
            }
            begin += edges;
        });
        __syncwarp();
    }

    // Finds the tours into which the pieces fall: each is called after its first piece.
    INLINE void find_parts() {
        const Pieces<PIECES>& pieces = room->pieces;
        for (int piece = lane; piece < count; piece += LANES) {
            room->part[piece] = piece;
            room->size[piece] = 0;
        }
        __syncwarp();
        bool changed = true;
        while (__any_sync(ALL_LANES, changed)) {
            volatile int* parts = room->part;  // numbers that get lower; it does not matter when
            changed = false;
            for (int piece = lane; piece < count; piece += LANES) {
                int own = parts[piece], part = min(parts[pieces.link[2 * piece] / 2],
                                                   parts[pieces.link[2 * piece + 1] / 2]);
                part = min(part, parts[part]);
                if (part >= own) continue;
                parts[piece] = part;
                changed = true;
            }
            __syncwarp();
        }
        for (int piece = lane; piece < count; piece += LANES)
            atomicAdd(&room->size[room->part[piece]], length(piece));
        __syncwarp();
    }

    // The place beside one in `piece`, on the child.
    INLINE int beyond(int piece, Way way) const {
        const Pieces<PIECES>& pieces = room->pieces;
        int n = source.n;
        if (way.up) {
            if (way.place == pieces.last[piece]) return place_of(pieces.link[2 * piece + 1]);
            return way.place + 1 < n ? way.place + 1 : 0;
        }
        if (way.place == first(piece)) return place_of(pieces.link[2 * piece]);
        return way.place > 0 ? way.place - 1 : n - 1;
    }

    // Cuts the tour where a way leads.
    INLINE void cut_at(Way way) {
        cut_behind(way.up ? way.place : way.place > 0 ? way.place - 1 : source.n - 1);
    }

    INLINE int end_of(Way way) const { return 2 * locate(way.place) + way.up; }

    // Joins a tour to another one at the least cost; returns false if no candidate leads out.
    INLINE bool join(int part) {
        int most = -0x7fffffff;
        Way from{0, 0}, to{0, 0};
        int reach = room->size[part] > WHOLLY_LOOKED ? REACH : WHOLLY_LOOKED;
        for (int one = 0; one < count; one += LANES) {
            bool in_part = one + lane < count && room->part[one + lane] == part;
            for (unsigned of = __ballot_sync(ALL_LANES, in_part); of; of &= of - 1) {
                int piece = one + __ffs(of) - 1;
                int begin = first(piece), all = length(piece), looked = min(all, 2 * reach);
                for (int pair = lane; pair < looked * source.width; pair += LANES) {
                    int at = pair / source.width;
                    int place = begin + (at < reach ? at : all - looked + at);
                    if (place >= source.n) place -= source.n;
                    weigh(piece, part, place, pair % source.width, most, from, to);
                }
            }
        }
        __syncwarp();
        unsigned key = unsigned(most) ^ 0x80000000u, best = warp_max(key);
        if (best == (unsigned(-0x7fffffff) ^ 0x80000000u)) return false;
        int holder = __ffs(__ballot_sync(ALL_LANES, key == best)) - 1;
        from = {__shfl_sync(ALL_LANES, from.place, holder),
                __shfl_sync(ALL_LANES, from.up, holder)};
        to = {__shfl_sync(ALL_LANES, to.place, holder), __shfl_sync(ALL_LANES, to.up, holder)};
        cut_at(from);
        cut_at(to);
        Pieces<PIECES>& pieces = room->pieces;
        int one = end_of(from), other = end_of(to), into = room->part[other / 2];
        int behind = pieces.link[one], beyond_other = pieces.link[other];
        int a = city_of(one), b = city_of(behind), c = city_of(other), d = city_of(beyond_other);
        gain += source.exactly(a, b) + source.exactly(c, d) - source.exactly(a, c) -
                source.exactly(b, d);
        __syncwarp();
        if (lane == 0) {
            pieces.link[one] = static_cast<unsigned short>(other);
            pieces.link[other] = static_cast<unsigned short>(one);
            pieces.link[behind] = static_cast<unsigned short>(beyond_other);
            pieces.link[beyond_other] = static_cast<unsigned short>(behind);
            room->size[into] += room->size[part];
            room->size[part] = 0;
        }
        for (int piece = lane; piece < count; piece += LANES)
            if (room->part[piece] == part) room->part[piece] = into;
        __syncwarp();
        return true;
    }

    // Looks at one candidate of a city: each edge of the city can change partners with each of the
    // candidate's.
    INLINE void weigh(int piece, int part, int place, int rank, int& most, Way& from, Way& to) {
        Spot city = source.at_place(place),
             near = source.at_city(source.candidate(city.city, rank));
        int there = locate(near.place);
        if (room->part[there] == part) return;
        int between = source.away(city, near);
        UNROLL for (int up = 0; up < 2; ++up) {
            Spot next = source.at_place(beyond(piece, {place, up}));
            int saved = source.away(city, next) - between;
            UNROLL for (int side = 0; side < 2; ++side) {
                Spot further = source.at_place(beyond(there, {near.place, side}));
                int gained = saved + source.away(near, further) - source.away(next, further);
                if (gained <= most) continue;
                most = gained;
                from = {place, up};
                to = {near.place, side};
            }
        }
    }
};

// What a child changes in its tour, as merge.cu takes it: see changes.cuh.

template <int PIECES>
struct ChildChange : ChangeOf<PIECES> {};

constexpr int NO_GAP = 0xffff;
constexpr int WIDTHS = 4;  // that gaps are tried with: NARROWEST, and each four times as wide

// The pieces of a child, while its change is written. All lanes of the warp call all of this.
template <int PIECES>
struct ChangeWriter {
    Pieces<PIECES> pieces;
    int cut[PIECES];               // places behind which the child goes on elsewhere, ascending
    unsigned short gap[PIECES];    // the gap that begins with a piece: between two such places
    unsigned short order[PIECES];  // gaps, in the order of the child
    unsigned char back[PIECES];    // and which of them it takes from their end

    // Writes the change of so many pieces of a tour of n cities, which gains so much.
    INLINE void write(ChildChange<PIECES>& change, int count, int n, long long gain, int rank,
                      int lane) {
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
            if (piece < count) gap[next] = static_cast<unsigned short>(is ? number : NO_GAP);
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
    INLINE int write_windows(ChildChange<PIECES>& change, int cuts, int width, int n) const {
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
    INLINE int write_links(ChildChange<PIECES>& change, int count, int n, int lane) const {
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
