"""What does the cases of a study: this process, processes of this machine, or a cluster."""
