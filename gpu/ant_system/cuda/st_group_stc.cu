// ST-GROUP-STC (2017): tour list and parallel prefix sum.
#include "gpu/construction/cuda/group_tours.cuh"
#include "gpu/construction/cuda/tour_list.cuh"
