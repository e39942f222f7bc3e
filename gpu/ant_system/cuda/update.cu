// The pheromone update of the Ant System (2013, Section 3.3): all ants deposit, then all trails
// evaporate. The five ways to add up the deposits are the rows of Table 4.
//
// Deposits are whole numbers of a small unit. So their sum is the same in any order, and all five
// ways give the same trails to the last bit.
//
// Matrices have a row of `columns` numbers a city, `columns` being a multiple of four; what stands
// beyond the n-th means nothing.
#include "gpu/cuda/kernels/colony_state.cuh"
#include "kernels.py"

// What an ant deposits on each edge of its tour: 1/C of equation 4, in units in which the best ant
// of the iteration deposits `most` and the deposits of all ants on one edge fit 32 bits.
struct Quanta {
    double most, shortest;

    __device__ Quanta(const ColonyState* state, unsigned most_)
        : most(most_), shortest(length_of(state->running_best >> ANT_BITS)) {}

    __device__ unsigned of(Word length) const {
        return unsigned(most * (shortest / length_of(length)));
    }

    // Cities at one place make tours of length 0.
    __device__ static double length_of(Word length) { return double(max(length, Word(1))); }
};

// Some edges of a tour in shared memory. All threads of the block call load().
struct Tile {
    int cities[TILE + 1];  // edge k goes from k to k + 1

    INLINE int load(const int* tour, int n, int first) {
        __syncthreads();  // all threads have read the last tile
        int place = first + threadIdx.x;
        if (place < n) cities[threadIdx.x + 1] = __ldg(&tour[place]);
        if (threadIdx.x == 0) cities[0] = __ldg(&tour[(first > 0 ? first : n) - 1]);
        __syncthreads();
        return min(TILE, n - first);
    }
};

// A block an ant, a thread an edge (Fig. 4), either with each edge's cities read from global
// memory (row 2), or with each city read once, to shared memory (row 1).
template <bool TILED>
__global__ void __launch_bounds__(TILE) scatter_deposits(const ScatterDeposits arguments) {
    const auto [n, columns, directed, most, tours, lengths, state, deposits] = arguments;
    __shared__ unsigned quanta;
    __shared__ Tile tile;
    int own = threadIdx.x;
    const int* tour = row_of(tours, blockIdx.x, n);
    if (own == 0) quanta = Quanta(state, most).of(lengths[blockIdx.x]);
    __syncthreads();
    for (int first = 0; first < n; first += TILE) {
        if constexpr (TILED) tile.load(tour, n, first);
        int place = first + own;
        if (place >= n) continue;
        int from, to;
        if constexpr (TILED) {
            from = tile.cities[own];
            to = tile.cities[own + 1];
        } else {
            from = __ldg(&tour[(place > 0 ? place : n) - 1]);
            to = __ldg(&tour[place]);
        }
        atomicAdd(&deposits[static_cast<long long>(from) * columns + to], quanta);
        if (!directed) atomicAdd(&deposits[static_cast<long long>(to) * columns + from], quanta);
    }
}

// Every trail of the matrix, each number below n * n a different one.
struct AllPairs {
    int from, to;
    bool both;  // the edge counts in either direction

    __device__ AllPairs(long long number, int n, bool directed)
        : from(int(number / n)), to(int(number % n)), both(!directed) {}

    INLINE bool is(int u, int v) const {
        return (u == from && v == to) || (both && u == to && v == from);
    }

    __device__ void add(unsigned* deposits, int columns, unsigned sum) const {
        deposits[static_cast<long long>(from) * columns + to] += sum;
    }
};

// Every two cities once, each number below n * (n - 1) / 2 others: a city and the one 1, 2, ...
// further, counted in a ring.
struct HalfPairs {
    int from, to;

    __device__ HalfPairs(long long number, int n, bool)
        : from(int(number % n)), to(int((number % n + number / n + 1) % n)) {}

    INLINE bool is(int u, int v) const { return (u == from && v == to) || (u == to && v == from); }

    __device__ void add(unsigned* deposits, int columns, unsigned sum) const {
        deposits[static_cast<long long>(from) * columns + to] += sum;
        deposits[static_cast<long long>(to) * columns + from] += sum;
    }
};

// A thread a trail, or a pair of cities. It looks for its edge in the tours of the ants from
// `first_ant` to before `end_ant` (Fig. 5). Each thread reads the cities from global memory
// (row 5), or a block by tiles (rows 4 and 3). No two threads write the same place.
template <class Pairs, bool TILED>
__global__ void __launch_bounds__(TILE) gather_deposits(const GatherDeposits arguments) {
    const auto [every, first_pair, end_pair, first_ant, end_ant] = arguments;
    const auto [n, columns, directed, most, tours, lengths, state, deposits] = every;
    __shared__ Tile tile;
    long long number = first_pair + blockIdx.x * static_cast<long long>(TILE) + threadIdx.x;
    bool own = number < end_pair;
    Pairs pair(own ? number : 0, n, directed);
    unsigned sum = 0;
    for (int ant = first_ant; ant < end_ant; ++ant) {
        const int* tour = row_of(tours, ant, n);
        bool found = false;
        int from = __ldg(&tour[n - 1]);
        if constexpr (TILED) {
            for (int first = 0; first < n; first += TILE) {
                int count = tile.load(tour, n, first);
                for (int i = 1; i <= count; ++i) {
                    int to = tile.cities[i];
                    found |= pair.is(from, to);
                    from = to;
                }
            }
        } else {
            for (int i = 0; i < n; ++i) {
                int to = __ldg(&tour[i]);
                found |= pair.is(from, to);
                from = to;
            }
        }
        if (found) sum += Quanta(state, most).of(lengths[ant]);
    }
    if (own && sum) pair.add(deposits, columns, sum);
}

struct Renewal {
    float keep, unit;

    // Equations 2 and 3; there is no floor in the paper.
    INLINE float operator()(float trail, unsigned deposit) const {
        return fmaxf(trail * keep, LEAST_TRAIL) + float(deposit) * unit;
    }
};

// Evaporates all trails, adds the deposits and clears them; elects the best tour and closes the
// iteration. Four trails a thread. `scale` over the iteration's shortest length is a unit of
// deposits, in units of the initial trail.
__global__ void renew_trails(const RenewAllTrails arguments) {
    const auto [n, ants, quarters, keep, scale, trails, deposits, tours, best_tour, iteration_tour,
                state] = arguments;
    __shared__ float unit;
    Election election(state, tours, nullptr, ants, n, best_tour);
    if (threadIdx.x == 0) unit = float(scale / Quanta::length_of(state->running_best >> ANT_BITS));
    Closing closing(state);  // all threads of the block meet here
    Renewal renewed{keep, unit};
    long long first = grid_thread(), stride = grid_threads();
    for (long long i = first; i < n; i += stride) {
        election.keep(best_tour, int(i));
        iteration_tour[i] = election.winner[i];
    }
    for (long long i = first; i < quarters; i += stride) {
        float4 trail = __ldcs(&trails[i]);
        uint4 sum = __ldcs(&deposits[i]);
        trails[i] = make_float4(renewed(trail.x, sum.x), renewed(trail.y, sum.y),
                                renewed(trail.z, sum.z), renewed(trail.w, sum.w));
        if (sum.x | sum.y | sum.z | sum.w) deposits[i] = make_uint4(0, 0, 0, 0);
    }
    closing.finish(state, election.improved);
}
