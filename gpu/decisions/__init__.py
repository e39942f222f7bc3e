"""The rules by which ants choose, replayed on the host one step at a time.

Random numbers depend on nothing but what they are drawn for, so what an ant will do in the coming
iteration can be foretold from the trails as they stand. Each rule is a class of its own that the
catalog's rows name; :class:`gpu.decisions.replay.Replay` walks an ant through it.
"""
