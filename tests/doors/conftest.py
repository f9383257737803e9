import io
import sys

import pytest

from pirate_envs.cli import main


@pytest.fixture
def run(capsys, monkeypatch):
    """Call the program: its status, what it printed and its errors."""
    monkeypatch.setenv("COLUMNS", "128")

    def call(*arguments, typed=""):
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        status = main(list(arguments))
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return call
