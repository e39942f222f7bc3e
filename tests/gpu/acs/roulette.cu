// The wheel over candidates alone, a block a spin.
#include "gpu/acs/cuda/choices.cuh"

__global__ void spins(const float* weights, const unsigned* words, int* lanes) {
    int lane = threadIdx.x;
    float weight = weights[blockIdx.x * LANES + lane];
    unsigned top = warp_max(weight_key(weight, weight > 0.0f));
    int drawn = roulette_lane(weight, top, words[blockIdx.x], lane);
    if (lane == 0) lanes[blockIdx.x] = drawn;
}
