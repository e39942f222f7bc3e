// One small kernel for each thing that the stand-in for CUDA provides.

__global__ void dimensions(unsigned* out) {
    const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    out[block * (blockDim.x * blockDim.y * blockDim.z) + thread] = block * 1000 + thread;
}

template <class T>
__global__ void shuffles(const T* in, T* out, int argument, int width) {
    const unsigned lane = threadIdx.x;
    const T x = in[lane];
    out[lane] = __shfl_sync(0xffffffffu, x, argument, width);
    out[32 + lane] = __shfl_up_sync(0xffffffffu, x, argument, width);
    out[64 + lane] = __shfl_down_sync(0xffffffffu, x, argument, width);
    out[96 + lane] = __shfl_xor_sync(0xffffffffu, x, argument, width);
}

__global__ void votes(const int* in, unsigned* out) {
    const unsigned lane = threadIdx.x;
    const int x = in[lane];
    int equal = 7;
    out[lane] = __ballot_sync(0xffffffffu, x > 2);
    out[32 + lane] = __any_sync(0xffffffffu, x > 2);
    out[64 + lane] = __all_sync(0xffffffffu, x > 2);
    out[96 + lane] = __match_any_sync(0xffffffffu, x);
    out[128 + lane] = __match_all_sync(0xffffffffu, x, &equal);
    out[160 + lane] = equal;
}

__global__ void half_warps(const int* in, int* out) {
    const unsigned lane = threadIdx.x;
    const unsigned mask = lane < 16 ? 0x0000ffffu : 0xffff0000u;
    int x = in[lane];
    if (lane < 16) {
        for (int d = 8; d > 0; d >>= 1) x += __shfl_xor_sync(mask, x, d);
    } else {
        for (int d = 8; d > 0; d >>= 1) x = max(x, __shfl_xor_sync(mask, x, d));
    }
    __syncwarp();
    out[lane] = x;
}

template <class T>
__global__ void reductions(const T* in, T* out) {
    const T x = in[threadIdx.x];
    const T highest = __reduce_max_sync(0xffffffffu, x);
    const T lowest = __reduce_min_sync(0xffffffffu, x);
    const T sum = __reduce_add_sync(0xffffffffu, x);
    if (threadIdx.x == 5) {
        out[0] = highest;
        out[1] = lowest;
        out[2] = sum;
    }
}

__global__ void bit_reductions(const unsigned* in, unsigned* out) {
    const unsigned x = in[threadIdx.x];
    const unsigned all = __reduce_and_sync(0xffffffffu, x);
    const unsigned any = __reduce_or_sync(0xffffffffu, x);
    const unsigned odd = __reduce_xor_sync(0xffffffffu, x);
    if (threadIdx.x == 0) {
        out[0] = all;
        out[1] = any;
        out[2] = odd;
    }
}

__global__ void barriers(const int* in, int* out) {
    const unsigned i = threadIdx.x;
    out[i] = __syncthreads_count(in[i] > 0);
    out[blockDim.x + i] = __syncthreads_or(in[i] > 1);
    out[2 * blockDim.x + i] = __syncthreads_and(in[i] >= 0);
}

__global__ void integers(const unsigned* in, unsigned* out) {
    const unsigned i = threadIdx.x, x = in[i];
    const unsigned long long wide = static_cast<unsigned long long>(x) << 20 | 5u;
    unsigned* row = out + 16 * i;
    row[0] = __popc(x);
    row[1] = __ffs(static_cast<int>(x));
    row[2] = __clz(static_cast<int>(x));
    row[3] = __brev(x);
    row[4] = __umulhi(x, 0xD2511F53u);
    row[5] = __popcll(wide);
    row[6] = __ffsll(static_cast<long long>(wide << 7));
    row[7] = __clzll(static_cast<long long>(wide));
    row[8] = static_cast<unsigned>(__umul64hi(wide << 11, wide << 12));
    row[9] = __funnelshift_l(x, ~x, 9);
    row[10] = __funnelshift_r(x, ~x, 9);
    row[11] = min(x, 1000u);
    row[12] = max(x, 1000u);
    row[13] = __byte_perm(x, ~x, 0x5140u);
    row[14] = static_cast<unsigned>(__brevll(wide) >> 13);
    row[15] = __fns(x, 0, 3);
}

__global__ void floats(const float* in, float* out, int n) {
    const int i = threadIdx.x;
    const float x = in[i], y = in[n - 1 - i];
    float* row = out + 12 * i;
    row[0] = __fadd_rn(x, y);
    row[1] = __fsub_rn(x, y);
    row[2] = __fmul_rn(x, y);
    row[3] = __fdiv_rn(x, y);
    row[4] = __fsqrt_rn(fabsf(x));
    row[5] = __fmaf_rn(x, y, 1.0f);
    row[6] = __fadd_rn(__fmul_rn(x, y), 1.0f);
    row[7] = fminf(x, y);
    row[8] = max(x, y);
    row[9] = __uint_as_float(__float_as_uint(x) ^ 1u);
    row[10] = static_cast<float>(__float2int_rn(x));
    row[11] = rsqrtf(fabsf(x));
}

__global__ void flushed(const float* in, float* out) { out[threadIdx.x] = in[threadIdx.x] * 0.5f; }

__global__ void hinted_copies(const uint4* in, uint4* out, float2* pairs) {
    const unsigned i = threadIdx.x;
    uint4 x = __ldg(in + i);
    x.y = __ldcg(&in[i].y) + 1;
    x.z = __ldcv(&in[i].z);
    __stcg(out + i, x);
    __stwt(pairs + i, make_float2(x.x, x.w));
}

template <class T>
__global__ void atomics(T* cells, T* old) {
    const T i = threadIdx.x;
    old[threadIdx.x] = atomicAdd(cells + 0, static_cast<T>(1));
    atomicMin(cells + 1, i);
    atomicMax(cells + 2, i);
    atomicExch(cells + 3, i);
    if constexpr (!__is_same(T, float)) {
        atomicCAS(cells + 4, static_cast<T>(7), static_cast<T>(100) + i);
        atomicOr(cells + 5, i);
        atomicAnd(cells + 6, ~i);
        atomicXor(cells + 7, i);
    }
}

__global__ void wrapping(unsigned* cells) {
    atomicInc(cells, 9u);
    atomicDec(cells + 1, 9u);
    atomicSub(cells + 2, 2u);
}

__global__ void float_atomics(float* sum, int* by_swap) {
    atomicAdd(sum, 0.25f);
    int seen = *by_swap, expected;
    do {
        expected = seen;
        const float more = __int_as_float(expected) + 1.0f;
        seen = atomicCAS(by_swap, expected, __float_as_int(more));
    } while (seen != expected);
}

// How often the swap above has to be tried again: other threads must be able to come between.
__global__ void contended_swaps(int* cell, int* retries) {
    int seen = *cell, expected, tries = 0;
    do {
        expected = seen;
        seen = atomicCAS(cell, expected, expected + 1);
        ++tries;
    } while (seen != expected);
    atomicAdd(retries, tries - 1);
}

template <int n>
__global__ void fresh_shared(unsigned* out) {
    __shared__ unsigned fixed[n];
    extern __shared__ unsigned flexible[];
    if (threadIdx.x == 0) {
        out[2 * blockIdx.x] = fixed[n - 1];
        out[2 * blockIdx.x + 1] = flexible[n - 1];
    }
    __syncthreads();
    fixed[threadIdx.x] = flexible[threadIdx.x] = 42;
}

struct Pair {
    int first, second;
};

// Declarations of shared memory in the forms that kernels use. /* __shared__ int not_this; */
template <class T, int n>
__global__ void shared_forms(T* out, size_t* sizes) {
    __shared__ T table[n][2 * n],
        last;  // over two lines
    __shared__ volatile Pair pair;
    __shared__ __align__(16) unsigned char bytes[n * sizeof(Pair)];
    if (threadIdx.x == 0) {
        for (int i = 0; i < 2 * n * n; ++i) (&table[0][0])[i] = i;
        last = 1000;
        pair.second = 10000;
        reinterpret_cast<Pair*>(bytes)[n - 1].first = 100000;
        sizes[0] = sizeof(table);
        sizes[1] = sizeof(bytes);
        sizes[2] = reinterpret_cast<size_t>(bytes) % 16;
    }
    __syncthreads();
    out[threadIdx.x] = table[threadIdx.x % n][threadIdx.x % (2 * n)] + last + pair.second +
                       reinterpret_cast<Pair*>(bytes)[n - 1].first;
}

// Every block writes its own shared memory, meets the others, and reads it again.
__global__ void grid_rounds(int* cells, int* sums, int rounds) {
    __shared__ int mine;
    extern __shared__ __align__(16) int also_mine[];
    if (threadIdx.x == 0) mine = also_mine[0] = blockIdx.x;
    __syncthreads();
    for (int round = 0; round < rounds; ++round) {
        if (threadIdx.x == 0) cells[blockIdx.x] = round * 10 + mine;
        emulation_grid_barrier();
        if (threadIdx.x == 0) {
            int sum = 0;
            for (int block = 0; block < gridDim.x; ++block) sum += cells[block];
            sums[round * gridDim.x + also_mine[0]] = sum;
        }
        emulation_grid_barrier();
    }
}

__global__ void no_grid_barrier(int* cells, int* sums) {
    cells[blockIdx.x] = 1;
    int sum = 0;
    for (int block = 0; block < gridDim.x; ++block) sum += cells[block];
    sums[blockIdx.x] = sum;
}

// The CUDA way to wait for other blocks, with the yield that the emulation needs.
__global__ void spinning(unsigned* arrived, unsigned* out) {
    atomicAdd(arrived, 1u);
    while (atomicAdd(arrived, 0u) < gridDim.x) __nanosleep(20);
    out[blockIdx.x] = *arrived;
}

struct Mixed {
    float factor;
    int offset;
};

__global__ void arguments(const int* in, int* out, unsigned char small, long long large, float real,
                          double wide, bool flag, Mixed mixed, const int* absent) {
    *out = *in + small + static_cast<int>(large) + static_cast<int>(real + wide) + (flag ? 1 : 0) +
           static_cast<int>(mixed.factor * mixed.offset) + (absent ? 1000 : 0);
}
