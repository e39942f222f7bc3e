// ST-DYNAMIC (2017): tour list, tiling roulette, and a group that shrinks with the cities left.
#include "group_tours.cuh"
#include "tour_list.cuh"
