// The end of an iteration of Focused ACO: the next source, and the trails; the rule is that of
// gpu/faco/cpu/colony.py.
#include "gpu/cuda/kernels/choice.cuh"
#include "gpu/cuda/kernels/colony_state.cuh"
#include "gpu/cuda/kernels/random.cuh"
#include "kernels.py"
#include "slices.cuh"

// What an iteration that ends has found, and what becomes the next source. All threads that ask
// find the same, until the last kernel of the iteration closes it.
struct Outcome {
    Word iteration, shortest, best;  // length of the iteration's tour, and of the best so far
    int ant;
    bool improved, takes_best;

    INLINE Outcome(const ColonyState* state, const FacoUpdateRules& rules)
        : iteration(state->iteration),
          shortest(state->running_best >> ANT_BITS),
          best(state->best_length),
          ant(int(state->running_best & ((1 << ANT_BITS) - 1))) {
        improved = shortest < best;
        best = min(best, shortest);
        float draw = share_of(philox(rules.seed, 0, 0, unsigned(iteration), SOURCE).x);
        takes_best = draw < rules.best_source;
    }

    // Whether the next source is the iteration's tour; else it is the best so far.
    INLINE bool takes_new() const { return !takes_best || improved; }

    INLINE Word length() const { return takes_best ? best : shortest; }
};

// The limits of trails for a shortest tour of this length.
struct Limits {
    float least, most;

    INLINE Limits(const FacoUpdateRules& rules, Word length) {
        double highest = rules.start / double(max(length, Word(1)));
        most = float(highest);
        least = fmaxf(float(highest * rules.spread), LEAST_TRAIL);
    }
};

INLINE void stand(const FollowedTour& followed, Word iteration, int place, int city) {
    followed.tour_of(iteration)[place] = city;
    followed.tour_sites_of(iteration)[place] = followed.site(city);
    followed.places[city] = place;
}

// Makes the next source, and notes the tours of the iteration. A thread a place.
__global__ void follow_winner(const FollowWinner arguments) {
    const auto [rules, followed, plans, state, last_tour, best_tour] = arguments;
    __shared__ Slice slices[MOST_SLICES];
    Outcome outcome(state, rules);
    int n = followed.n;
    const int4* plan = row_of(plans, outcome.ant, MOST_KEPT);
    auto [count, origin, direction, mirrored] = plan[0];
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        slices[i] = {plan[1 + i].x, plan[1 + i].y, plan[1 + i].z, plan[1 + i].w};
    __syncthreads();
    int place = int(grid_thread());
    if (place >= n) return;
    int city = followed.tour_of(outcome.iteration)[place];
    int offset = wrapped(direction > 0 ? place - origin : origin - place, n), position = 0;
    for (int i = 0; i < count; ++i) {
        const Slice& slice = slices[i];
        int from = offset - slice.first;
        if (unsigned(from) <= unsigned(slice.more))
            position = slice.start + (slice.turned ? slice.more - from : from);
    }
    if (mirrored) position = n - 1 - position;
    last_tour[position] = city;
    if (outcome.improved) best_tour[position] = city;
    if (outcome.takes_new())
        stand(followed, outcome.iteration + 1, position, city);
    else
        stand(followed, outcome.iteration + 1, place, best_tour[place]);
}

// Rewards the numbers of new edges that ants have drawn; see gpu/faco/cpu/bandit.py.
// Rewards are added up in the order of ants, as on the CPU. One warp; lane i has arm i.
__global__ void learn(const Learn arguments) {
    const auto [rules, ants, arms, lengths, source_length, scores, shares] = arguments;
    int lane = threadIdx.x, own = min(lane, arms - 1);
    double score = scores[own], divisor = double(shares[own]) * arms;
    long long source = source_length[0];
    for (int first = 0; first < ants; first += LANES) {
        int ant = first + lane, arm = NOWHERE;
        double reward = 0.0;
        if (ant < ants && lengths[2 * ant] < source) {
            double gained = double(source - lengths[2 * ant]);
            reward = fmin(1.0, gained / double(source) * rules.reward);
            arm = int(lengths[2 * ant + 1]);
        }
        for (int i = 0; i < LANES; ++i) {
            int drawn = __shfl_sync(ALL_LANES, arm, i);
            double theirs = __shfl_sync(ALL_LANES, reward, i);
            if (drawn == own) score += EXPLORING * theirs / divisor;
        }
    }
    double largest = __shfl_sync(ALL_LANES, score, 0), total = 0.0;
    for (int i = 1; i < arms; ++i) largest = fmax(largest, __shfl_sync(ALL_LANES, score, i));
    score -= largest;
    double weight = exp(score);
    for (int i = 0; i < arms; ++i) total += __shfl_sync(ALL_LANES, weight, i);
    if (lane >= arms) return;
    scores[lane] = score;
    shares[lane] = float((1.0 - EXPLORING) * weight / total + EXPLORING / arms);
}

// What ants read of a candidate: its place, and the weight of the edge to it.
INLINE void list(const TrailLists& lists, const FollowedTour& followed, int place, int city,
                 int rank, float trail) {
    long long entry = static_cast<long long>(city) * lists.width + rank;
    float weight = choice(trail, __ldg(&lists.heuristic[entry]));
    lists.rows[static_cast<long long>(rank) * followed.n + place] =
        make_int2(followed.places[__ldg(&lists.candidates[entry])], __float_as_int(weight));
}

// Renews the trails and what ants read of them, and closes the iteration. A thread a place of the
// next source.
__global__ void renew_trails(const RenewListedTrails arguments) {
    const auto [rules, followed, lists, trails, state, source_length, counts] = arguments;
    Outcome outcome(state, rules);
    Closing closing(state);
    Limits limits(rules, outcome.best);
    float added = float(rules.gain / double(max(outcome.length(), Word(1))));
    int n = followed.n, place = int(grid_thread());
    if (place < n) {
        const int* tour = followed.tour_of(outcome.iteration + 1);
        int city = tour[place], before = tour[place > 0 ? place - 1 : n - 1];
        int after = tour[place + 1 < n ? place + 1 : 0];
        for (int rank = 0; rank < lists.width; ++rank) {
            long long entry = static_cast<long long>(city) * lists.width + rank;
            int candidate = __ldg(&lists.candidates[entry]);
            float trail = fminf(fmaxf(trails[entry] * rules.keep, limits.least), limits.most);
            if (candidate == before || candidate == after)
                trail = fminf(trail + added, limits.most);
            trails[entry] = trail;
            list(lists, followed, place, city, rank, trail);
        }
    }
    if (closing.is_last()) {
        source_length[0] = static_cast<long long>(outcome.length());
        counts[MOVES] = counts[MOVES_NOW];
        counts[MOVES_NOW] = 0;
    }
    closing.finish(state, outcome.improved);
}

// Makes the best tour the source, and lists the trails as they are. A thread a place.
__global__ void begin_source(const BeginSource arguments) {
    const auto [followed, best_tour, state, source_length] = arguments;
    int place = int(grid_thread());
    if (place < followed.n) stand(followed, state->iteration, place, best_tour[place]);
    if (place == 0) source_length[0] = static_cast<long long>(state->best_length);
}

__global__ void list_trails(const ListTrails arguments) {
    const auto [followed, lists, trails, state] = arguments;
    int place = int(grid_thread());
    if (place >= followed.n) return;
    int city = followed.tour_of(state->iteration)[place];
    for (int rank = 0; rank < lists.width; ++rank)
        list(lists, followed, place, city, rank,
             trails[static_cast<long long>(city) * lists.width + rank]);
}

// The state before the first iteration: the tour with which the colony begins counts as the best.
__global__ void reset_colony(const ResetColony arguments) {
    const auto [length, state] = arguments;
    reset(state);
    state->best_length = length;
}
