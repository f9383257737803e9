"""How strong search is: every cell is kept as soon as it is measured, and the table tells the newest of each."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from experiments.studies import search_strength
from experiments.studies.search_strength import SearchStrengthSettings, main
from pirate_envs.core.errors import UnknownPlayerError


def test_cells_are_kept_one_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_strength, "RESULTS", tmp_path)
    settings = SearchStrengthSettings(("skull_king",), ("search:flat:2",), ("random",), 2, 1, write=True)
    main(settings)
    settings.against = ("rules:simple", "nobody")
    with pytest.raises(UnknownPlayerError, match="'nobody'"):
        main(settings)
    kept = json.loads((tmp_path / "search_strength.json").read_text(encoding="utf-8"))
    page = (tmp_path / "search_strength.md").read_text(encoding="utf-8")
    for other in ("random", "rules:simple"):
        assert f"skull_king-v0 search:flat:2 {other}" in json.dumps(kept)
        assert f"| skull_king-v0 | search:flat:2 | 1 x {other} |" in page
