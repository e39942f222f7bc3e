"""What a film of a run looks like, and the dialog that asks for one."""
