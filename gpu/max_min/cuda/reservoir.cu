// MMAS-WRS-LC and -CT (2020): weighted reservoir sampling over the unvisited cities of a list. A
// block is an ant.
#include "gpu/construction/cuda/tours.cuh"
#include "kernels.py"
#include "numbered_rows.cuh"
#include "reservoir.cuh"

// LC and CT: lanes look at unvisited cities that stand side by side on the list.
template <class List>
struct Listed {
    static constexpr int AT_ONCE = LIST_PADDING / LANES;
    List list;

    INLINE Listed(void* shared, int* tour, int n) : list(shared, nullptr, tour, n) {}

    INLINE void begin(int start) const { list.begin(start, AT_ONCE * LANES); }

    template <class Row>
    INLINE void sample(Search& search, const Group<>& group, const typename Row::Stored* row,
                       int step) const {
        int places = AT_ONCE * LANES, all = group.warps * places;
        for (int first = step + group.warp * places; first < list.n; first += all) {
            Some<Row> some(list, row, first + group.lane);
            if (search.limit.scale == 0.0f) search.estimate(some);
            search.look(some, first + all >= list.n);
        }
    }

    // Called by all threads; one of them sampled the city that won.
    INLINE void take(const Sample& own, int city, int step) const {
        if (own.city == city) list.take(own.place, city, step);
    }

  private:
    // Cities of a lane, every 32nd from `first` on; beyond the end the list has one of weight 0.
    template <class Row>
    struct Some {
        static constexpr int COUNT = AT_ONCE;
        const List& list;
        const typename Row::Stored* row;
        int first;
        int cities[AT_ONCE];
        float weights[AT_ONCE];

        INLINE Some(const List& list_, const typename Row::Stored* row_, int first_)
            : list(list_), row(row_), first(first_) {
            UNROLL for (int i = 0; i < COUNT; ++i) cities[i] = city(i);
            UNROLL for (int i = 0; i < COUNT; ++i) weights[i] = Row::at(row, cities[i]);
        }

        INLINE unsigned word(const OwnWords& words, int i) const { return words.of(cities[i]); }
        INLINE float weight(int i) const { return weights[i]; }
        INLINE float roughly(int i) const { return weights[i]; }
        INLINE float again(int i) const { return Row::at(row, city(i)); }
        INLINE int city(int i) const { return list.city(place(i)); }
        INLINE int place(int i) const { return first + i * LANES; }
    };
};

template <class List, class Row>
__global__ void __launch_bounds__(MOST_WARPS* LANES, 1) build_tours_by_reservoir(
    const BuildToursByRows arguments) {
    const auto [construction, weights, columns] = arguments;
    const auto [first_ant, end_ant, seed, geometry, tours, lengths, state] = construction;
    const int n = geometry.n;
    extern __shared__ uint4 shared[];
    __shared__ GroupMemory memory;
    int lane = threadIdx.x % LANES, ant = first_ant + blockIdx.x;
    int warp = __shfl_sync(ALL_LANES, threadIdx.x / LANES, 0);  // known to be the same in all lanes
    Group<> group{memory, int(blockDim.x) / LANES, warp, lane};
    Draws draws{seed, unsigned(ant), unsigned(state->iteration)};
    const typename Row::Stored* rows = static_cast<const typename Row::Stored*>(weights);
    int* tour = row_of(tours, ant, n);
    Listed<List> tabu(shared, tour, n);
    int city = draws.start(n), step = 1, kept = city;  // the last cities, one a lane
    GrowingTour grown{geometry, city, city};
    tabu.begin(city);
    group.meet();
    while (step < n) {
        OwnWords keys(draws, (step & -LANES) + lane, RESERVOIR);  // of 32 steps, one a lane
        int pause = min(n, (step | (LANES - 1)) + 1);
        for (; step < pause; ++step) {
            const typename Row::Stored* row =
                rows + static_cast<unsigned long long>(unsigned(city)) * unsigned(columns);
            Search search(OwnWords(keys, step & (LANES - 1)), group.warps == 1);
            tabu.template sample<Row>(search, group, held_pointer(row), step);
            city = search.winner(group);
            tabu.take(search.best, city, step);
            if (lane == (step & (LANES - 1))) kept = city;
            group.meet();
        }
        if (warp == 0) {
            int first = (step - 1) & -LANES;
            if (first + lane < step) tour[first + lane] = kept;
            grown.add(kept, first, step, lane);
        }
    }
    if (warp == 0) grown.report(state, ant, lengths, lane);
}
