"""What the published programs reached on an NVIDIA H100 80GB HBM3, and how that was measured.

These figures were typed in. Whoever measures them anew puts what is not noted into the record.
"""

from __future__ import annotations

from dataclasses import dataclass

_BUILT = "built for sm_90 by CUDA 13.0, with full masks for its warp instructions"
_DEVICE = "NVIDIA H100 80GB HBM3, driver 580"


@dataclass(frozen=True, slots=True)
class Source:
    """How figures came about; what is empty was not noted."""

    program: str
    built: str = _BUILT
    device: str = _DEVICE
    version: str = ""  # the commit of the program
    command: str = ""
    day: str = ""
    runs: str = ""

    @property
    def text(self) -> str:
        """The record as a sentence below a table."""
        noted = {"version": self.version, "command": self.command, "day": self.day}
        noted["number of runs"] = self.runs
        known = [f"{name}: {text}" for name, text in noted.items() if text]
        unknown = [name for name, text in noted.items() if not text]
        said = f"*Published: {self.program}, {self.built}, on {self.device}."
        if known:
            said += f" {'; '.join(known).capitalize()}."
        return f"{said} Not noted: {', '.join(unknown)}.*" if unknown else f"{said}*"


ACS_TIMES = Source("R. Skinderowicz's GPUBasedACS")
ACS_LENGTHS = Source(
    "R. Skinderowicz's GPUBasedACS", f"{_BUILT} and its memory read past the L1 cache", runs="4"
)
MMAS_TIMES = Source("R. Skinderowicz's GPU-based-MMAS")

PUBLISHED = {
    "d198": {"wrs-ct": 0.148, "rwm-lc": 0.274, "wrs-bt-cl": 0.129, "wrs-ct-cl": 0.133},
    "pcb442": {
        **{"wrs-ct": 0.412, "rwm-lc": 0.731},
        **{"wrs-bt-cl": 0.240, "rwm-bt-cl": 0.244, "wrs-ct-cl": 0.255},
    },
    "rat783": {
        **{"wrs-ct": 0.978, "rwm-lc": 1.452},
        **{"wrs-bt-cl": 0.454, "rwm-bt-cl": 0.463, "wrs-ct-cl": 0.481},
    },
    "pr1002": {
        **{"wrs-ct": 1.530, "rwm-lc": 2.086},
        **{"wrs-bt-cl": 0.629, "rwm-bt-cl": 0.647, "wrs-ct-cl": 0.646},
    },
    "pcb1173": {
        **{"wrs-ct": 2.099, "rwm-lc": 2.717},
        **{"wrs-bt-cl": 0.727, "rwm-bt-cl": 0.742, "wrs-ct-cl": 0.755},
    },
    "pr2392": {
        **{"wrs-ct": 14.84, "rwm-lc": 25.09},
        **{"wrs-bt-cl": 1.923, "rwm-bt-cl": 1.880, "wrs-ct-cl": 1.835},
    },
}
"""Construction by the published MAX-MIN program on an H100, in ms, by variant."""

PUBLISHED_ACS = {
    "acs-gpu-alt, 256": {
        **{"d198": 0.224, "pcb442": 0.436, "pr1002": 0.931, "pr2392": 2.277},
        **{"fl417": 0.378, "u1060": 1.099, "dsj1000": 0.999, "u2152": 2.147},
    },
    "acs-gpu-alt, n": {
        **{"d198": 0.272, "a280": 0.357, "lin318": 0.402, "pcb442": 0.543},
        **{"rat783": 0.959, "pr1002": 1.239, "nrw1379": 1.789, "pr2392": 3.379},
    },
    "acs-gpu-spm, 256": {
        **{"d198": 0.407, "pcb442": 0.986, "pr1002": 2.126, "pr2392": 5.007},
        **{"fl417": 0.898, "u1060": 2.331, "dsj1000": 2.135, "u2152": 4.576},
    },
    "acs-gpu-spm, n": {
        **{"d198": 0.510, "a280": 0.667, "lin318": 0.744, "pcb442": 1.068},
        **{"rat783": 1.912, "pr1002": 2.448, "nrw1379": 3.488, "pr2392": 6.341},
    },
    "acs-gpu, n": {
        **{"d198": 5.68, "a280": 4.38, "lin318": 4.84, "pcb442": 8.00, "rat783": 23.9},
        **{"pr1002": 30.8, "nrw1379": 46.7, "pr2392": 133.6, "u1060": 49.6, "u2152": 83.8},
    },
}
"""Whole iterations of the published ACS program on an H100, in ms, by system and ants."""

PUBLISHED_LENGTHS = {
    "acs-gpu-alt": {
        "fl417": 12270,
        "u1060": 249107,
        "dsj1000": 19867775,
        "u2152": 70164,
        "pr1002": 280809,
    },
    "acs-gpu-spm": {
        "fl417": 12057,
        "u1060": 232083,
        "dsj1000": 19446300,
        "u2152": 66817,
        "pr1002": 268736,
    },
}
"""Mean lengths of 4 runs of that program: 256 ants, k = 4, 1700 iterations, no stale reads."""
