"""Loads compiled code when it is imported: the forks of a process that has imported it need not."""

from gpu.problems.bundled import bundled
from gpu.problems.loading import load_instance
from gpu.run.starting import use_once

use_once(load_instance(bundled()[0].path))
