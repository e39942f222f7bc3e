// The source of Focused ACO as ants read it: the common tour, its places, and what is near what.
#pragma once

#include "gpu/cuda/kernels/geometry.cuh"

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
    Geometry geometry;
    int n;
    const double2* sites;
    const int* places;
    const double2* tour_sites;
    const int* tour_cities;

    INLINE Source(const FollowedTour& tour, const Geometry& distances, unsigned long long iteration)
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
