// ACS-GPU-Alt and ACS-GPU-SPM (2016) with local search: all tours are kept.
#include "tours.cuh"
