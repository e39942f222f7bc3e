// The pheromone update of the MAX-MIN Ant System (2020, Fig. 5): all trails evaporate down to a
// limit, those of one tour grow up to another, and the same pass makes the weights for the ants.
//
// Matrices have a row of `columns` numbers a city, `columns` being a multiple of four.
#include "gpu/cuda/kernels/candidates.cuh"
#include "gpu/cuda/kernels/choice.cuh"
#include "gpu/cuda/kernels/colony_state.cuh"
#include "gpu/cuda/kernels/geometry.cuh"
#include "gpu/cuda/kernels/random.cuh"
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
    Word iteration, length;  // of the iteration's best tour
    bool improved;           // it is the best of all
    bool gained;             // it is the restart-best: the best since trails last began
    bool restarting;         // all trails become the most
    float least, most;

    __device__ Decision(const ColonyState* state, const MmasLimits* mmas, const MmasRules& rules,
                        int n)
        : iteration(state->iteration + 1),
          length(state->running_best >> ANT_BITS),
          improved(length < state->best_length),
          gained(mmas->restart_best_iteration <= mmas->begun || length < mmas->restart_best_length),
          restarting(false),
          least(mmas->least),
          most(mmas->most) {
        if (improved) {
            set_limits(rules, counted_length(length), least, most);
        } else if (rules.patience > 0 && rules.deposit != PUBLISHED) {
            Word last = max(mmas->begun, state->best_iteration);
            restarting = iteration - last >= Word(rules.patience) &&
                         100 * mmas->branches <= SETTLED * Word(n);
        } else if (rules.patience > 0 && !gained) {
            long long before = static_cast<long long>(state->iteration);
            long long begun = max(static_cast<long long>(mmas->begun) - 1, 0ll);
            bool enough = rules.planned == 0 || before - begun <= rules.planned - before;
            restarting = enough && before % LOOK_PERIOD == 0 &&
                         iteration - mmas->restart_best_iteration >= Word(rules.patience);
        }
    }

    __device__ void write_down(MmasLimits* mmas) const {
        mmas->least = least;
        mmas->most = most;
        if (gained) {
            mmas->restart_best_length = length;
            mmas->restart_best_iteration = iteration;
        }
        if (restarting) mmas->begun = iteration;
        mmas->branches = 0;
    }
};

// The tour that deposits, and what each of its trails gains.
struct Deposit {
    const int* tour;
    float amount;

    __device__ Deposit(const Decision& decision, const ColonyState* state, const MmasLimits* mmas,
                       const MmasRules& rules, const int* own, const int* best_tour,
                       const int* restart_best) {
        bool of_all, of_restart = false;
        if (rules.deposit == PUBLISHED) {
            uint4 words = philox(rules.seed, 0, 0, unsigned(state->iteration), DEPOSIT);
            bool other = share_of(words.x) >= OTHER_CHANCE;
            of_all = other && share_of(words.y) < OTHER_CHANCE;
            of_restart = other && !of_all;
        } else {
            of_all = is_turn_of_best(rules.deposit, decision.iteration - mmas->begun);
        }
        of_all = of_all && !decision.improved;
        of_restart = of_restart && !decision.gained;
        Word length = of_all       ? state->best_length
                      : of_restart ? mmas->restart_best_length
                                   : decision.length;
        tour = of_all ? best_tour : of_restart ? restart_best : own;
        amount = float(rules.gain / counted_length(length));
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
    if (threadIdx.x == 0) *mmas = MmasLimits{0, least, 1.0f, 0, 0, 0};
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
    const auto [edges, rules, ants, directed, trails, tours, best_tour, restart_best,
                iteration_tour, backup, strayed, mmas, state] = arguments;
    const int n = edges.geometry.n, columns = edges.columns;
    Weighing<Power> weighing{edges};
    Power power(edges.alpha);
    Election election(state, tours, nullptr, ants, n, best_tour);
    Decision decision(state, mmas, rules, n);
    Deposit deposit(decision, state, mmas, rules, election.winner, best_tour, restart_best);
    Closing closing(state);  // all threads of the block meet here
    const int* tour = deposit.tour;
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        if (!decision.restarting) {
            int from = tour[i], to = tour[i + 1 < n ? i + 1 : 0];
            float* trail = &trails[static_cast<long long>(from) * columns + to];
            *trail = fminf(*trail + deposit.amount, decision.most);
            weighing.put(power, from, to, *trail);
            if (strayed) note_stray(weighing.geometry, backup, from, to, strayed);
            if (!directed) {
                trail = &trails[static_cast<long long>(to) * columns + from];
                *trail = fminf(*trail + deposit.amount, decision.most);
                weighing.put(power, to, from, *trail);
                if (strayed) note_stray(weighing.geometry, backup, to, from, strayed);
            }
        }
        election.keep(best_tour, i);
        if (decision.gained) restart_best[i] = election.winner[i];
        iteration_tour[i] = election.winner[i];
    }
    if (closing.is_last()) decision.write_down(mmas);
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
