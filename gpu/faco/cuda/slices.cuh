// An ant's tour: slices of the source, which come in another order, some of them turned. So no
// move costs more for more cities.
//
// Slices have the cities by offsets: how far they lie from where the ant began, in the direction
// of its first step along the source. Positions count cities of the ant's tour, slice by slice. The
// source is the tour that ants leave, and follow nearly everywhere.
#pragma once

#include "gpu/cuda/kernels/geometry.cuh"
#include "kernels.py"

constexpr int ANY_METRIC = -1;
constexpr int NOWHERE = -1;

struct FollowedTour {
    int n;
    const double* sites;  // (n, 2): where cities are
    int* places;          // (n): of each city in the source
    double* tour_sites;   // (2, n, 2): where the cities are, place by place
    int* tours;           // (2, n): cities, place by place

    // Of the iteration with this number; those of the next one are written meanwhile.
    INLINE double2* tour_sites_of(unsigned long long iteration) const {
        return reinterpret_cast<double2*>(tour_sites) + (iteration & 1) * n;
    }

    INLINE int* tour_of(unsigned long long iteration) const { return tours + (iteration & 1) * n; }

    INLINE double2 site(int city) const { return reinterpret_cast<const double2*>(sites)[city]; }
};

// A place up to a whole tour past the last one, or before the first.
INLINE int wrapped(int place, int n) {
    return place >= n ? place - n : place < 0 ? place + n : place;
}

template <int METRIC>
struct Source {
    Distances geometry;
    int n;
    const double2* sites;
    const int* places;
    const double2* tour_sites;
    const int* tour_cities;

    INLINE Source(const FollowedTour& tour, const Distances& distances,
                  unsigned long long iteration)
        : geometry(distances),
          n(tour.n),
          sites(reinterpret_cast<const double2*>(tour.sites)),
          places(tour.places),
          tour_sites(tour.tour_sites_of(iteration)),
          tour_cities(tour.tour_of(iteration)) {
        if (METRIC == EUC_2D) geometry.metric = EUC_2D;
    }

    INLINE int place_of(int city) const { return __ldg(&places[city]); }

    INLINE int city_at(int place) const { return __ldg(&tour_cities[place]); }

    INLINE Site site_of(int city) const { return pair(__ldg(&sites[city])); }

    INLINE Site site_at(int place) const { return pair(__ldg(&tour_sites[place])); }

    INLINE int away(const Site& a, const Site& b) const { return geometry.distance(a, b); }

  private:
    static INLINE Site pair(double2 site) { return {site.x, site.y}; }
};

struct alignas(16) Slice {
    int first;   // the lowest offset
    int more;    // cities besides that one
    int turned;  // 1 where the ant goes from the highest offset to the lowest
    int start;   // the position of the first city that the ant visits

    INLINE int last() const { return first + more; }
    INLINE int entry() const { return turned ? last() : first; }
    INLINE int exit() const { return turned ? first : last(); }

    // The part from a city of the slice on, counted as the ant visits them.
    INLINE Slice part(int from, int cities) const {
        int low = turned ? last() - from - cities + 1 : first + from;
        return {low, cities - 1, turned, start + from};
    }

    // One slice, made of this one and the next, if both are neighbours in the source.
    INLINE Slice joined(const Slice& next) const {
        return {min(first, next.first), more + next.more + 1, next.first < first, start};
    }
};

// Where all lanes of a warp can read them.
struct SliceTable {
    Slice slices[2][MOST_SLICES];  // those of now, and those of the tour that is made of it
};

struct AntTour {
    SliceTable* table;
    int n, lane;
    int now = 0, count = 0;

    INLINE const Slice& at(int i) const { return table->slices[now][i]; }

    // The slice that has an offset, which `lanes` neighbouring lanes ask for together, a power of
    // two. All lanes of the warp call this.
    INLINE int locate(int offset, int lanes) const {
        int found = 0;
#pragma unroll 4
        for (int i = lane & (lanes - 1); i < count; i += lanes) {
            int2 range = *reinterpret_cast<const int2*>(&at(i));
            if (unsigned(offset - range.x) <= unsigned(range.y)) found = i;
        }
        for (int other = lanes / 2; other > 0; other /= 2)
            found = max(found, __shfl_xor_sync(ALL_LANES, found, other));
        return found;
    }

    // The slice that has an offset.
    INLINE int locate(int offset) const {
        int found = 0;
#pragma unroll 4
        for (int i = 0; i < count; ++i) {
            int2 range = *reinterpret_cast<const int2*>(&at(i));
            if (unsigned(offset - range.x) <= unsigned(range.y)) found = i;
        }
        return found;
    }

    // The next offset on the ant's tour, from one in slice i; else the one before.
    INLINE int beside(int offset, int i, bool next) const {
        const Slice& own = at(i);
        int turned = own.turned, edge = turned == int(next) ? own.first : own.last();
        if (offset != edge) return turned == int(next) ? offset - 1 : offset + 1;
        int j = next ? (i + 1 < count ? i + 1 : 0) : (i > 0 ? i - 1 : count - 1);
        const Slice& other = at(j);
        return other.turned == int(next) ? other.last() : other.first;
    }

    INLINE int after(int offset, int i) const { return beside(offset, i, true); }

    INLINE int before(int offset, int i) const { return beside(offset, i, false); }

    INLINE int position(int offset, int i) const {
        const Slice& own = at(i);
        return own.start + (own.turned ? own.last() - offset : offset - own.first);
    }

    // Turns the cities from position `low` to `high`. `joins_low` says that the cities which then
    // are neighbours at the lower end are so in the source; `joins_high` the same of the other end.
    // There must be room for two slices more. All lanes of the warp call this.
    INLINE void turn(int low, int high, bool joins_low, bool joins_high) {
        int upto_low = 0, upto_high = 0;
        for (int first = 0; first < count; first += LANES) {
            int i = first + lane, start = i < count ? at(i).start : n;
            upto_low += __popc(__ballot_sync(ALL_LANES, start <= low));
            upto_high += __popc(__ballot_sync(ALL_LANES, start <= high));
        }
        Turn turn{*this, low, high, upto_low - 1, upto_high - 1};
        joins_low = joins_low && low > 0;
        joins_high = joins_high && high < n - 1;
        turn.count();
        int begin = turn.before, end = turn.before + turn.turned, all = end + turn.behind;
        bool single = turn.turned == 1 && joins_low;
        Slice* made = table->slices[now ^ 1];
        for (int i = lane; i < all; i += LANES) {
            if ((joins_low && i == begin) || (joins_high && i == end)) continue;
            Slice slice = turn.slice(i);
            if (joins_low && i == begin - 1) slice = slice.joined(turn.slice(begin));
            if (joins_high && (i == end - 1 || (single && i == begin - 1)))
                slice = slice.joined(turn.slice(end));
            made[i - (joins_low && i >= begin) - (joins_high && i >= end)] = slice;
        }
        __syncwarp();
        now ^= 1;
        count = all - joins_low - joins_high;
    }

  private:
    // The slices that there are when both ends of what is turned have been cut, in their new order.
    struct Turn {
        const AntTour& tour;
        int low, high;                           // positions
        int from, until;                         // slices that have them
        int left = 0, right = 0;                 // cities of these two that are not turned
        int before = 0, turned = 0, behind = 0;  // slices of the three parts

        INLINE void count() {
            const Slice &first = tour.at(from), &last = tour.at(until);
            left = low - first.start;
            right = last.start + last.more - high;
            before = from + (left > 0);
            turned = until - from + 1;
            behind = tour.count - 1 - until + (right > 0);
        }

        INLINE Slice slice(int i) const {
            if (i < before) return i < from ? tour.at(i) : tour.at(from).part(0, left);
            if (i >= before + turned) {
                int j = until + i - before - turned + (right == 0);
                const Slice& old = tour.at(j);
                return j == until ? old.part(old.more + 1 - right, right) : old;
            }
            int j = until - (i - before);
            Slice old = tour.at(j);
            int skipped = j == from ? left : 0, kept = old.more + 1 - (j == until ? right : 0);
            old = old.part(skipped, kept - skipped);
            old.turned ^= 1;
            old.start = low + high - (old.start + old.more);
            return old;
        }
    };
};
