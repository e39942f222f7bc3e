// ACO-RLF with prefix sums: the wheel is turned at every step.
#include "construct.cuh"
