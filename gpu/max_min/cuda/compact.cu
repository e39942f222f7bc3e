// MMAS-RWM-CT (2020): compact tabu, tiling roulette, and a group that shrinks with the cities left.
#include "compact_list.cuh"
#include "gpu/construction/cuda/group_tours.cuh"
