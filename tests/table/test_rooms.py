"""Tables: who may do what, what each viewer is sent, and that nothing is lost or told too early."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pirate_envs
from pirate_envs.agents.player import Agent, Decisions
from pirate_envs.agents.table import rooms
from pirate_envs.agents.table.limits import Rate, RefusedError
from pirate_envs.agents.table.rooms import Table, opened
from pirate_envs.agents.table.store import Store
from pirate_envs.core.errors import OptionError, TableError, UnknownPlayerError
from pirate_envs.core.events import WATCHER

PEOPLE = (None, None)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "tables.sqlite")


def made(store: Store, *seats: str | None, game: str = "skull_king", practice: bool = False, **options: Any) -> Any:
    return Table.made(store, pirate_envs.load(game, players=len(seats), **options), seats, practice)


def play_out(table: Table, seed: int = 0) -> None:
    """Random people."""
    chance = np.random.default_rng(seed)
    while not table.over:
        if table.mover() is None:
            action = int(chance.choice(table.game.legal_actions(table.g)))
            assert table.act(table.game.seat_to_move(table.g), table.game.action_name(table.g, action), table.at)
        else:
            table.player_decides()


# -- who may do what ---------------------------------------------------------------------------------------------------


def test_a_secret_is_its_seat_and_no_other(store: Store) -> None:
    table, links, watch = made(store, None, "random", None)
    assert [table.viewer(link) for link in links if link] == [0, 2]
    assert links[1] is None
    assert table.viewer(watch) == WATCHER
    for wrong in ("", links[0][:-1], links[0] + "a", table.setup.seats[0].secret):
        with pytest.raises(RefusedError, match="not for this table"):
            table.viewer(wrong)


def test_a_decision_is_taken_in_once(store: Store) -> None:
    table, *_ = made(store, *PEOPLE, last_hand=1)
    assert table.act(0, "bid 1", 0)
    assert not table.act(0, "bid 1", 0)  # said again, as after a lost answer
    assert table.at == 1
    for viewer, name, at, reason in (
        (0, "bid 0", 0, "has been made"),
        (1, "bid 1", 0, "has been made"),
        (0, "bid 1", 1, "not your turn"),
        (1, "bid 1", 2, "not to be made yet"),
        (1, "bid 9", 1, "not legal"),
        (1, "sink", 1, "names no action"),
        (1, "bid 1", -1, "has been made"),
        (WATCHER, "bid 1", 1, "watchers"),
    ):
        with pytest.raises(RefusedError, match=reason):
            table.act(viewer, name, at)
        assert (table.at, len(opened(store, table.setup.id).past)) == (1, 1)


def test_the_seats_fit_the_game(store: Store) -> None:
    game = pirate_envs.load("skull_king", players=3)
    with pytest.raises(OptionError, match="2; this table has 3"):
        Table.made(store, game, PEOPLE, False)
    with pytest.raises(UnknownPlayerError):
        Table.made(store, game, (None, "nobody", None), False)


def test_decisions_are_taken_back_at_practice_tables_only(store: Store) -> None:
    table, *_ = made(store, None, "random", practice=True, last_hand=2)
    with pytest.raises(RefusedError, match="decided nothing"):
        table.take_back(0)
    table.act(0, "bid 0", 0)
    table.player_decides()
    table.take_back(0)
    assert (table.at, table.game.seat_to_move(table.g), len(opened(store, table.setup.id).past)) == (0, 0, 0)
    with pytest.raises(RefusedError, match="practice"):
        table.take_back(WATCHER)
    earnest, *_ = made(store, *PEOPLE)
    earnest.act(0, "bid 0", 0)
    with pytest.raises(RefusedError, match="practice"):
        earnest.take_back(0)


# -- what is sent ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", pirate_envs.games())
def test_nothing_that_is_sent_holds_the_seed_or_another_s_cards(store: Store, name: str) -> None:
    seats = max(2, pirate_envs.load(name).players)
    table, links, watch = made(store, *[None] * seats, game=name)
    told = [json.dumps(table.message(viewer, 0)) for viewer in (*range(seats), WATCHER)]
    for text in told:
        assert str(table.setup.seed) not in text
        assert not any(link in text for link in (*links, watch))
        assert not any(seat.secret in text for seat in table.setup.seats)
    with pytest.raises(RefusedError, match="when the match is over"):
        table.replay()


def test_who_comes_back_is_told_what_happened_since(store: Store) -> None:
    table, *_ = made(store, *PEOPLE, last_hand=1)
    table.act(0, "bid 1", 0)
    table.act(1, "bid 0", 1)
    assert [event["event"] for event in table.message(1, 0)["events"]] == ["bid", "bid", "bids_revealed"]
    assert [event["event"] for event in table.message(1, 1)["events"]] == ["bid", "bids_revealed"]
    assert [table.message(1, seen)["events"] for seen in (2, None, 99, -1)] == [[], [], [], []]


@pytest.mark.parametrize("name", pirate_envs.games())
def test_a_match_of_people_and_players_ends_with_its_replay(store: Store, name: str) -> None:
    seats = [None, *["random"] * (max(2, pirate_envs.load(name).players) - 1)]
    table, *_ = made(store, *seats, game=name)
    play_out(table)
    message = table.message(0)
    assert message["winners"]
    assert message["view"]["over"]
    assert table.replay().play().tobytes() == table.g.tobytes()
    with pytest.raises(RefusedError, match="over"):
        table.act(0, "stop", table.at)


# -- nothing is lost ---------------------------------------------------------------------------------------------------


def test_a_table_is_restored_by_playing_it_again(store: Store, tmp_path: Path) -> None:
    table, links, _ = made(store, None, "random", "random", last_hand=2)
    play_out(table)
    restored = opened(Store(tmp_path / "tables.sqlite"), table.setup.id)
    assert restored.g.tobytes() == table.g.tobytes()
    assert restored.viewer(links[0]) == 0


def test_a_decision_that_cannot_be_kept_is_not_made(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    table, *_ = made(store, *PEOPLE)

    def full(*_: Any) -> None:
        raise TableError("the disk is full")

    monkeypatch.setattr(store, "decide", full)
    with pytest.raises(TableError, match="full"):
        table.act(0, "bid 0", 0)
    assert table.at == 0


class Broken(Agent):
    """Fails, or answers what is not legal."""

    name = "broken"

    def __init__(self, answer: int | None) -> None:
        self.answer = answer

    def act(self, decisions: Decisions) -> np.ndarray:
        if self.answer is None:
            raise ZeroDivisionError
        return np.array([self.answer])


@pytest.mark.parametrize("answer", [None, 72])
def test_a_player_that_fails_leaves_its_seat_to_a_rule_player(
    store: Store, monkeypatch: pytest.MonkeyPatch, answer: int | None
) -> None:
    real = rooms.seated
    monkeypatch.setattr(rooms, "seated", lambda game, name: Broken(answer) if name == "policy:mine" else real(game, name))
    table, *_ = made(store, None, "policy:mine")
    table.act(0, "bid 0", 0)
    table.player_decides()
    assert table.at == 2
    assert table.sitting() == ["person", "rules:strongest"]
    assert table.message(0)["notes"] == table.notes
    assert table.notes == [{"note": "failed", "seat": 1, "was": "policy:mine", "now": "rules:strongest"}]
    assert opened(store, table.setup.id).sitting() == ["person", "rules:strongest"]


def test_a_player_that_thinks_too_long_is_replaced_too(store: Store) -> None:
    table, *_ = made(store, None, "random")
    table.act(0, "bid 0", 0)
    table.player_thought(None)
    assert table.sitting()[1] == "rules:strongest"
    assert table.at == 2


def test_files_of_another_kind_or_version_are_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no database, but long enough to be read as one " * 20)
    with pytest.raises(TableError, match="text"):
        Store(tmp_path / "text")
    other = sqlite3.connect(tmp_path / "other")
    other.execute("CREATE TABLE things (name)")
    other.commit()
    other.close()
    with pytest.raises(TableError, match="not a file of tables"):
        Store(tmp_path / "other")
    Store(tmp_path / "later").close()
    later = sqlite3.connect(tmp_path / "later")
    later.execute("PRAGMA user_version=99")
    later.close()
    with pytest.raises(TableError, match="version 99"):
        Store(tmp_path / "later")
    with pytest.raises(TableError, match="missing"):
        Store(tmp_path / "missing" / "tables.sqlite")


def test_a_table_of_other_rules_is_refused(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    table, *_ = made(store, *PEOPLE)
    store._file.execute("UPDATE tables SET game = 'skull_king-v9'")
    with pytest.raises(TableError, match="skull_king-v9"):
        opened(store, table.setup.id)
    with pytest.raises(RefusedError, match="no such table"):
        opened(store, "nowhere")


def test_messages_come_so_fast_and_no_faster() -> None:
    now = 0.0
    rate = Rate(a_second=2, at_once=3, clock=lambda: now)
    assert [rate.allows() for _ in range(4)] == [True, True, True, False]
    now = 1.0
    assert [rate.allows() for _ in range(3)] == [True, True, False]
