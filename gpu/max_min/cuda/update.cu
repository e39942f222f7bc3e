// The pheromone update of the MAX-MIN Ant System (2020, Fig. 5): all trails evaporate down to a
// limit, those of one tour grow up to another, and the same pass makes the weights for the ants.
//
// Matrices have a row of `columns` numbers a city, `columns` being a multiple of four.
#include "gpu/cuda/kernels/candidates.cuh"
#include "gpu/cuda/kernels/choice.cuh"
#include "gpu/cuda/kernels/colony_state.cuh"
#include "gpu/cuda/kernels/geometry.cuh"
#include "kernels.py"

// Whether the best tour of all deposits, `since` iterations after trails began (2000).
INLINE bool is_turn_of_best(int deposit, Word since) {
    if (deposit != SCHEDULE) return deposit == GLOBAL_BEST;
    int period = since >= 250 ? 1 : since >= 125 ? 2 : since >= 75 ? 3 : since >= 25 ? 5 : 25;
    return since % period == 0;
}

INLINE double counted_length(Word length) { return double(max(length, Word(1))); }

// The limits for a shortest tour of this length (2000, equations 7 and 11).
INLINE void set_limits(const MmasRules& rules, double length, float& least, float& most) {
    double upper = rules.nearest / length;
    most = float(upper);
    least = fmaxf(float(upper * rules.spread), LEAST_TRAIL);
}

// Every block of the update works this out for itself, from what no block has changed yet. The last
// block of the last launch writes it down.
struct Decision {
    bool restarting;  // all trails become the most
    bool own;         // the iteration's best tour deposits, not the best of all
    float least, most, amount;

    __device__ Decision(const ColonyState* state, const MmasLimits* mmas, const MmasRules& rules,
                        int n)
        : restarting(false), own(true), least(mmas->least), most(mmas->most) {
        Word iteration = state->iteration + 1, length = state->running_best >> ANT_BITS;
        bool improved = length < state->best_length;
        if (improved) {
            set_limits(rules, counted_length(length), least, most);
        } else if (rules.patience > 0) {
            Word last = max(mmas->begun, state->best_iteration);
            restarting = iteration - last >= Word(rules.patience) &&
                         100 * mmas->branches <= SETTLED * Word(n);
        }
        own = improved || !is_turn_of_best(rules.deposit, iteration - mmas->begun);
        Word of_depositor = own ? length : state->best_length;
        amount = float(rules.gain / counted_length(of_depositor));
    }

    __device__ void write_down(MmasLimits* mmas, Word iteration) const {
        mmas->least = least;
        mmas->most = most;
        if (restarting) mmas->begun = iteration;
        mmas->branches = 0;
    }
};

// Makes weights of trails, and stores them: a matrix of all edges.
template <class Power>
struct Weighing : EdgeWeights {
    INLINE float weight(const Power& power, float trail, float eta) const {
        float weighed = choice(power(trail), eta);
        return rounds ? rounded_to_half(weighed) : weighed;
    }

    INLINE float eta(int from, int to) const {
        if (from == to || to >= geometry.n) return 0.0f;
        return geometry.weight(from, to);
    }

    // Of one edge, whose trail has grown.
    INLINE void put(const Power& power, int from, int to, float trail) const {
        if (form == NONE) return;
        long long place = static_cast<long long>(from) * columns + to;
        float own = weight(power, trail, heuristic ? heuristic[place] : eta(from, to));
        if (form == HALVES)
            static_cast<unsigned short*>(weights)[place] =
                static_cast<unsigned short>(half_bits(own));
        else
            static_cast<float*>(weights)[place] = own;
    }

    // Of the four edges of a quarter.
    INLINE void put(const Power& power, long long quarter, float4 trail) const {
        if (form == NONE) return;
        float4 etas;
        if (heuristic) {
            etas = __ldcs(reinterpret_cast<const float4*>(heuristic) + quarter);
        } else {
            int from = int(4 * quarter / columns);
            int to = int(4 * quarter % columns);
            etas =
                make_float4(eta(from, to), eta(from, to + 1), eta(from, to + 2), eta(from, to + 3));
        }
        float4 own = make_float4(weight(power, trail.x, etas.x), weight(power, trail.y, etas.y),
                                 weight(power, trail.z, etas.z), weight(power, trail.w, etas.w));
        if (form == HALVES) {
            static_cast<uint2*>(weights)[quarter] =
                make_uint2(half_bits(own.x) | half_bits(own.y) << 16,
                           half_bits(own.z) | half_bits(own.w) << 16);
            return;
        }
        static_cast<float4*>(weights)[quarter] = own;
    }
};

// The limits before the first iteration, all trails being 1.
__global__ void start_limits(const StartLimits arguments) {
    const auto [mmas, least] = arguments;
    if (threadIdx.x == 0) *mmas = MmasLimits{0, least, 1.0f, 0};
}

// Makes all weights; once a run.
template <class Power>
__global__ void weigh_trails(const WeighTrails arguments) {
    const auto [edges, quarters, trails] = arguments;
    Weighing<Power> weighing{edges};
    Power power(edges.alpha);
    for (long long i = grid_thread(); i < quarters; i += grid_threads())
        weighing.put(power, i, trails[i]);
}

// Adds up, for all cities, the candidates whose trails are at least min + 0.05 (max - min): n times
// the branching factor, which tells whether trails have settled. A warp a city.
__global__ void count_settled(const CountSettled arguments) {
    const auto [n, columns, listed, candidates, width, trails, branches] = arguments;
    int lane = threadIdx.x % LANES, warps = blockDim.x / LANES;
    for (int city = blockIdx.x * warps + threadIdx.x / LANES; city < n; city += gridDim.x * warps) {
        const unsigned short* list = row_of(candidates, city, width);
        const float* row = row_of(trails, city, columns);
        float least = row[list[0]], most = least;
        for (int i = lane; i < listed; i += LANES) {
            float trail = row[list[i]];
            least = fminf(least, trail);
            most = fmaxf(most, trail);
        }
        least = __uint_as_float(warp_min(__float_as_uint(least)));
        most = __uint_as_float(warp_max(__float_as_uint(most)));
        float bound = least + LAMBDA * (most - least);
        unsigned above = 0;
        for (int i = lane; i < listed; i += LANES) above += row[list[i]] >= bound;
        above = warp_total(above);
        if (lane == 0) atomicAdd(branches, Word(above));
    }
}

// Evaporates all trails, or begins anew, and makes all weights.
template <class Power>
__global__ void evaporate_trails(const EvaporateTrails arguments) {
    const auto [edges, rules, quarters, trails, mmas, state] = arguments;
    Weighing<Power> weighing{edges};
    Power power(edges.alpha);
    Decision decision(state, mmas, rules, edges.geometry.n);
    float least = decision.restarting ? decision.most : decision.least, most = decision.most;
    for (long long i = grid_thread(); i < quarters; i += grid_threads()) {
        float4 trail = __ldcs(&trails[i]);
        trail = make_float4(fminf(fmaxf(trail.x * rules.keep, least), most),
                            fminf(fmaxf(trail.y * rules.keep, least), most),
                            fminf(fmaxf(trail.z * rules.keep, least), most),
                            fminf(fmaxf(trail.w * rules.keep, least), most));
        trails[i] = trail;
        weighing.put(power, i, trail);
    }
}

// Notes that a trail grows beyond the backup list; see OtherCities.
INLINE void note_stray(const Distances& geometry, const uint2* backup, int from, int to,
                       unsigned char* strayed) {
    unsigned last = backup[(from + 1ll) * BACKUP_ROWS * LANES - 1].y;
    if (geometry.weight(from, to) <= __uint_as_float(last)) strayed[from] = 1;
}

// One tour deposits, a thread an edge; elects the best tour and closes the iteration.
template <class Power>
__global__ void deposit_trails(const DepositTrails arguments) {
    const auto [edges, rules, ants, directed, trails, tours, best_tour, iteration_tour, backup,
                strayed, mmas, state] = arguments;
    const int n = edges.geometry.n, columns = edges.columns;
    Weighing<Power> weighing{edges};
    Power power(edges.alpha);
    Election election(state, tours, nullptr, ants, n, best_tour);
    Decision decision(state, mmas, rules, n);
    Closing closing(state);  // all threads of the block meet here
    const int* tour = decision.own ? election.winner : best_tour;
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        if (!decision.restarting) {
            int from = tour[i], to = tour[i + 1 < n ? i + 1 : 0];
            float* trail = &trails[static_cast<long long>(from) * columns + to];
            *trail = fminf(*trail + decision.amount, decision.most);
            weighing.put(power, from, to, *trail);
            if (strayed) note_stray(weighing.geometry, backup, from, to, strayed);
            if (!directed) {
                trail = &trails[static_cast<long long>(to) * columns + from];
                *trail = fminf(*trail + decision.amount, decision.most);
                weighing.put(power, to, from, *trail);
                if (strayed) note_stray(weighing.geometry, backup, to, from, strayed);
            }
        }
        election.keep(best_tour, i);
        iteration_tour[i] = election.winner[i];
    }
    if (closing.is_last()) decision.write_down(mmas, closing.iteration + 1);
    closing.finish(state, election.improved);
}

// Makes the weights of the candidates of all cities, `width` a city; `etas` are their heuristics.
template <class Power>
__global__ void weigh_candidates(const WeighCandidates arguments) {
    const auto [n, columns, form, rounds, alpha, width, candidates, etas, trails, listed] =
        arguments;
    Power power(alpha);
    int stride = gridDim.x * blockDim.x, size = n * width;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += stride) {
        unsigned city = candidates[i];
        float trail = trails[static_cast<long long>(i / width) * columns + city];
        float own = choice(power(trail), etas[i]);
        if (rounds) own = rounded_to_half(own);
        if (form == PACKED)
            static_cast<unsigned*>(listed)[i] = __float_as_uint(own) | city;
        else
            static_cast<float*>(listed)[i] = form == INVERSES ? __frcp_rn(own) : own;
    }
}
