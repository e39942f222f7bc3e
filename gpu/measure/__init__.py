"""Measurements: speedup over the CPU, and which system and options are fastest."""
