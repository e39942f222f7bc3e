// What pictures read of the trails of Ant Colony Systems: a matrix, or a selective memory.
#include "gpu/cuda/kernels/pictures.cuh"
#include "selective_memory.cuh"
#include "trail_matrix.cuh"

// All trails of a city that may differ from the initial level, each to one lane.
struct MatrixTrails {
    static constexpr float BLANK = 1.0f;  // what the picture shows where no trail is visited
    const uint2* rows;
    const float* listed;
    const float* outside;
    int n;

    __device__ explicit MatrixTrails(const PicturedTrails& given)
        : rows(given.rows),
          listed(static_cast<const float*>(given.trails)),
          outside(static_cast<const float*>(given.more_trails)),
          n(given.n) {}

    __device__ float to_candidate(int city, int, int lane) const {
        return __ldcg(&listed[static_cast<long long>(city) * LANES + lane]);
    }

    // One trail, as a single thread finds it.
    INLINE float between(int city, int other) const {
        for (int rank = 0; rank < LANES; ++rank) {
            int candidate = Candidate{rows[static_cast<long long>(city) * LANES + rank]}.city();
            if (candidate == city) break;  // the list ends
            if (candidate == other) return to_candidate(city, other, rank);
        }
        return __ldcg(&outside[static_cast<long long>(city) * n + other]);
    }

    template <class Visitor>
    INLINE void each_trail(int city, int lane, Visitor visit) const {
        long long place = static_cast<long long>(city) * LANES + lane;
        int candidate = Candidate{rows[place]}.city();
        if (candidate != city) visit(candidate, __ldcg(&listed[place]));
        for (int other = lane; other < n; other += LANES)
            visit(other, __ldcg(&outside[static_cast<long long>(city) * n + other]));
    }

    // Both directions of an edge have a trail, so the map draws only one of them.
    INLINE bool draws(int city, int other, bool directed) const { return directed || city < other; }
};

template <int CAPACITY>
struct MemoryTrails {
    static constexpr float BLANK = 1.0f;
    SelectiveMemory<CAPACITY> memory;

    __device__ explicit MemoryTrails(const PicturedTrails& given)
        : memory{static_cast<Record*>(const_cast<void*>(given.trails)), nullptr,
                 given.memory_size} {}

    __device__ float to_candidate(int city, int candidate, int) const {
        return memory.read(city).trail_to(candidate);
    }

    // One trail, as a single thread finds it.
    INLINE float between(int city, int other) const {
        for (int slot = 0; slot < memory.size; ++slot) {
            Record record = __ldcg(&memory.records[static_cast<long long>(city) * CAPACITY + slot]);
            if (record_city(record) == unsigned(other)) return record_trail(record);
        }
        return BLANK;
    }

    template <class Visitor>
    INLINE void each_trail(int city, int lane, Visitor visit) const {
        if (lane >= memory.size) return;
        Record record = __ldcg(&memory.records[static_cast<long long>(city) * CAPACITY + lane]);
        if (record_city(record) != NOBODY) visit(record_city(record), record_trail(record));
    }

    // If the other city has forgotten the edge, the map draws this direction.
    INLINE bool draws(int city, int other, bool directed) const {
        if (directed || city < other) return true;
        for (int slot = 0; slot < memory.size; ++slot)
            if (record_city(__ldcg(
                    &memory.records[static_cast<long long>(other) * CAPACITY + slot])) == city)
                return false;
        return true;
    }
};
