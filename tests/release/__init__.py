"""The measurements that a release rests on, at their full size: ``python -m tests.release`` (see docs/trust.md).

A row of the table is one claim. Its work is cut into chunks of some ten seconds that depend on nothing but their number, so
that any number of processes can share them and a run that is stopped goes on where it was.
"""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
