// 2-opt and Or-opt by the rule of gpu/local_search/rule.py: a block improves a tour at a time.
#include "gpu/cuda/kernels/colony_state.cuh"
#include "gpu/cuda/kernels/order.cuh"
#include "kernels.py"
#include "move_search.cuh"

// What the threads of a block share. The moves of one round and of the next have separate places,
// because other threads may still read those of the last round.
template <class City>
struct Found {
    Gain keys[2][WINDOW];
    City ends[2][WINDOW][MOST_ENDS];
    Word shortest;  // of the tours that the block has improved: length << ANT_BITS | ant
    Gain gained;    // by the present tour
    unsigned exchanges, segments;  // moves made
    int waiting;
};

// What is reported of the local searches of two iterations: the present one and the next, so that
// the host can read one while the other runs.
struct ReportedMoves {
    Word exchanges[2], segments[2];  // moves made by 2-opt and by Or-opt
    unsigned finished;               // blocks that have no tour left
};

// Which parts of a block are in shared memory: its tour with the place of every city, and the
// queue.
template <class City_, bool TOUR_, bool QUEUE_>
struct Memory {
    typedef City_ City;
    static constexpr bool TOUR = TOUR_, QUEUE = QUEUE_;
};
typedef Memory<unsigned short, true, true> AllShared;
typedef Memory<unsigned short, true, false> TourShared;
typedef Memory<int, false, false> NoneShared;

// The cities that wait, in a ring; each city has a bit that says whether it waits. One warp adds
// cities, and knows how many there are.
template <class City>
struct Queue {
    City* cities;
    unsigned* bits;
    int n, head, size;

    // A place at most n past the first one.
    INLINE City& at(int i) const { return cities[head + i < n ? head + i : head + i - n]; }

    // Fills the empty queue with the cities whose bit is set: the first ones of WINDOW stretches of
    // the tour, then their second ones, and so on. A lane has a stretch; the whole warp calls this.
    INLINE void begin(const City* tour, int lane) {
        static_assert(WINDOW == LANES, "a lane a stretch");
        int stretch = (n + WINDOW - 1) / WINDOW;
        for (int offset = 0; offset < stretch; ++offset) {
            int place = lane * stretch + offset;
            int city = place < n ? tour[place] : 0;
            bool waits = place < n && bits[city / 32] >> city % 32 & 1;
            unsigned waiting = __ballot_sync(ALL_LANES, waits);
            if (waits) cities[size + __popc(waiting & ((1u << lane) - 1))] = city;
            size += __popc(waiting);
        }
    }

    INLINE void leave(int count) {
        head = head + count < n ? head + count : head + count - n;
        size -= count;
    }

    // Puts a city of each of these lanes before all that wait, in their order; none of them waits.
    // All threads of the block call this, and one warp writes.
    INLINE void put_back(unsigned lanes, int city, int lane, bool writes) {
        int count = __popc(lanes);
        head = head - count < 0 ? head - count + n : head - count;
        if (!writes) return;
        if (lanes >> lane & 1) {
            at(__popc(lanes & ((1u << lane) - 1))) = City(city);
            atomicOr(&bits[city / 32], 1u << city % 32);
        }
        size += count;
        __syncwarp();
    }

    // Adds the first `count` of `ends` that do not wait yet. All lanes of the warp call this.
    INLINE void add(const City* ends, int count, int lane) {
        int city = lane < count ? ends[lane] : -1 - lane;
        bool first = __ffs(__match_any_sync(ALL_LANES, city)) - 1 == lane;
        bool fresh = lane < count && first && !(bits[city / 32] >> city % 32 & 1);
        unsigned joining = __ballot_sync(ALL_LANES, fresh);
        if (fresh) {
            at(size + __popc(joining & ((1u << lane) - 1))) = City(city);
            atomicOr(&bits[city / 32], 1u << city % 32);
        }
        size += __popc(joining);
        __syncwarp();
    }
};

// The cities before and after each on the best tour so far, if there is one.
template <bool DIRECTED>
struct BestLinks {
    const int2* links;
    bool known;

    INLINE bool has(int city, int before, int after) const {
        if (!known) return false;
        int2 link = __ldg(&links[city]);
        return (link.x == before && link.y == after) ||
               (!DIRECTED && link.x == after && link.y == before);
    }
};

// Improves the tours of the ants from `first_ant` to before `end_ant`, and subtracts the gains from
// their lengths. Block b of B improves the tours of the ants b, b + B, b + 2B, … after the first
// one. Blocks have 32, 64, 128 or 256 threads; threads with
// neighbouring numbers look for moves of one city. Of the cities whose neighbours are as on the
// best tour so far, one in `sample` is in the first queue. `places`, `queues` and `bits` have a row
// a block for what is not in shared memory.
//
// `built` has a row a block for the block's best tour as it was before the search, and if tours are
// not in shared memory, another row for the present one. The last block copies the best of all to
// `built_tours`, which has a row for each of two iterations, unless an earlier launch has done so.
template <class Memory, class Moves>
__global__ void __launch_bounds__(MOST_THREADS, 2) improve_tours(const ImproveTours arguments) {
    const auto& [geometry, first_ant, end_ant, rows, width, sample, links, places, queues, bits,
                 built, built_tours, tours, lengths, moves, state] = arguments;
    const int n = geometry.n;
    typedef typename Memory::City City;
    extern __shared__ Word shared_words[];
    int thread = threadIdx.x, lane = thread % LANES, threads = blockDim.x;
    int even = n + n % 2, words = (n + 31) / 32, lanes = threads / WINDOW;
    static_assert(sizeof(Found<City>) ==
                      2 * WINDOW * (sizeof(Gain) + MOST_ENDS * sizeof(City)) + FOUND_NUMBERS,
                  "as the host counts it");
    Found<City>& found = *reinterpret_cast<Found<City>*>(shared_words);
    TourArray<City> tour{n, nullptr, nullptr};
    Queue<City> queue{nullptr, nullptr, n, 0, 0};
    if constexpr (Memory::TOUR) {
        tour.tour = reinterpret_cast<City*>(&found + 1);
        tour.place = tour.tour + even;
        queue.bits = reinterpret_cast<unsigned*>(tour.place + even);
    } else {
        tour.place = row_of(places, blockIdx.x, n);
        queue.bits = row_of(bits, blockIdx.x, words);
    }
    if constexpr (Memory::QUEUE)
        queue.cities = reinterpret_cast<City*>(queue.bits + words);
    else
        queue.cities = row_of(reinterpret_cast<City*>(queues), blockIdx.x, n);
    NeighbourRows lists{rows, width};
    MoveSearch<Moves, City> search{geometry, lists, tour};
    BestLinks<!Moves::TURNS> best_tour{links, state->iteration > 0};
    unsigned iteration = unsigned(state->iteration);
    if (thread == 0) {
        found.shortest = ~0ull;
        found.exchanges = found.segments = 0;
    }

    for (int ant = first_ant + blockIdx.x; ant < end_ant; ant += gridDim.x) {
        int* whole = row_of(tours, ant, n);
        if constexpr (!Memory::TOUR) tour.tour = whole;
        for (int i = thread; i < words; i += threads) queue.bits[i] = 0;
        queue.head = queue.size = 0;
        if (thread == 0) found.gained = 0;
        __syncthreads();
        for (int i = thread; i < n; i += threads) {
            int city = whole[i], before = whole[i > 0 ? i - 1 : n - 1];
            int after = whole[i + 1 < n ? i + 1 : 0];
            if (!best_tour.has(city, before, after) || (city + ant + iteration) % sample == 0)
                atomicOr(&queue.bits[city / 32], 1u << city % 32);
            tour.put(i, city);
            if constexpr (!Memory::TOUR) row_of(built, gridDim.x + blockIdx.x, n)[i] = city;
        }
        __syncthreads();
        if (n >= LEAST_CITIES) {
            if (thread < LANES) queue.begin(tour.tour, lane);
            if (thread == 0) found.waiting = queue.size;
            __syncthreads();
            queue.size = found.waiting;
        }

        for (int parity = 0; queue.size > 0; parity ^= 1) {
            int lookers = min(WINDOW, queue.size), looker = thread / lanes;
            int a = looker < lookers ? queue.at(looker) : 0;
            Gain mine = search.best(looker < lookers, a, thread % lanes, lanes, lane);
            Gain best = mine;
            for (int offset = 1; offset < lanes; offset *= 2)
                best = max(best, __shfl_xor_sync(ALL_LANES, best, offset));
            if (looker < lookers && mine == best && MoveKey{mine}.found())
                search.note(a, MoveKey{mine}, found.ends[parity][looker]);
            if (thread % lanes == 0) {
                found.keys[parity][looker] = best;
                if (looker < lookers) atomicAnd(&queue.bits[a / 32], ~(1u << a % 32));
            }
            queue.leave(lookers);
            __syncthreads();

            bool any = false, changed = false;
            for (int first = 0; first < WINDOW; first += LANES) {
                const Gain* keys = &found.keys[parity][first];
                unsigned movers = __ballot_sync(ALL_LANES, MoveKey{keys[lane]}.found());
                any = any || movers;
                if (Moves::LARGEST && movers) {
                    Gain gain = movers >> lane & 1 ? MoveKey{keys[lane]}.gain() : 0;
                    Gain most =
                        warp_reduced(gain, [](Gain one, Gain other) { return max(one, other); });
                    unsigned best = __ballot_sync(ALL_LANES, gain == most);
                    best &= -best;
                    unsigned others = movers & ~best;
                    int a = others >> lane & 1 ? found.ends[parity][first + lane][0] : 0;
                    queue.put_back(others, a, lane, thread < LANES);
                    movers = best;
                }
                for (; movers; movers &= movers - 1) {
                    int mover = __ffs(movers) - 1, awake = 1;
                    MoveKey move{keys[mover]};
                    const City* ends = found.ends[parity][first + mover];
                    if (changed) __syncthreads();
                    changed = false;
                    if constexpr (Moves::EXCHANGES) {
                        if (move.exchange() && tour.exchange(ends)) {
                            changed = true;
                            awake = 4;
                            if (thread == 0) ++found.exchanges;
                        }
                    }
                    if constexpr (Moves::SEGMENTS) {
                        if (!move.exchange() && tour.template relocate<!Moves::TURNS>(
                                                    ends, move.length(), move.side())) {
                            changed = true;
                            awake = 6;
                            if (thread == 0) ++found.segments;
                        }
                    }
                    if (changed && thread == 0) found.gained += move.gain();
                    if (thread < LANES) queue.add(ends, awake, lane);
                }
            }
            if (!any) continue;
            if (thread == 0) found.waiting = queue.size;
            __syncthreads();
            queue.size = found.waiting;
        }

        __syncthreads();
        Word length = lengths[ant] - Word(found.gained);
        Word key = length << ANT_BITS | Word(ant);
        if (key < found.shortest) {
            int* kept = row_of(built, blockIdx.x, n);
            const int* before = Memory::TOUR ? whole : row_of(built, gridDim.x + blockIdx.x, n);
            for (int i = thread; i < n; i += threads) kept[i] = before[i];
        }
        if constexpr (Memory::TOUR) {
            for (int i = thread; i < n; i += threads) whole[i] = tour.tour[i];
        }
        __syncthreads();
        if (thread == 0) {
            lengths[ant] = length;
            found.shortest = min(found.shortest, key);
            report_tours(state, key, length, 0);
        }
    }

    int row = int(state->iteration & 1);
    if (thread == 0) {
        atomicAdd(&moves->exchanges[row], Word(found.exchanges));
        atomicAdd(&moves->segments[row], Word(found.segments));
    }
    __syncthreads();
    if (thread == 0) {
        found.waiting = count_released(&moves->finished) + 1 < gridDim.x;
        acquire();
    }
    __syncthreads();
    if (found.waiting) return;
    if (thread == 0) moves->finished = 0;
    int winner = int(__ldcg(&state->running_best) & ((1 << ANT_BITS) - 1));
    if (winner < first_ant) return;
    const int* best = row_of(built, (winner - first_ant) % gridDim.x, n);
    int* built_tour = row_of(built_tours, row, n);
    for (int i = thread; i < n; i += threads) built_tour[i] = __ldcg(&best[i]);
}

// Before tours are improved: forgets what the construction reported, sets the numbers of moves to
// 0, and links the cities of the best tour.
INLINE void prepare(const PrepareSearch& arguments) {
    const auto& [n, best_tour, links, moves, state] = arguments;
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (state->iteration > 0) {
        for (int i = thread; i < n; i += gridDim.x * blockDim.x)
            links[best_tour[i]] =
                make_int2(best_tour[i > 0 ? i - 1 : n - 1], best_tour[i + 1 < n ? i + 1 : 0]);
    }
    if (thread > 0) return;
    int row = int(state->iteration & 1);
    state->running_best = ~0ull;
    state->running_sum = 0;
    moves->exchanges[row] = moves->segments[row] = 0;
}

__global__ void prepare_search(const PrepareSearch arguments) { prepare(arguments); }

// The same, and the lengths of the tours; a warp an ant.
__global__ void measure_tours(const MeasureTours arguments) {
    const auto& [search, geometry, ants, tours, lengths] = arguments;
    const int n = geometry.n;
    int lane = threadIdx.x % LANES, warps = blockDim.x / LANES;
    int first = blockIdx.x * warps + threadIdx.x / LANES;
    for (int ant = first; ant < ants; ant += gridDim.x * warps) {
        Word length = tour_length(geometry, row_of(tours, ant, n), lane);
        if (lane == 0) lengths[ant] = length;
    }
    prepare(search);
}
