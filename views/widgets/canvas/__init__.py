"""What is drawn in coordinates: a plot, its axes and curves, the layers of maps and matrices."""
