// ACS-GPU-Alt and ACS-GPU-SPM (2016): each warp keeps its best tour.
#include "tours.cuh"
