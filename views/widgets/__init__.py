"""Widgets and helpers that several views share."""
