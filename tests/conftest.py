"""Options and fixtures of the test run."""

import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

PLUG_IN = str(Path(__file__).parent / "plug_in")  # as in pyproject.toml; for the processes that tests start
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [PLUG_IN, os.environ.get("PYTHONPATH", "")]))
os.environ.setdefault("PIRATE_ENVS_QUIET", "1")  # what a command prints is the same whether it compiles or not
for number in (signal.SIGINT, signal.SIGHUP):  # ignored by nohup or behind &, and so by all that tests start
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)


def pytest_addoption(parser):
    parser.addoption("--write-golden", action="store_true", help="write every game's golden.txt instead of comparing with them")
    parser.addoption("--option-sets", type=int, default=20, help="how many random sets of a game's options its referee plays")


def pytest_configure():
    """Within pytest Tyro doubts one in ten finds in its cache, whose keys are addresses of objects that may be gone."""
    with contextlib.suppress(ImportError):
        from tyro import _unsafe_cache

        _unsafe_cache.sys = SimpleNamespace(modules={})


@pytest.fixture
def torch_settings() -> Iterator[None]:
    """Training changes torch's global settings; put them back."""
    import torch

    threads, precision = torch.get_num_threads(), torch.get_float32_matmul_precision()
    validate = torch.distributions.Distribution._validate_args
    yield
    torch.set_num_threads(threads)
    torch.set_float32_matmul_precision(precision)
    torch.distributions.Distribution.set_default_validate_args(validate)
