// Kernels that try the stand-in for CUDA itself.

template <int scale>
__global__ void __launch_bounds__(128) scaled_sums(const float* __restrict__ in, float* out, int n) {
    __shared__ float partial[4];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = i < n ? scale * in[i] : 0.0f;
    for (int d = 16; d > 0; d >>= 1) x += __shfl_down_sync(0xffffffffu, x, d);
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = x;
    __syncthreads();
    if (threadIdx.x == 0) {
        float sum = 0.0f;
        for (int w = 0; w < blockDim.x / 32; ++w) sum += partial[w];
        out[blockIdx.x] = sum;
    }
}

__global__ void many_collectives(unsigned* out, int count) {
    unsigned x = threadIdx.x;
    for (int i = 0; i < count; ++i) x += __shfl_xor_sync(0xffffffffu, x, 1 + (i & 15));
    out[blockIdx.x * 32 + threadIdx.x] = x;
}
