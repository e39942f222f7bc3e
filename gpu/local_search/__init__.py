"""Local search of tours: 2-opt and Or-opt."""
