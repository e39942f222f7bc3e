// Which changes of its ants a tour takes: those that fit together. That depends on gains and the
// ants' numbers alone, not on the order in which threads run. tours.cu makes these changes.
#include "changes.cuh"
#include "gpu/cuda/kernels/group.cuh"
#include "kernels.py"

constexpr int MOST_TANGLED = 512;  // of a tour's changes that are compared with each other
constexpr int NOWHERE = -1;

// How far along the tour a way from one end of a piece leads, and where to.
struct Way {
    int next;         // the end at which the next piece is entered, or NOWHERE
    unsigned cities;  // up to there
};
static_assert(4 * sizeof(Way) + sizeof(int) == PIECE_BYTES, "of both ends, twice, and its end");

// Whether a place lies in the gap behind window `number`.
template <int MOST>
INLINE bool in_gap(const ChangeOf<MOST>& change, int number, int place) {
    int low = change.window[number].y;
    int high = change.window[number + 1 < change.windows ? number + 1 : 0].x;
    return low < high ? place > low && place <= high : place > low || place <= high;
}

// Whether all windows of `other` lie in one gap of `change`.
template <int MOST>
INLINE bool apart(const ChangeOf<MOST>& change, const ChangeOf<MOST>& other) {
    if (change.windows == 1) return true;  // and they do not overlap
    int common = NOWHERE;
    for (int i = 0; i < other.windows; ++i) {
        int gap = NOWHERE;
        for (int j = 0; j < change.windows; ++j)
            if (in_gap(change, j, other.window[i].x)) gap = j;
        if (gap == NOWHERE || (common != NOWHERE && gap != common)) return false;
        common = gap;
    }
    return true;
}

// The changes of one tour that are made together: numbers of ants, ascending.
struct Winners {
    int* ants;  // shared
    int count;
};

// Those ants whose claims nobody else holds. Counts those that claim anything.
template <int MOST>
INLINE Winners owners(const ChangeOf<MOST>* changes, const unsigned long long* claims, int ants,
                      int n, int* list, unsigned char* held, int& claiming,
                      const Numbering& numbering) {
    int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES, total;
    for (int ant = warp; ant < ants; ant += blockDim.x / LANES) {
        const ChangeOf<MOST>& change = changes[ant];
        bool own = change.links > 0;
        for (int i = 0; own && i < change.windows; ++i) {
            unsigned long long claim = claim_of(change.rank, ant);
            bool mine = true;
            each_claim(change.window[i], n, lane,
                       [&](int block) { mine = mine && claims[block] == claim; });
            own = __all_sync(ALL_LANES, mine);
        }
        if (lane == 0) held[ant] = own;
    }
    __syncthreads();
    int count = 0;
    for (int first = 0; first < ants; first += blockDim.x) {
        int ant = first + threadIdx.x;
        bool own = ant < ants && held[ant];
        claiming += __syncthreads_count(ant < ants && changes[ant].links > 0);
        int place = count + numbering.before(own, total);
        if (own) list[place] = ant;
        count += total;
    }
    __syncthreads();
    return {list, count};
}

// Lists the winners for which `stay` holds.
template <class Condition>
INLINE void keep(Winners& winners, const Numbering& numbering, Condition stay) {
    int count = 0, total;
    for (int first = 0; first < winners.count; first += blockDim.x) {
        int i = first + threadIdx.x, ant = i < winners.count ? winners.ants[i] : 0;
        bool stays = i < winners.count && stay(i, ant);
        int place = count + numbering.before(stays, total);  // all have read before one writes
        if (stays) winners.ants[place] = ant;
        count += total;
    }
    __syncthreads();
    winners.count = count;
}

// Of two tangled changes that cross, the one with the lower claim goes. Only so many are compared;
// further ones go.
template <int MOST>
INLINE void untangle(Winners& winners, const ChangeOf<MOST>* changes, int* tangled,
                     unsigned char* lost, const Numbering& numbering) {
    int found = 0, total;
    for (int first = 0; first < winners.count; first += blockDim.x) {
        int i = first + threadIdx.x;
        bool is = i < winners.count && changes[winners.ants[i]].tangled;
        int place = found + numbering.before(is, total);
        if (i < winners.count) lost[i] = is && place >= MOST_TANGLED;
        if (is && place < MOST_TANGLED) tangled[place] = i;
        found += total;
    }
    __syncthreads();
    found = min(found, MOST_TANGLED);
    for (int pair = threadIdx.x; pair < found * found; pair += blockDim.x) {
        int one = tangled[pair / found], other = tangled[pair % found];
        const ChangeOf<MOST>& high = changes[winners.ants[one]];
        const ChangeOf<MOST>& low = changes[winners.ants[other]];
        if (claim_of(high.rank, winners.ants[one]) > claim_of(low.rank, winners.ants[other]) &&
            !apart(high, low))
            lost[other] = 1;
    }
    __syncthreads();
    keep(winners, numbering, [&](int i, int) { return !lost[i]; });
}

// The tour's pieces between cuts, and the cuts as a set of places.
struct Pieces {
    unsigned* cuts;  // a bit a place: a piece ends there
    int* before;     // cuts before each word
    int* ends;       // the last place of each piece; shared
    int count;

    INLINE int of(int place) const {
        return before[place / 32] + __popc(cuts[place / 32] & ((1u << place % 32) - 1));
    }

    INLINE void set(int place) const { atomicOr(&cuts[place / 32], 1u << place % 32); }

    INLINE int first(int piece) const { return piece ? ends[piece - 1] + 1 : 0; }
};

// Cuts the source where the winners do.
template <int MOST>
INLINE void cut(Pieces& pieces, const Winners& winners, const ChangeOf<MOST>* changes, int n,
                const Numbering& numbering) {
    int words = (n + 31) / 32, lane = threadIdx.x % LANES, warp = threadIdx.x / LANES, total;
    for (int i = threadIdx.x; i < words; i += blockDim.x) pieces.cuts[i] = 0;
    __syncthreads();
    for (int i = warp; i < winners.count; i += blockDim.x / LANES) {
        const ChangeOf<MOST>& change = changes[winners.ants[i]];
        for (int link = lane; link < change.links; link += LANES) {
            int ends[2] = {change.link[link].x, change.link[link].y};
            for (int end : ends) {
                int place = end >> 1;
                pieces.set(end & 1 ? place : place > 0 ? place - 1 : n - 1);
            }
        }
    }
    if (threadIdx.x == 0) pieces.set(n - 1);
    __syncthreads();
    int each = (words + blockDim.x - 1) / blockDim.x, begin = threadIdx.x * each, sum = 0;
    int end = min(begin + each, words);
    for (int i = begin; i < end; ++i) sum += __popc(pieces.cuts[i]);
    int number = numbering.before(sum, total);
    for (int i = begin; i < end; ++i) {
        pieces.before[i] = number;
        for (unsigned bits = pieces.cuts[i]; bits; bits &= bits - 1)
            pieces.ends[number++] = 32 * i + __ffs(bits) - 1;
    }
    pieces.count = total;
    __syncthreads();
}

// Follows the tour from its first piece. End 2 i is the first city of piece i, 2 i + 1 its last;
// the way of an end is that of who enters the piece there. Returns the ways from all ends.
template <int MOST>
INLINE const Way* follow(const Pieces& pieces, const Winners& winners,
                         const ChangeOf<MOST>* changes, Way* ways, Way* others, int* links) {
    int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES, ends = 2 * pieces.count;
    if (threadIdx.x == 0) {
        links[ends - 1] = 0;
        links[0] = ends - 1;
    }
    __syncthreads();
    for (int i = warp; i < winners.count; i += blockDim.x / LANES) {
        const ChangeOf<MOST>& change = changes[winners.ants[i]];
        for (int i = lane; i < change.links; i += LANES) {
            int2 link = change.link[i];
            int one = 2 * pieces.of(link.x >> 1) + (link.x & 1);
            int other = 2 * pieces.of(link.y >> 1) + (link.y & 1);
            links[one] = other;
            links[other] = one;
        }
    }
    __syncthreads();
    for (int end = threadIdx.x; end < ends; end += blockDim.x) {
        int next = links[end ^ 1], piece = end / 2;
        unsigned cities = unsigned(pieces.ends[piece] - pieces.first(piece) + 1);
        ways[end] = {next == 0 ? NOWHERE : next, cities};
    }
    __syncthreads();
    for (int reach = 1; reach < ends; reach *= 2) {  // all ways become twice as long
        for (int end = threadIdx.x; end < ends; end += blockDim.x) {
            Way way = ways[end];
            if (way.next != NOWHERE) {
                Way further = ways[way.next];
                way = {further.next, way.cities + further.cities};
            }
            others[end] = way;
        }
        __syncthreads();
        Way* swapped = ways;
        ways = others;
        others = swapped;
    }
    return ways;
}

// Chooses the changes of a tour, and finds out where they bring its pieces. Those that are not made
// have no links then. A block a tour.
template <int MOST>
__global__ void __launch_bounds__(MERGERS, 1) merge_changes(const MergeChanges arguments) {
    const auto [n, ants, most, all_changes, all_locks, all_cuts, all_before, all_pieces, lengths,
                wins] = arguments;
    extern __shared__ uint4 memory[];
    __shared__ int sums[LANES + 1];
    __shared__ int tangled[MOST_TANGLED];
    __shared__ unsigned long long gained;
    static_assert(sizeof(sums) + sizeof(tangled) + sizeof(gained) <= MERGER_STATIC,
                  "as the host counts it");
    int tour = blockIdx.x, words = (n + 31) / 32, total;
    Way* ways = reinterpret_cast<Way*>(memory);                            // (2 most)
    Way* others = ways + 2 * most;                                         // (2 most)
    int* ends = reinterpret_cast<int*>(others + 2 * most);                 // (most)
    int* list = ends + most;                                               // (ants)
    unsigned char* flags = reinterpret_cast<unsigned char*>(list + ants);  // (ants)
    auto changes = row_of(static_cast<ChangeOf<MOST>*>(all_changes), tour, ants);
    int4* out = row_of(all_pieces, tour, most);
    Numbering numbering{sums};
    if (threadIdx.x == 0) gained = 0;

    int won = 0;
    Winners winners = owners(changes, row_of(all_locks, tour, claims_of(n)), ants, n, list, flags,
                             won, numbering);
    untangle(winners, changes, tangled, flags, numbering);
    int room = most - 1, used = 0, fit = 0;
    for (int first = 0; first < winners.count; first += blockDim.x) {
        int i = first + threadIdx.x;
        int links = i < winners.count ? changes[winners.ants[i]].links : 0;
        int upto = used + numbering.before(links, total) + links;
        fit += __syncthreads_count(i < winners.count && upto <= room);
        used += total;
    }
    winners.count = fit;  // links add up: those that fit are the first ones

    Pieces pieces{row_of(all_cuts, tour, words), row_of(all_before, tour, words), ends, 0};
    cut(pieces, winners, changes, n, numbering);
    for (int i = threadIdx.x; i < winners.count; i += blockDim.x)
        atomicAdd(&gained, static_cast<unsigned long long>(changes[winners.ants[i]].gain));
    const Way* found =
        follow(pieces, winners, changes, ways, others, reinterpret_cast<int*>(others));
    bool whole = found[0].next == NOWHERE && found[0].cities == unsigned(n);
    for (int piece = threadIdx.x; piece < pieces.count; piece += blockDim.x) {
        int first = pieces.first(piece), last = ends[piece];
        bool turned = whole && found[2 * piece].next != NOWHERE;
        int to = whole ? n - int(found[2 * piece + turned].cities) : first;
        out[piece] = make_int4(first, last, to, turned);
    }
    for (int ant = threadIdx.x; ant < ants; ant += blockDim.x) flags[ant] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < winners.count; i += blockDim.x) flags[winners.ants[i]] = whole;
    __syncthreads();
    for (int ant = threadIdx.x; ant < ants; ant += blockDim.x)
        if (!flags[ant]) changes[ant].links = 0;
    if (threadIdx.x != 0) return;
    atomicAdd(wins, static_cast<unsigned long long>(won));
    if (!whole) return;
    lengths[tour] -= static_cast<long long>(gained);
    atomicAdd(wins + 1, static_cast<unsigned long long>(winners.count));
}
