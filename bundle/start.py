"""Where a folder that runs without Python begins.

The program's other processes are started by the same file: then this one does their work and ends.
"""

import multiprocessing

multiprocessing.freeze_support()

from app.cli.main import main  # noqa: E402  # the other processes do not get this far

main()
