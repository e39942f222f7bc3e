"""The list of all runs, the log of the one in sight, and the device that it is made on."""
