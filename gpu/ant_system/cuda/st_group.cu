// ST-GROUP (2017): all cities by number, and parallel prefix sum.
#include "gpu/construction/cuda/group_tours.cuh"
#include "numbered_cities.cuh"
