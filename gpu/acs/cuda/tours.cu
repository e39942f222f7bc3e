// ACS-GPU-Alt and ACS-GPU-SPM (2016, Sections 3.1.2 and 3.2): whole tours in one launch, a warp
// an ant; other ants read and write the same trails at the same time.
#include "gpu/cuda/kernels/colony_state.cuh"
#include "kernels.py"
#include "matrix_walk.cuh"
#include "selective_memory.cuh"
#include "walk.cuh"

// The city to go to where a remembered city may weigh as much as the heaviest candidates, or more.
// `next` is the lowest of these, of key `top`. Of equals the ant takes one that is remembered, as
// in the author's program, and of such the newest. Each lane gives a record and its age.
SELDOM int heaviest_of_all(Distances geometry, BitTabu tabu, Record record, unsigned age, int city,
                           int next, unsigned top) {
    unsigned key = record_key(record, geometry, tabu, city), most = warp_max(key);
    if (most < top) return next;
    unsigned newest = warp_min(key == most ? age : ~0u);
    unsigned source = __ballot_sync(ALL_LANES, key == most && age == newest);
    return __shfl_sync(ALL_LANES, record_city(record), __ffs(source) - 1);
}

// A walk with the selective memory, which has the trails of few edges.
// The update of the reverse edge waits until the ant is at its city, where it reads the records
// anyway: a step reads one ring, whatever it updates.
template <int CAPACITY, Greedy GREEDY>
struct SelectiveWalk : GuidedWalk {
    static constexpr int RESIDENT = CAPACITY > 8 ? 16 : 19;
    SelectiveMemory<CAPACITY> memory;
    typename SelectiveMemory<CAPACITY>::Page page;
    Ring ring;
    unsigned hits = 0, total = 0;
    int previous = -1;  // the city whose trail is to be updated at this one, or -1
    int farthest = 0;   // lane of the last candidate
    float rival = 0;    // what this lane's remembered city weighs at most, if it is no candidate

    // Lanes that copy the parts of a city's data ahead; the largest memory leaves too few.
    static constexpr int RECORD_LANES = CAPACITY * sizeof(Record) / 16;
    static constexpr int LINK_LANE = RECORD_LANES + ROW_LANES, TAIL_LANE = LINK_LANE + 1;
    static constexpr bool AHEAD = READS_AHEAD && TAIL_LANE < LANES;

    INLINE SelectiveWalk(const CandidateRows& lists_, const Distances& geometry_,
                         const BitTabu& tabu_, LocalUpdate change_, void* records, void* tails,
                         void*, int size, const int4* links_, unsigned* slots, int directed_,
                         int lane_)
        : GuidedWalk(lists_, geometry_, tabu_, change_, links_, slots, directed_, lane_),
          memory{static_cast<Record*>(records), static_cast<unsigned*>(tails), size} {
        // Short rows are filled with the city itself.
        if (GREEDY == REMEMBERED)
            farthest = 31 - __clz(__ballot_sync(ALL_LANES, lists.at(0, lane).city() != 0));
        set_up();
    }

    INLINE void set_up() {
        ahead.take(memory.records, CAPACITY * sizeof(Record), 0, RECORD_LANES, lane);
        ahead.take(lists.rows, LANES * sizeof(uint2), RECORD_LANES, ROW_LANES, lane);
        ahead.take(links, sizeof(int4), LINK_LANE, 1, lane);
        ahead.take(memory.tails, TAIL_STRIDE * sizeof(unsigned), TAIL_LANE, 1, lane);
        ahead.hold();
    }

    // As in MatrixWalk.
    INLINE void arrive(int here, int turn) {
        city = here;
        candidate = lists.at(here, lane);
        page = memory.read(here);
        memory.open(ring, here, lane);
        if (AHEAD)
            look_about(turn);
        else
            visit(city);
    }

    INLINE void go_on(int turn) {
        city = ahead.expected;
        ahead.land();
        candidate.packed = ahead.at<uint2>(turn, RECORD_LANES)[lane];
        link = *ahead.at<int4>(turn, LINK_LANE);
        memory.open(ring, page, ahead.at<Record>(turn, 0), *ahead.at<unsigned>(turn, TAIL_LANE),
                    city, lane);
        visit(city);
    }

    INLINE void enter(int turn) {
        if (AHEAD) ahead.proceed(link, turn, lane);
        bits = tabu.word(candidate.city());
        trail = page.trail_to(candidate.city());
        if (candidate.city() == settle()) trail = 1.0f;
        // No city off the list is nearer than the last candidate; the factor is for rounding.
        if (GREEDY == REMEMBERED)
            rival = record_trail(ring.mine) *
                    (__shfl_sync(ALL_LANES, candidate.weight(), farthest) * 1.000001f);
    }

    INLINE bool follow(bool due, int turn) {
        if (!AHEAD) return false;
        if (!is_usual<GREEDY == REMEMBERED>(rival)) return false;
        move(ahead.expected, due, turn, true);
        return true;
    }

    INLINE int step(bool explores, unsigned word, bool due, int turn) {
        int mine = candidate.city();
        bool allowed = !tabu.visited(mine, bits);
        float weight = trail * candidate.weight();
        unsigned key = weight_key(weight, allowed), top = warp_max(key);
        int next = best_city(key, top, mine);
        if (__builtin_expect(top == 0, 0)) {
            next = step_outside();
        } else if (explores) {
            int drawn = roulette_lane(allowed ? weight : 0.0f, top, word, lane);
            next = __shfl_sync(ALL_LANES, mine, drawn);
        } else if (GREEDY == REMEMBERED) {
            bool may = weight_key(rival, true) >= top || (key == top && mine != next);
            if (__any_sync(ALL_LANES, may))
                next = heaviest_of_all(geometry, tabu, ring.mine, ring.age(lane), city, next, top);
        }
        move(next, due, turn, AHEAD && next == ahead.expected);
        return next;
    }

    INLINE void finish(int start, bool due) {
        settle();
        if (due) {
            count(ring.update(start, change, lane));
            if (!directed) previous = city;
        }
        __syncwarp();
        memory.open(ring, start, lane);
        settle();
    }

    INLINE void report(ColonyState* state) const {
        if (lane) return;
        atomicAdd(&state->local_hits, Word(hits));
        atomicAdd(&state->local_total, Word(total));
    }

  private:
    // Updates the edge to `next`, if that is `due`, and goes there.
    INLINE void move(int next, bool due, int turn, bool expected) {
        Ring left = ring;
        Ring::Plan plan{};
        // Planned before the reads of the next city overwrite this one's, written after.
        if (due) {
            plan = left.plan(next, change, lane);
            previous = directed ? -1 : city;
            count(plan.hit);
        }
        if (expected)
            go_on(turn);
        else
            arrive(next, turn);
        if (due) left.carry_out(plan, left.mine, left.last, lane);
        enter(turn);
    }

    __device__ int step_outside() const {
        Fallback fallback;
        fallback.prepare(lists, tabu, geometry, city, lane);
        return memory.choose_outside(fallback, geometry, tabu, ring, city, lane);
    }

    INLINE void count(bool hit) {
        hits += hit;
        total += 1;
    }

    // Updates the trail back to where the ant came from, if that is due. Returns the city whose
    // record had to make room, NOBODY if none had.
    INLINE unsigned settle() {
        if (previous < 0) return NOBODY;
        unsigned oldest = ring.last + 1 < ring.size ? ring.last + 1 : 0;
        unsigned evicted = record_city(__shfl_sync(ALL_LANES, ring.mine, oldest));
        bool hit = ring.update(previous, change, lane);
        count(hit);
        previous = -1;
        return hit ? NOBODY : evicted;
    }
};

// A warp keeps the best of its tours: `tours` has two rows a warp, and `holders[w]` says which is
// the better one. So memory does not grow with the number of ants.
struct BestOfWarp {
    static constexpr bool MEASURED = true;
    int* tours;
    int* holders;
    int current = 0;

    INLINE int* row(int, int n) const { return tours + (2ll * blockIdx.x + current) * n; }

    INLINE void keep(int lane) {
        if (lane == 0) holders[blockIdx.x] = current;
        current ^= 1;
    }

    // The key of the warp's best tour of earlier launches of the iteration, if it may be the best
    // of all and must stay; else ~0.
    INLINE Word resume(const ColonyState* state, int first_ant, int warps) {
        Word best = __ldcg(&state->running_best);
        int ant = int(best & ((1 << ANT_BITS) - 1));
        if (best == ~0ull || ant >= first_ant || ant % warps != blockIdx.x) return ~0ull;
        current = holders[blockIdx.x] ^ 1;
        return best;
    }
};

// `tours` has a row an ant, for the local search, which measures them.
struct EveryTour {
    static constexpr bool MEASURED = false;
    int* tours;
    int* unused;

    INLINE int* row(int ant, int n) const { return row_of(tours, ant, n); }

    INLINE void keep(int) {}
};

// Builds the tours of the ants from `first_ant` to before `end_ant`. Warp w of the W of the grid
// builds those of the ants w, w + W, w + 2W, … from the first one on, which is a multiple of W.
//
// A block is one warp. The bound on registers lets 19 warps share a multiprocessor, so that an
// H100 builds the tours of 2508 ants at once.
template <class Walk, class Kept>
__global__ void
    __launch_bounds__(LANES, Walk::RESIDENT < MOST_BLOCKS ? Walk::RESIDENT : MOST_BLOCKS)
    build_tours(const BuildAcsTours arguments) {
    const auto [common, trails, more_trails, far, memory_size, links, tabu_words, tours, holders,
                first_ant, end_ant, state] = arguments;
    const auto [ants, threshold, period, change, seed, lists, geometry, directed] = common;
    const int n = geometry.n;
    extern __shared__ __align__(16) unsigned shared[];
    int lane = held(threadIdx.x), warp = blockIdx.x, all_warps = gridDim.x;
    unsigned* slots = held_shared(shared);
    BitTabu tabu(slots + SLOT_WORDS, tabu_words);
    unsigned iteration = unsigned(state->iteration);
    Walk walk(lists, geometry, tabu, change, trails, more_trails, far, memory_size, links, slots,
              directed, lane);

    Kept kept_tours{tours, holders};
    Word best = ~0ull, sum = 0;
    if constexpr (Kept::MEASURED) best = kept_tours.resume(state, first_ant, all_warps);
    for (int ant = first_ant + warp; ant < end_ant; ant += all_warps) {
        int* tour = kept_tours.row(ant, n);
        Draws draws{seed, unsigned(ant), iteration};
        int start = draws.start(n), kept = start;
        tabu.clear(n, lane);
        walk.arrive(start, 0);
        walk.enter(0);
        for (int first = 0; first < n; first += LANES) {
            unsigned explorations = draws.explorations(first, threshold, lane);
            unsigned updates = __ballot_sync(ALL_LANES, (first + lane) % period == 0);
            // The random words of the roulette wheel for all 32 steps at once.
            unsigned spins = explorations ? draws.spin(first + lane) : 0;
            int steps = min(LANES, n - first);
            // The run of usual steps ends before these: steps that explore, and the next 32.
            unsigned stops = explorations | (steps < LANES ? 1u << steps : 0);
            for (int i = first == 0; i < steps; ++i) {
                bool usual = !(explorations >> i & 1);
                while (usual && walk.follow(updates >> i & 1, i & 1)) {
                    if (lane == i) kept = walk.city;
                    ++i;
                    usual = i < LANES && !(stops >> i & 1);
                }
                if (i == steps) break;
                int city = walk.step(explorations >> i & 1, __shfl_sync(ALL_LANES, spins, i),
                                     updates >> i & 1, i & 1);
                if (lane == i) kept = city;
            }
            if (lane < steps) __stcs(&tour[first + lane], kept);
        }
        walk.finish(start, n % period == 0);
        __syncwarp();
        if constexpr (Kept::MEASURED) {
            Word length = tour_length(geometry, tour, lane);
            sum += length;
            Word key = length << ANT_BITS | ant;
            if (key < best) {
                best = key;
                kept_tours.keep(lane);
            }
        }
    }
    report_tours(state, best, sum, lane);
    walk.report(state);
}
