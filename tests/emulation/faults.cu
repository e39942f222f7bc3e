// Kernels with planted faults, each of which the emulation must find.

__global__ void writes_past_the_end(int* out) { out[threadIdx.x + 1] = 0; }

__global__ void leaves_shared(int* out) {
    __shared__ int cells[32];
    cells[threadIdx.x + 1] = 1;
    __syncthreads();
    out[threadIdx.x] = cells[threadIdx.x];
}

__global__ void overflows(int* out) { out[threadIdx.x] = out[threadIdx.x] + 0x7fffffff; }

__global__ void one_lane_missing(int* out) {
    if (threadIdx.x != 3) __syncwarp();
    out[threadIdx.x] = __syncthreads_count(1);
}

__global__ void different_masks(int* out) {
    const unsigned mask = threadIdx.x < 16 ? 0xffffffffu : 0xffff0001u;
    out[threadIdx.x] = __any_sync(mask, 1);
}

// Lane 0 writes what all read; without __syncwarp() nothing says that it goes first.
template <bool synchronized>
__global__ void handed_over(int* out) {
    __shared__ int cell;
    if (threadIdx.x == 0) cell = 42;
    if (synchronized) __syncwarp();
    out[threadIdx.x] = cell;
}
