// ST-GROUP-STC (2017): tour list and parallel prefix sum.
#include "as_group.cuh"
#include "tour_list.cuh"
