// ST-GROUP (2017): all cities by number, and parallel prefix sum.
#include "as_group.cuh"
#include "numbered_cities.cuh"
