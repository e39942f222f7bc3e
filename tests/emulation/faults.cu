// Kernels with planted faults, each of which the emulation must find.

__global__ void correct(int* out) { out[threadIdx.x] = threadIdx.x; }

__global__ void writes_past_the_end(int* out) { out[threadIdx.x + 1] = 0; }

__global__ void reads_before_the_start(const int* in, int* out) { out[threadIdx.x] = in[-1]; }

__global__ void leaves_static_shared(int* out, int at) {
    __shared__ int cells[32];
    cells[threadIdx.x + at] = 1;
    __syncthreads();
    out[threadIdx.x] = cells[threadIdx.x];
}

__global__ void leaves_dynamic_shared(int* out, int at) {
    extern __shared__ int cells[];
    cells[threadIdx.x + at] = 1;
    __syncthreads();
    out[threadIdx.x] = cells[threadIdx.x];
}

__global__ void leaves_local(int* out, int at) {
    int cells[4] = {1, 2, 3, 4};
    out[threadIdx.x] = *(cells + at);
}

__global__ void overflows(int* out, int most) { out[threadIdx.x] = most + 1; }

__global__ void shifts_too_far(unsigned* out, int by) { out[threadIdx.x] = 1u << by; }

__global__ void misaligned(const float* in, float* out) {
    const float4 x = *reinterpret_cast<const float4*>(in + 1);
    out[threadIdx.x] = x.y;
}

__global__ void one_lane_missing(int* out) {
    if (threadIdx.x != 3) __syncwarp();
    out[threadIdx.x] = __syncthreads_count(1);
}

__global__ void barrier_against_warp(int* out) {
    if (threadIdx.x < 16) __syncthreads();
    __syncwarp();
    out[threadIdx.x] = 1;
}

__global__ void exited_lane(int* out) {
    if (threadIdx.x == 31) return;
    out[threadIdx.x] = __any_sync(0xffffffffu, 1);
}

__global__ void exit_before_barrier(int* out) {
    if (threadIdx.x == 40) return;
    __syncthreads();
    out[threadIdx.x] = 1;
}

__global__ void retires(int* out, int again) {
    __shared__ int cells[96];
    cells[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x >= 32) {
        emulation_retire();
        if (again && threadIdx.x == 64) __syncthreads();
        return;
    }
    cells[threadIdx.x] = cells[threadIdx.x + 64] + threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = cells[31 - threadIdx.x];
}

__global__ void different_kinds(int* out) {
    if (threadIdx.x & 1)
        out[threadIdx.x] = __ballot_sync(0xffffffffu, 1) != 0;
    else
        out[threadIdx.x] = __shfl_sync(0xffffffffu, 1, 0);
}

__global__ void different_masks(int* out) {
    const unsigned mask = threadIdx.x < 16 ? 0xffffffffu : 0xffff0001u;
    out[threadIdx.x] = __any_sync(mask, 1);
}

__global__ void not_in_the_mask(int* out) { out[threadIdx.x] = __any_sync(0x0000ffffu, 1); }

__global__ void no_such_lane(int* out) { out[threadIdx.x] = __any_sync(0xffffffffu, 1); }

__global__ void shuffle_from_outside(int* out) {
    if (threadIdx.x < 16) out[threadIdx.x] = __shfl_sync(0x0000ffffu, 1, 20);
}

__global__ void endless(volatile int* out) {
    while (*out == 0) {
    }
}

__global__ void grid_barrier(int* out) {
    emulation_grid_barrier();
    out[blockIdx.x] = 1;
}

__global__ void some_blocks_at_grid_barrier(int* out) {
    if (blockIdx.x > 0) emulation_grid_barrier();
    out[blockIdx.x] = 1;
}

__global__ void trap(int* out) {
    out[threadIdx.x] = 1;
    __trap();
}

// Lane 0 writes what all read; without __syncwarp() nothing says that it goes first.
template <bool synchronized>
__global__ void handed_over(int* out) {
    __shared__ int cell;
    if (threadIdx.x == 0) cell = 42;
    if (synchronized) __syncwarp();
    out[threadIdx.x] = cell;
}

// A tabu word that each lane changes in its turn, read by the next without a barrier between.
template <bool synchronized>
__global__ void stepwise(unsigned* out, int steps) {
    __shared__ unsigned tabu;
    if (threadIdx.x == 0) tabu = 0;
    __syncwarp();
    for (int step = 0; step < steps; ++step) {
        if (threadIdx.x == step) tabu |= 1u << step;
        if (synchronized) __syncwarp();
        const unsigned seen = __ballot_sync(0xffffffffu, tabu >> step & 1);
        if (threadIdx.x == 0) out[step] = seen;
        __syncwarp();
    }
}

template <class T>
__global__ void asks_for_active_lanes(T* out) {
    out[threadIdx.x] = __activemask();
}
