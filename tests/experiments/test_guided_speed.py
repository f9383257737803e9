"""What a decision by guided search costs."""

import pytest

from experiments.studies.guided_speed import GuidedSpeedSettings, main, measured
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


@pytest.mark.parametrize("bad", [{"tables": (0,)}, {"every": 0}])
def test_what_cannot_be_timed(bad: dict[str, object]) -> None:
    with pytest.raises(OptionError, match="allowed"):
        main(GuidedSpeedSettings(**bad))  # type: ignore[arg-type]
