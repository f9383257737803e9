"""Pages and examples of the libraries that have environments of their own, run for a moment."""

from __future__ import annotations

import contextlib
import io
import re
import runpy
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def run_page(name: str, about: str = "") -> None:
    """Run the Python blocks of docs/NAME that hold the text `about`, each as a program of its own."""
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / name).read_text(encoding="utf-8"), re.DOTALL)
    chosen = [block for block in blocks if about in block]
    assert chosen, f"{name} has no block about {about!r}"
    for block in chosen:
        exec(compile(block, name, "exec"), {"__name__": "page"})


def run_example(name: str, *arguments: Any, **named: Any) -> str:
    """Call `main` of examples/NAME; what it prints."""
    main = runpy.run_path(str(ROOT / "examples" / name))["main"]
    with contextlib.redirect_stdout(io.StringIO()) as out:
        main(*arguments, **named)
    return out.getvalue()
