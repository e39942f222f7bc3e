// The pheromone update of ACO-RLF (2017, equations 3 and 4): trails evaporate, every ant adds 1/q
// to all of them, and L/q to the trails of pairs that have one color in its coloring.
//
// These deposits are counted in whole numbers, whose sum is the same in any order.
//
// Matrices have a row of `columns` numbers a vertex. The trail of adjacent vertices, from a vertex
// to itself, and behind the n-th, is always 0; all others are larger.
#include "gpu/cuda/kernels/colony_state.cuh"
#include "kernels.py"

constexpr int EACH = 4;                // rows and columns of it that a thread looks after
constexpr int ANTS = 32;               // whose colors stand in shared memory together
constexpr int ROW = TILE_SIDE / EACH;  // threads that share rows

// The state before the first iteration.
__global__ void start_graph(const StartGraph arguments) {
    const auto [n, columns, words, adjacency, trails, shares, state] = arguments;
    long long first = grid_thread(), stride = grid_threads();
    for (long long i = first; i < static_cast<long long>(n) * columns; i += stride) {
        int from = int(i / columns), to = int(i % columns);
        bool apart =
            to < n && from != to &&
            !(adjacency[static_cast<long long>(from) * words + to / LANES] >> to % LANES & 1);
        trails[i] = apart ? 1.0f : 0.0f;
    }
    if (first != 0) return;
    shares->level = 1.0f;
    reset(state);
}

// How much each ant adds: 1/q, in whole numbers of which the best ant adds `most`. One block.
__global__ void __launch_bounds__(UPDATE_THREADS) share_out(const ShareOut arguments) {
    const auto [ants, keep, reward, most, costs, state, quanta, shares] = arguments;
    __shared__ double inverse[UPDATE_THREADS];
    int own = threadIdx.x;
    double fewest = double(state->running_best >> ANT_BITS), sum = 0.0;
    for (int first = 0; first < ants; first += UPDATE_THREADS) {
        if (first + own < ants) {
            double cost = double(costs[first + own]);
            quanta[first + own] = unsigned(most * (fewest / cost));
            inverse[own] = 1.0 / cost;
        }
        __syncthreads();
        if (own == 0)
            for (int i = 0; i < min(UPDATE_THREADS, ants - first); ++i) sum += inverse[i];
        __syncthreads();
    }
    if (own != 0) return;
    shares->base = float(sum);
    shares->unit = float(reward / (fewest * most));
    shares->level = shares->level * keep + shares->base;
}

// For pairs visited one after the other in a class. A block an ant.
__global__ void __launch_bounds__(UPDATE_THREADS) scatter_pairs(const ScatterPairs arguments) {
    const auto [n, columns, colors, order, quanta, deposits] = arguments;
    long long ant = static_cast<long long>(blockIdx.x) * n;
    unsigned amount = quanta[blockIdx.x];
    for (int step = 1 + threadIdx.x; step < n; step += blockDim.x) {
        int from = order[ant + step - 1], to = order[ant + step];
        if (colors[ant + from] != colors[ant + to]) continue;
        atomicAdd(&deposits[static_cast<long long>(from) * columns + to], amount);
        atomicAdd(&deposits[static_cast<long long>(to) * columns + from], amount);
    }
}

// The quanta of a tile's pairs, one of EACH x EACH a thread: those of all pairs of one color,
// looked for here,
struct SameColor {
    struct Memory {
        int4 rows[ANTS][ROW], columns[ANTS][ROW];  // colors, four vertices together
        unsigned quanta[ANTS];
    };

    static INLINE void count(Memory& memory, int n, int, int ants, const int* colors,
                             const unsigned* quanta, unsigned*, int row, int column,
                             unsigned (&sums)[EACH][EACH]) {
        int own = threadIdx.x, of_row = own / ROW, of_column = own % ROW;
        for (int first = 0; first < ants; first += ANTS) {
            int count = min(ANTS, ants - first);
            __syncthreads();  // the last readers are done
            for (int i = own; i < count * TILE_SIDE; i += UPDATE_THREADS) {
                int ant = i / TILE_SIDE, place = i % TILE_SIDE;
                const int* of_ant = colors + static_cast<long long>(first + ant) * n;
                int u = row + place, v = column + place;
                reinterpret_cast<int*>(memory.rows[ant])[place] = u < n ? of_ant[u] : -1;
                reinterpret_cast<int*>(memory.columns[ant])[place] = v < n ? of_ant[v] : -2;
            }
            for (int i = own; i < count; i += UPDATE_THREADS) memory.quanta[i] = quanta[first + i];
            __syncthreads();
            for (int ant = 0; ant < count; ++ant) {
                int4 u = memory.rows[ant][of_row], v = memory.columns[ant][of_column];
                int us[EACH] = {u.x, u.y, u.z, u.w}, vs[EACH] = {v.x, v.y, v.z, v.w};
                unsigned amount = memory.quanta[ant];
                UNROLL for (int i = 0; i < EACH; ++i) {
                    UNROLL for (int j = 0; j < EACH; ++j) sums[i][j] += us[i] == vs[j] ? amount : 0;
                }
            }
        }
    }
};

// or those that were scattered, read and cleared.
struct Scattered {
    struct Memory {};

    static INLINE void count(Memory&, int n, int columns, int, const int*, const unsigned*,
                             unsigned* deposits, int row, int column,
                             unsigned (&sums)[EACH][EACH]) {
        int u = row + threadIdx.x / ROW * EACH, v = column + threadIdx.x % ROW * EACH;
        for (int i = 0; i < EACH && u + i < n; ++i)
            for (int j = 0; j < EACH && v + j < n; ++j) {
                unsigned& deposit = deposits[static_cast<long long>(u + i) * columns + v + j];
                sums[i][j] = deposit;
                deposit = 0;
            }
    }
};

// Changes all trails, elects the best coloring and closes the iteration. A block a tile.
template <class Deposits>
__global__ void __launch_bounds__(UPDATE_THREADS) renew_pairs(const RenewPairs arguments) {
    const auto [n, columns, ants, keep, shares, quanta, deposits, trails, colors, best_coloring,
                iteration_coloring, state] = arguments;
    __shared__ typename Deposits::Memory memory;
    Election election(state, colors, nullptr, ants, n, best_coloring);
    Closing closing(state);  // all threads of the block meet here
    for (long long i = blockIdx.x * static_cast<long long>(UPDATE_THREADS) + threadIdx.x; i < n;
         i += static_cast<long long>(gridDim.x) * UPDATE_THREADS) {
        election.keep(best_coloring, int(i));
        iteration_coloring[i] = election.winner[i];
    }
    int tiles = (n + TILE_SIDE - 1) / TILE_SIDE;
    int row = blockIdx.x / tiles * TILE_SIDE, column = blockIdx.x % tiles * TILE_SIDE;
    unsigned sums[EACH][EACH] = {};
    Deposits::count(memory, n, columns, ants, colors, quanta, deposits, row, column, sums);
    Shares share = *shares;
    int u = row + threadIdx.x / ROW * EACH, v = column + threadIdx.x % ROW * EACH;
    UNROLL for (int i = 0; i < EACH; ++i) {
        if (u + i >= n || v >= columns) continue;
        float4& place =
            *reinterpret_cast<float4*>(&trails[static_cast<long long>(u + i) * columns + v]);
        float4 old = place;
        float four[EACH] = {old.x, old.y, old.z, old.w};
        UNROLL for (int j = 0; j < EACH; ++j) {
            if (four[j] > 0.0f)
                four[j] = four[j] * keep + share.base + float(sums[i][j]) * share.unit;
        }
        place = make_float4(four[0], four[1], four[2], four[3]);
    }
    closing.finish(state, election.improved);
}
