"""What the window does: runs, measurements, exports, and the threads that do the work."""
