// ST-GROUP-STC-TR (2017): tour list and tiling roulette.
#include "group_tours.cuh"
#include "tour_list.cuh"
