// The ants of Focused ACO: each leaves the source for a few edges, and improves what that gives.
// A warp an ant. Its tour stays a list of slices of the source; the next source is made of it.
#include "counts.cuh"
#include "kernels.py"
#include "two_opt.cuh"

struct alignas(16) Desk {
    SliceTable table;
    Run runs[MOST_RUNS];
    Waiting ring[MOST_WAITING];
};

// How many new edges the ant makes beyond the fewest; see gpu/faco/cpu/bandit.py.
INLINE int arm_of(const float* shares, int arms, Seed seed, unsigned ant, unsigned iteration) {
    int arm = 0;
    if (arms > 1) {
        float left = share_of(philox(seed, 0, ant, iteration, EDGES).x);
        while (arm < arms - 1 && left >= shares[arm]) left -= shares[arm++];
    }
    return arm;
}

// Writes a tour's slices behind its plan. All lanes of the warp call this.
INLINE void keep(int4* row, const AntTour& tour, const Offsets& offsets, bool mirrored) {
    if (tour.lane == 0) row[0] = make_int4(tour.count, offsets.origin, offsets.direction, mirrored);
    for (int i = tour.lane; i < tour.count; i += LANES) {
        const Slice& slice = tour.at(i);
        row[1 + i] = make_int4(slice.first, slice.more, slice.turned, slice.start);
    }
}

// How much longer a tour is than the source, in every lane. All lanes of the warp call this.
template <int METRIC>
INLINE long long longer(const Source<METRIC>& source, const AntTour& tour, const Offsets& offsets) {
    auto site = [&](int offset) { return source.site_at(offsets.place(offset)); };
    long long sum = 0;
    for (int i = tour.lane; i < tour.count; i += LANES) {
        const Slice& slice = tour.at(i);
        int entered = tour.at(i + 1 < tour.count ? i + 1 : 0).entry();
        sum += source.away(site(slice.exit()), site(entered));
        sum -= source.away(site(slice.last()), site(wrapped(slice.last() + 1, tour.n)));
    }
    return static_cast<long long>(warp_sum(static_cast<Word>(sum)));
}

template <int METRIC>
__global__ void __launch_bounds__(LANES) build_tours(const BuildTours arguments) {
    const BuildTours& all = arguments;
    __shared__ Desk desk;
    int lane = threadIdx.x, ant = blockIdx.x, n = all.followed.n;
    Word iteration = all.state->iteration;
    Source<METRIC> source(all.followed, all.geometry, iteration);
    int arm = arm_of(all.shares, all.arms, all.seed, ant, unsigned(iteration));
    WalkLists lists{all.width, all.rows, all.backups, all.backup};
    Walk<METRIC> walk{source, lists, Draws{all.seed, unsigned(ant), unsigned(iteration)}, desk.runs,
                      lane};
    walk.run(all.fewest_edges + arm);

    bool backward = walk.second != NOWHERE && walk.second == wrapped(walk.origin - 1, n);
    Offsets offsets{n, walk.origin, backward ? -1 : 1};
    AntTour tour{&desk.table, n, lane};
    tour.count = lay_out(desk.runs, walk.count, offsets, desk.table.slices[0], lane);
    keep(row_of(all.built, ant, MOST_BUILT), tour, offsets, backward);
    Queue queue{desk.ring, lane};
    let_ends_wait(source, tour, walk.count, offsets, queue);
    NearLists near{all.near_width, all.near, all.near_lengths};
    TwoOpt<METRIC> search{source, near, offsets, tour, queue, all.room, backward};
    search.run();

    keep(row_of(all.plans, ant, MOST_KEPT), tour, offsets, search.mirrored);
    Word length = static_cast<Word>(all.source_length[0] + longer(source, tour, offsets));
    report_tours(all.state, length << ANT_BITS | unsigned(ant), length, lane);
    if (lane != 0) return;
    all.lengths[2 * ant] = static_cast<long long>(length);
    all.lengths[2 * ant + 1] = arm;
    atomicAdd(&all.counts[MOVES_NOW], static_cast<Word>(search.moves));
    if (search.crowded) atomicAdd(&all.counts[CROWDED], 1ull);
}
