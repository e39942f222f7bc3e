// All threads of a block update one edge at once.
#include "gpu/acs/cuda/trail_matrix.cuh"

template <LocalUpdates UPDATES>
__global__ void update_at_once(float* trails, float keep, float add) {
    TrailMatrix matrix{nullptr, nullptr, nullptr, 0, false};
    LocalUpdate change{keep, add};
    float trail = __ldcg(&trails[0]);
    __syncthreads();
    matrix.renew<UPDATES>(&trails[0], &trails[1], trail, change);
}
