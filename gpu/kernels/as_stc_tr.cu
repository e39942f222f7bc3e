// ST-GROUP-STC-TR (2017): tour list and tiling roulette.
#include "as_group.cuh"
#include "tour_list.cuh"
