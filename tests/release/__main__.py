"""``python -m tests.release``; what processes share must lie in a module that they can import."""

from experiments.command import run_command
from tests.release import measuring

if __name__ == "__main__":
    run_command(measuring.main, measuring.ReleaseSettings, measuring.__doc__)
