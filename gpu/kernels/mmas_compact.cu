// MMAS-RWM-CT (2020): compact tabu, tiling roulette, and a group that shrinks with the cities left.
#include "as_group.cuh"
#include "compact_list.cuh"
#include "tour_list.cuh"
