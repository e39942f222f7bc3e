"""What an ant will do in the coming iteration, one step at a time.

A random number depends only on what it is drawn for. So the choices of the coming iteration follow
from the present trails. Each family has a rule, which the catalog's rows name, and
:class:`gpu.decisions.replay.Replay` leads an ant through its tour by that rule.
"""
