"""The sheet on which a user says how a file is to be read."""
