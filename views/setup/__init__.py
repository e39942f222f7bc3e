"""The setup panel: everything that decides a run."""
