"""The table of peers: what is not installed is left out and named, and a row counts decisions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from experiments.studies import peers
from experiments.studies.peers import PEERS, PeersSettings
from pirate_envs.core.errors import OptionError


def test_a_library_that_is_not_there_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(peers, "RESULTS", tmp_path)
    monkeypatch.setattr(peers, "is_installed", lambda peer: not peer.needs)
    peers.main(PeersSettings(repeats=2, seconds=0.02, write=True))
    page, content = (tmp_path / "peers.md").read_text(), json.loads((tmp_path / "peers.json").read_text())
    assert page in capsys.readouterr().out
    assert [row["what"] for row in content["rows"]] == [peer.what for peer in PEERS if peer.library == peers.OWN]
    assert all(0 < row["low"] <= row["median"] <= row["high"] for row in content["rows"])
    assert content["left_out"] == [f"{peer.what} ({peer.library})" for peer in PEERS if peer.needs]
    assert all(peer.what in page for peer in PEERS) and "2 blocks of 0.02 s" in page


def test_a_row_counts_decisions() -> None:
    assert peers.own_batch().play() == peers.LANES
    single = peers.own_environment()
    assert single.play() == 260 and (single.players, single.cells) == (peers.PLAYERS, peers.own_batch().cells)


@pytest.mark.parametrize(("module", "make"), [("pyspiel", PEERS[2].make), ("rlcard", PEERS[3].make), ("rlcard", PEERS[6].make)])
def test_a_peer_plays_whole_matches(module: str, make: object) -> None:
    pytest.importorskip(module)
    contestant = make()  # type: ignore[operator]
    assert contestant.play() > 1 and contestant.cells > contestant.players


def test_a_module_that_is_needed_is_looked_for() -> None:
    assert peers.is_installed(PEERS[0]) and not peers.is_installed(PEERS[2]._replace(needs=("no_such_module",)))


@pytest.mark.parametrize("changes", [{"repeats": 0}, {"seconds": 0.0}, {"seconds": float("nan")}])
def test_bad_settings_of_peers(changes: dict[str, float]) -> None:
    with pytest.raises(OptionError, match=f"--{next(iter(changes))} is"):
        peers.main(PeersSettings(**changes))  # type: ignore[arg-type]
