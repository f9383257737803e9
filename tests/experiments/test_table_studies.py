"""The studies of the table's server, each at a tiny size, and that they would notice what they look for."""

from __future__ import annotations

import asyncio
import json
import random
from pathlib import Path
from typing import Any

import pytest

from experiments.studies import table_hostile, table_kills, table_leaks, table_load
from experiments.studies.table_server import Clocked, serving
from pirate_envs.agents.table.rooms import Table
from pirate_envs.agents.table.serve import FILE
from pirate_envs.agents.table.store import Store
from pirate_envs.core.events import WATCHER
from pirate_envs.core.game import Game
from pirate_envs.games import load

KING = load("skull_king", players=3, last_hand=2)
PERSON_AND_PLAYER = {"player": "rules:strongest", "tables": 2}


# -- leaks -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def store(tmp_path: Path) -> Any:
    store = Store(tmp_path / "tables.sqlite")
    yield store
    store.close()


def leaks(store: Store, game: Game = KING) -> table_leaks.Found:
    with table_leaks.logged() as lines:
        return table_leaks.match(game, store, random.Random(0), lines)


def test_nothing_leaks(store: Store) -> None:
    found = leaks(store)
    assert found.leaks == []
    assert found.frames > 40 and found.other_worlds > found.frames / 3


@pytest.mark.parametrize("to", [0, WATCHER])
def test_a_hand_that_is_shown_is_noticed(to: Any, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    message = Table.message

    def leaky(self: Table, viewer: Any, *given: Any) -> dict[str, Any]:
        told = message(self, viewer, *given)
        return {**told, "more": self.game.view(self.g, 1)["hands"][1]} if viewer == to else told

    monkeypatch.setattr(Table, "message", leaky)
    found = leaks(store).leaks
    assert found and all("differs" in leak and f", {to}:" in leak for leak in found)


def test_a_sealed_bid_that_is_told_is_noticed(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(KING.telling, "is_sealed", lambda before: before["phase"] == "bid")
    events = Game.events
    monkeypatch.setattr(Game, "events", lambda self, before, action, after, *seen: [
        *events(self, before, action, after, *seen), {"event": "decided", "seat": 0, "action": str(action)}])  # fmt: skip
    assert any("differs" in leak for leak in leaks(store).leaks)


@pytest.mark.parametrize("secret", ["seed", "watchers"])
def test_a_secret_that_is_told_is_noticed(secret: str, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    message = Table.message
    told = lambda self, *given: {**message(self, *given), "more": str(getattr(self.setup, secret))}  # noqa: E731
    monkeypatch.setattr(Table, "message", told)
    assert any("a secret is told" in leak for leak in leaks(store).leaks)


# -- kills -------------------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_nothing_is_lost_when_the_server_is_killed(tmp_path: Path) -> None:
    settings = table_kills.TableKillsSettings(kills=1, longest=1.0, **PERSON_AND_PLAYER)  # type: ignore[arg-type]
    figures = table_kills.killed(settings, tmp_path)
    assert (figures["kills"], figures["failures"]) == (1, [])


def test_what_is_lost_is_noticed(tmp_path: Path) -> None:
    store = Store(tmp_path / FILE)
    table = Table.made(store, KING, [None] * 3, practice=False)[0]
    table.act(0, "bid 1", 0)
    store.close()
    seen = [
        table_kills.Seen(table.setup.id, "", {0: "bid 1"}, at=1),
        table_kills.Seen(table.setup.id, "", {0: "bid 0"}, at=1),
        table_kills.Seen(table.setup.id, "", {0: "bid 1"}, at=2),
        table_kills.Seen("nowhere", ""),
    ]
    lost = table_kills.lost(tmp_path, seen)
    assert [line.partition(": ")[2] for line in lost[:2]] == ["decision 0", "1 decisions of 2"]
    assert lost[2:] == ["table nowhere is gone"]


# -- load and hostile messages -----------------------------------------------------------------------------------------


@pytest.mark.long
def test_load_is_measured() -> None:
    settings = table_load.TableLoadSettings(seconds=3.0, pause=0.05, **PERSON_AND_PLAYER)  # type: ignore[arg-type]
    figures = table_load.loaded("skull_king", settings)
    assert figures["moves"] > 3 and 0 < figures["p50_ms"] <= figures["p99_ms"] and figures["processor_ms"] > 0


def test_a_message_is_timed_until_the_next_is_waited_for() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        for _ in range(3):
            await receive()
            await asyncio.sleep(0.05)
        await receive()

    texts = iter(['{"hello": "a"}', '{"act": "bid 1", "at": 0}', '{"hint": 1}', '{"act": "bid 1", "at": 1}'])

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.receive", "text": next(texts)}

    clocked = Clocked(app)
    asyncio.run(clocked({"type": "websocket"}, receive, None))  # type: ignore[arg-type]
    assert len(clocked.seconds) == 1 and clocked.seconds[0] >= 0.05


@pytest.mark.long
def test_hostile_messages_change_nothing(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        figures = asyncio.run(table_hostile.attacked(served, table_hostile.TableHostileSettings(messages=200)))
    assert figures["messages"] >= 200 and (figures["troubles"], figures["changes"]) == (0, 0), figures["log"]


def test_every_kind_of_message_is_sent() -> None:
    chance = random.Random(0)
    for kind in (*table_hostile.KINDS.values(), table_hostile.hello, table_hostile.foreign):
        assert len({kind(chance) for _ in range(200)}) > 1
    for _ in range(200):  # none that the seat to move would be granted
        told = [kind(chance) for kind in (table_hostile.stale, table_hostile.illegal)]
        assert all(json.loads(each) not in [{"act": f"bid {n}", "at": 0} for n in (0, 1)] for each in told)
