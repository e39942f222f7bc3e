"""Colonies on a GPU: what is on the device, what is launched, what comes back."""
