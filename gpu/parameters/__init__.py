"""Parameters of every colony: the mechanism, and a file a family."""

from gpu.parameters.acs import AcsParameters, SpmParameters
from gpu.parameters.ant_system import (
    AsCpuParameters,
    AsCudaParameters,
    AsGroupParameters,
    AsLaunchesParameters,
    AsParameters,
)
from gpu.parameters.coloring import (
    ColoringCpuParameters,
    ColoringParameters,
    ColoringTabuParameters,
    ColoringTrialsParameters,
)
from gpu.parameters.explanation import Explanation, choice, parameter
from gpu.parameters.max_min import (
    HALF,
    MmasCpuParameters,
    MmasCudaParameters,
    MmasGroupParameters,
    MmasListParameters,
    MmasParameters,
)
from gpu.parameters.parameters import Parameters
from gpu.parameters.seed import SEEDS, checked_seed
from gpu.parameters.shared import LOCAL_SEARCHES, NO_LOCAL_SEARCH, CpuParameters

__all__ = [
    "HALF",
    "LOCAL_SEARCHES",
    "NO_LOCAL_SEARCH",
    "SEEDS",
    "AcsParameters",
    "AsCpuParameters",
    "AsCudaParameters",
    "AsGroupParameters",
    "AsLaunchesParameters",
    "AsParameters",
    "ColoringCpuParameters",
    "ColoringParameters",
    "ColoringTabuParameters",
    "ColoringTrialsParameters",
    "CpuParameters",
    "Explanation",
    "MmasCpuParameters",
    "MmasCudaParameters",
    "MmasGroupParameters",
    "MmasListParameters",
    "MmasParameters",
    "Parameters",
    "SpmParameters",
    "checked_seed",
    "choice",
    "parameter",
]
