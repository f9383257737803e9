"""What a decision by guided search costs."""

import pytest

from experiments.studies.guided_speed import GuidedSpeedSettings, kept, main, measured, page
from pirate_envs.core.errors import OptionError


def test_every_search_is_timed_at_as_many_tables_as_are_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    settings = GuidedSpeedSettings(("skull_king",), ("search:guided:2", "policy:pretrained"), (1, 3), players=2, every=20)
    rows = measured("skull_king", settings)
    assert [(row["search"], row["tables"]) for row in rows] == [
        (search, tables) for search in settings.searches for tables in (1, 3)
    ]
    assert all(len(row["milliseconds"]) > 2 and min(row["milliseconds"]) > 0 for row in rows)
    searched, played = (sum(row["milliseconds"]) / len(row["milliseconds"]) for row in rows[1::2])
    assert searched > played
    main(settings)
    assert "| skull_king-v0 | `search:guided:2` | 3 |" in capsys.readouterr().out


def test_what_other_machines_took_is_kept() -> None:
    one = {"game": "a", "search": "s", "tables": 1, "players": 4, "milliseconds": [1.0], "machine": "M", "command": "c"}
    other, anew, more = {**one, "machine": "N"}, {**one, "milliseconds": [2.0], "command": "d"}, {**one, "tables": 2}
    assert kept([anew], [one, other, more]) == [anew, more, other]
    told = page([anew, more, other])
    assert "| a | `s` | 1 | 2.00 | 2.00 | 2.00 | 1 | 1 |" in told and "| a | `s` | 1 | 1.00 | 1.00 | 1.00 | 1 | 2 |" in told
    assert "Machine 1: M, by `d`, `c`. Machine 2: N, by `c`." in told


@pytest.mark.parametrize("bad", [{"tables": (0,)}, {"every": 0}])
def test_what_cannot_be_timed(bad: dict[str, object]) -> None:
    with pytest.raises(OptionError, match="allowed"):
        main(GuidedSpeedSettings(**bad))  # type: ignore[arg-type]
