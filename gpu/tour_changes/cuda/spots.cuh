// What ants read of the tours: cities with their places in a tour, and places with their cities.
#pragma once

#include "gpu/cuda/kernels/geometry.cuh"
#include "kernels.py"

constexpr int ANY_METRIC = -1;
constexpr int DIRECTED = -2;  // a matrix whose rows and columns have values that are taken away

// A city and its place in the tour that an iteration begins with, the source. Where distances are
// directed, x and y are the bits of two whole numbers, the values of the city's column and row.
struct Spot {
    float x, y;
    int city, place;
};

struct Tours {
    int n, tours, width;
    const int* near;       // (n, width): candidates of each city, by their distance; (2 n, width)
                           // of directed distances: those that are left to, then those before
    float4* cities;        // (tours, n): x, y, and the bits of the city's place
    float4* tour_records;  // (2, tours, n): x, y, and the bits of the city at a place

    INLINE float4* cities_of(int tour) const { return row_of(cities, tour, n); }

    // Of the iteration with this number; those of the next one are written meanwhile.
    INLINE float4* tour_records_of(int tour, unsigned long long iteration) const {
        return row_of(tour_records, int(iteration & 1) * tours + tour, n);
    }
};

INLINE float4 record_of(float x, float y, int number) {
    return make_float4(x, y, __int_as_float(number), 0.0f);
}

INLINE int number_in(const float4& record) { return __float_as_int(record.z); }

// What sums of distances need. Symmetric ones are refused where they are too long for 32 bits.
template <int METRIC>
struct SumOf {
    using Type = int;
};

template <>
struct SumOf<DIRECTED> {
    using Type = long long;
};

// One tour, and distances between its cities. Those between far cities can be off by 1: a change
// of the tour is measured again before it is made. Directed ones are reduced: all tours are shorter
// by the same length.
template <int METRIC>
struct Source {
    using Sum = typename SumOf<METRIC>::Type;

    Distances geometry;
    const float4* cities;
    const float4* tour_records;
    const int* near;
    int n, width;
    int back = 0;  // of directed ones: 1 where an ant goes from the end of an edge to its start

    INLINE Spot at_city(int city) const {
        float4 record = cities[city];
        return {record.x, record.y, city, number_in(record)};
    }

    INLINE Spot at_place(int place) const {
        float4 record = tour_records[place];
        return {record.x, record.y, number_in(record), place};
    }

    // A city on the first list of a city.
    INLINE int listed(int city, int rank) const { return __ldg(&near[city * width + rank]); }

    // A city that is near before this one, as the ant goes.
    INLINE int candidate(int city, int rank) const {
        return listed(METRIC == DIRECTED && !back ? n + city : city, rank);
    }

    // From a to b, as the ant goes.
    INLINE Sum away(const Spot& a, const Spot& b) const {
        if constexpr (METRIC == DIRECTED) return back ? reduced(b, a) : reduced(a, b);
        float x = a.x - b.x, y = a.y - b.y;
        if constexpr (METRIC == EUC_2D) return __float2int_rd(quick_root(x * x + y * y) + 0.5f);
        switch (geometry.metric) {
            case MATRIX:
                return __ldg(&geometry.matrix[static_cast<long long>(a.city) * n + b.city]);
            case EUC_2D:
                return __float2int_rd(quick_root(x * x + y * y) + 0.5f);
            case CEIL_2D:
                return __float2int_ru(quick_root(x * x + y * y));
            case ATT:
                return __float2int_ru(quick_root((x * x + y * y) * 0.1f));
            case MAN_2D:
                return __float2int_rd(fabsf(x) + fabsf(y) + 0.5f);
            default:
                return __float2int_rd(fmaxf(fabsf(x), fabsf(y)) + 0.5f);
        }
    }

    INLINE int exactly(int city, int other) const { return geometry.distance(city, other); }

  private:
    INLINE Sum reduced(const Spot& from, const Spot& to) const {
        Sum away = __ldg(&geometry.matrix[static_cast<long long>(from.city) * n + to.city]);
        return away - __float_as_int(from.y) - __float_as_int(to.x);
    }
};
