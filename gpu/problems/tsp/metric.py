"""The metrics of TSPLIB."""

from __future__ import annotations

import enum

GEO_UNIT = "km"
"""Unit of GEO's lengths, by TSPLIB's rule. Those of other metrics are in the unit of the file."""


class Metric(enum.StrEnum):
    """How the distance between two cities follows from the file (TSPLIB's EDGE_WEIGHT_TYPE)."""

    EUC_2D = "EUC_2D"
    EUC_3D = "EUC_3D"
    CEIL_2D = "CEIL_2D"
    MAN_2D = "MAN_2D"
    MAN_3D = "MAN_3D"
    MAX_2D = "MAX_2D"
    MAX_3D = "MAX_3D"
    ATT = "ATT"
    GEO = "GEO"
    XRAY1 = "XRAY1"
    XRAY2 = "XRAY2"
    EXPLICIT = "EXPLICIT"
