"""``python -m tests.release``; what processes share must lie in a module that they can import."""

from experiments.command import run_command
from tests.release.measuring import ReleaseSettings, main

if __name__ == "__main__":
    run_command(main, ReleaseSettings, main.__module__)
