// Distances between cities, TSPLIB's exact integers, and the heuristic weight that follows.
//
// Double precision where it matters: float32 rounds some distances of large instances to another
// integer. Compiled without contraction (--fmad=false), so that x * x + y * y is rounded as the
// host rounds it.
#pragma once

#include "portable.cuh"

// A city's place, for several distances from it; x is its number where there is a matrix.
struct Site {
    double x, y;
};

struct Distances {
    int n;
    int metric;
    double beta;
    double shortest;            // what stands for a distance of 0 in weights
    const double* coordinates;  // (n, 2), for every metric but MATRIX
    const int* matrix;          // (n, n), for MATRIX
    const int* nearest;         // (n), distance of each city's nearest neighbour

    INLINE int distance(int a, int b) const;

    INLINE Site site(int city) const;

    INLINE int distance(const Site& a, const Site& b) const;

    // Several at once, so that their reads overlap.
    template <int COUNT>
    INLINE void distances(const int (&a)[COUNT], const int (&b)[COUNT],
                          int (&lengths)[COUNT]) const;

    INLINE float weight(int from, int to) const;

    // Below the distance, but by no more than 2 and a few millionths of it.
    INLINE float at_least(const Site& a, const Site& b) const;

  private:
    // The distance in single precision, before it is rounded.
    INLINE float roughly(double x, double y) const;

    INLINE int rounded(double x, double y) const;
};

SELDOM int exact_length(int metric, double x, double y) {
    if (metric == EUC_2D) return int(sqrt(x * x + y * y) + 0.5);
    if (metric == CEIL_2D) return int(ceil(sqrt(x * x + y * y)));
    if (metric == ATT) {
        double root = sqrt((x * x + y * y) / 10.0);
        int rounded = int(root + 0.5);
        return rounded < root ? rounded + 1 : rounded;
    }
    if (metric == MAN_2D) return int(fabs(x) + fabs(y) + 0.5);
    return max(int(fabs(x) + 0.5), int(fabs(y) + 0.5));
}

INLINE float Distances::roughly(double x, double y) const {
    float width = fabsf(float(x)), height = fabsf(float(y));
    if (metric == MAN_2D) return width + height;
    if (metric == MAX_2D) return fmaxf(width, height);
    return sqrtf((width * width + height * height) * (metric == ATT ? 0.1f : 1.0f));
}

// Single precision decides how a length is rounded, unless the length is so close to a half that
// the error could matter; only then is it computed again in double precision.
INLINE int Distances::rounded(double x, double y) const {
    float length = roughly(x, y);
    float turned = metric == CEIL_2D || metric == ATT ? length : length + 0.5f;
    float below = floorf(turned), error = 1e-6f * turned;
    if (turned - below <= error || below + 1.0f - turned <= error)
        return exact_length(metric, x, y);
    return int(below) + (metric == CEIL_2D || metric == ATT);
}

template <int COUNT>
INLINE void Distances::distances(const int (&a)[COUNT], const int (&b)[COUNT],
                                 int (&lengths)[COUNT]) const {
    if (metric == MATRIX) {
        UNROLL for (int i = 0; i < COUNT; ++i) {
            lengths[i] = __ldg(&matrix[static_cast<long long>(a[i]) * n + b[i]]);
        }
        return;
    }
    double x[COUNT], y[COUNT];
    UNROLL for (int i = 0; i < COUNT; ++i) {
        x[i] = __ldg(&coordinates[2 * a[i]]) - __ldg(&coordinates[2 * b[i]]);
        y[i] = __ldg(&coordinates[2 * a[i] + 1]) - __ldg(&coordinates[2 * b[i] + 1]);
    }
    UNROLL for (int i = 0; i < COUNT; ++i) lengths[i] = rounded(x[i], y[i]);
}

INLINE int Distances::distance(int a, int b) const {
    int from[1] = {a}, to[1] = {b}, length[1];
    distances(from, to, length);
    return length[0];
}

INLINE Site Distances::site(int city) const {
    if (metric == MATRIX) return {double(city), 0.0};
    double2 place = __ldg(reinterpret_cast<const double2*>(coordinates) + city);
    return {place.x, place.y};
}

INLINE int Distances::distance(const Site& a, const Site& b) const {
    if (metric == MATRIX) return __ldg(&matrix[static_cast<long long>(a.x) * n + int(b.x)]);
    return rounded(a.x - b.x, a.y - b.y);
}

INLINE float Distances::at_least(const Site& a, const Site& b) const {
    if (metric == MATRIX) return float(distance(a, b)) * (1.0f - 1e-6f);
    return roughly(a.x - b.x, a.y - b.y) * (1.0f - 2e-6f) - 1.0f;
}

// (d_nearest / d)^beta as gpu.problems.tsp.neighbours.weights computes it, step by step the same.
// All lanes of a warp have the same `beta`, so they make as many turns of the loop.
SELDOM float weight_of(int distance, int nearest, double beta, double shortest) {
    double near = nearest > 0 ? double(nearest) : shortest;
    double ratio = near / (distance > 0 ? double(distance) : shortest);
    int whole = int(beta);
    double power = 1.0;
    if (whole == beta) {
        for (int factor = 0; factor < whole; ++factor) power = power * ratio;
    } else {
        power = pow(ratio, beta);
    }
    return float(fmax(power, LEAST_WEIGHT));
}

INLINE float Distances::weight(int from, int to) const {
    return weight_of(distance(from, to), __ldg(&nearest[from]), beta, shortest);
}

// The exact length of a closed tour, in every lane. All lanes of the warp call this.
SELDOM unsigned long long tour_length(Distances geometry, const int* tour, int lane) {
    constexpr int AT_ONCE = 4;
    unsigned long long sum = 0;
    for (int first = lane; first < geometry.n; first += AT_ONCE * LANES) {
        int from[AT_ONCE], to[AT_ONCE], lengths[AT_ONCE];
        UNROLL for (int i = 0; i < AT_ONCE; ++i) {  // past the end: the first city once more
            int place = first + i * LANES;
            from[i] = __ldcg(&tour[place < geometry.n ? place : 0]);
            to[i] = __ldcg(&tour[place + 1 < geometry.n ? place + 1 : 0]);
        }
        geometry.distances(from, to, lengths);
        UNROLL for (int i = 0; i < AT_ONCE; ++i) {
            if (first + i * LANES < geometry.n) sum += lengths[i];
        }
    }
    return warp_sum(sum);
}
