// ACO-RLF with stochastic trials, and the hybrid method: so many trials, then the wheel.
#include "construct.cuh"
