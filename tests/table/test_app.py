"""The server, by its own protocol: tables, sockets, and what it refuses."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from pirate_envs.agents.table import limits
from pirate_envs.agents.table.app import Hall, application
from pirate_envs.agents.table.halls import Show
from pirate_envs.agents.table.store import Store
from pirate_envs.games import games, load

HOST = "127.0.0.1:8421"
ASKED = {"game": "skull_king", "options": {"players": 2, "last_hand": 1}, "seats": ["person", "person"], "practice": True}


class Client(TestClient):
    """A browser, whose sockets are closed when it is."""

    def __init__(self, hall: Hall) -> None:
        super().__init__(application(hall), base_url=f"http://{HOST}")
        self.sockets = ExitStack()

    def __exit__(self, *args: Any) -> None:
        self.sockets.close()
        super().__exit__(*args)

    def join(self, table: str, secret: str, seen: int | None = None) -> Any:
        socket = self.sockets.enter_context(self.websocket_connect(f"ws://{HOST}/ws/{table}"))
        socket.send_json({"hello": secret, "seen": seen})
        return socket


@pytest.fixture
def hall(tmp_path: Path) -> Hall:
    return Hall(Store(tmp_path / "tables.sqlite"), hosts=[HOST])


@pytest.fixture
def client(hall: Hall) -> Iterator[Client]:
    with Client(hall) as client:
        yield client


def new(client: Client, **changed: Any) -> dict[str, Any]:
    return client.post("/api/tables", json={**ASKED, **changed}).json()


def refused(socket: Any) -> str:
    """Why a socket is closed."""
    message = socket.receive_json()
    with pytest.raises(WebSocketDisconnect):
        socket.receive_json()
    return message["error"]


# -- playing -----------------------------------------------------------------------------------------------------------


def test_two_people_play_a_match_and_see_its_replay(client: Client) -> None:
    table = new(client)
    people = [client.join(table["table"], link) for link in table["links"]]
    told = [person.receive_json() for person in people]
    assert [message["seat"] for message in told] == [0, 1]
    while not told[0]["view"]["over"]:
        mover = told[0]["view"]["to_move"]
        people[mover].send_json({"act": told[mover]["view"]["legal"][0], "at": told[mover]["at"]})
        told = [person.receive_json() for person in people]
    assert told[0]["winners"] == told[1]["winners"]
    replay = client.get(f"/api/replays/{table['table']}").json()
    assert len(replay["actions"]) == told[0]["at"] == 4


def test_players_decide_at_once_and_people_are_told_each_decision(client: Client) -> None:
    table = new(client, seats=["person", "easy"])
    person = client.join(table["table"], table["links"][0])
    at = person.receive_json()["at"]
    person.send_json({"act": "bid 0", "at": at})
    assert [person.receive_json()["at"] for _ in range(2)] == [1, 2]


def test_players_are_offered_where_there_are_such(tmp_path: Path) -> None:
    hall = Hall(Store(tmp_path / "tables.sqlite"), ["rules:strongest", "random"])
    assert list(hall.players(load("kuhn_poker"))) == ["random"]
    assert list(hall.players(load("skull_king"))) == ["rules:strongest", "random"]
    assert hall.show("kuhn_poker").players == ["random", "random"]
    hall.close()


def test_who_wants_no_steps_is_told_where_they_lead(client: Client) -> None:
    table = new(client, seats=["person", "easy"], options={"players": 2})
    person = client.join(table["table"], table["links"][0])
    person.receive_json()
    person.send_json({"look": {"steps": False}})
    person.receive_json()
    person.send_json({"act": "bid 1", "at": 0})
    told = person.receive_json()
    assert (told["at"], [event["event"] for event in told["events"]]) == (2, ["bid", "bid", "bids_revealed"])
    person.send_json({"act": told["view"]["legal"][0], "at": 2})
    told = person.receive_json()
    assert told["at"] > 3 and told["view"]["to_move"] == 0
    person.send_json({"look": {}})
    person.receive_json()
    person.send_json({"act": told["view"]["legal"][0], "at": told["at"]})
    assert person.receive_json()["at"] == told["at"] + 1


def test_players_that_sit_first_decide_when_a_person_comes(client: Client) -> None:
    table = new(client, seats=["fair", "person"])
    person = client.join(table["table"], table["links"][1])
    assert [person.receive_json()["at"] for _ in range(2)] == [0, 1]


def test_a_watcher_is_told_what_all_see(client: Client) -> None:
    table = new(client)
    watcher = client.join(table["table"], table["watch"])
    person = client.join(table["table"], table["links"][0])
    message = watcher.receive_json()
    person.receive_json()
    assert (message["seat"], message["view"]["hands"], message["view"]["legal"]) == (None, [1, 1], [])
    person.send_json({"act": "bid 1", "at": 0})
    assert watcher.receive_json()["events"] == [{"event": "bid", "seat": 0, "tricks": None}]
    watcher.send_json({"act": "bid 1", "at": 1})
    assert "watchers" in watcher.receive_json()["error"]


def test_a_table_goes_on_after_a_restart(tmp_path: Path) -> None:
    file = tmp_path / "tables.sqlite"
    with Client(Hall(Store(file), hosts=[HOST])) as client:
        table = new(client)
        person = client.join(table["table"], table["links"][0])
        person.receive_json()
        person.send_json({"act": "bid 1", "at": 0})
        assert person.receive_json()["at"] == 1
    with Client(Hall(Store(file), hosts=[HOST])) as client:
        message = client.join(table["table"], table["links"][0], seen=0).receive_json()
        assert (message["at"], message["events"]) == (1, [{"event": "bid", "seat": 0, "tricks": 1}])


def test_hints_and_undo_are_for_practice(client: Client) -> None:
    for practice in (True, False):
        table = new(client, practice=practice)
        person = client.join(table["table"], table["links"][0])
        legal = person.receive_json()["view"]["legal"]
        person.send_json({"hint": 1})
        hint = person.receive_json()
        assert hint.get("hint") in legal if practice else "practice" in hint["error"]
        person.send_json({"act": "bid 1", "at": 0})
        person.receive_json()
        person.send_json({"undo": 1})
        after = person.receive_json()
        assert after.get("at") == 0 if practice else "practice" in after["error"]


# -- how it looks ------------------------------------------------------------------------------------------------------


def test_a_viewer_is_told_in_its_look(client: Client) -> None:
    table = new(client)
    person = client.join(table["table"], table["links"][0])
    english = person.receive_json()
    assert english["names"] == ["you", "player 1"]
    assert english["choices"] == {"listed": [["bid 0", "Bid 0"], ["bid 1", "Bid 1"]], "asked": []}
    assert english["svg"].startswith("<svg") and english["text"] == []
    person.send_json({"look": {"theme": "dark", "language": "de", "tall": True}})
    german = person.receive_json()
    assert german["names"] == ["du", "Spieler 1"]
    assert german["choices"]["listed"][1] == ["bid 1", "1 ansagen"]
    assert german["svg"] != english["svg"]
    person.send_json({"act": "bid 1", "at": 0})
    assert person.receive_json()["text"] == ["Du sagst einen Stich an."]
    with client.websocket_connect(f"ws://{HOST}/ws/{table['table']}") as socket:
        socket.send_json({"hello": table["links"][1], "seen": 0, "look": {"language": "fr"}})
        assert socket.receive_json()["text"] == ["Le joueur 0 annonce en secret."]


@pytest.mark.parametrize(
    "look",
    [
        [],
        "dark",
        {"theme": "pink"},
        {"language": "xx"},
        {"tall": 1},
        {"tall": "true"},
        {"steps": 0},
        {"sound": True},
        {"theme": ["dark"]},
        None,
    ],
)
def test_a_look_that_is_none_is_refused(client: Client, look: Any) -> None:
    table = new(client)
    person = client.join(table["table"], table["links"][0])
    person.receive_json()
    person.send_json({"look": look})
    assert list(person.receive_json()) == ["error"]
    with client.websocket_connect(f"ws://{HOST}/ws/{table['table']}") as socket:
        socket.send_json({"hello": table["links"][0], "look": look})
        assert refused(socket)


def test_many_choices_come_as_questions(client: Client) -> None:
    table = new(client, game="piratenpoker", options={"players": 3}, seats=["person"] * 3)
    told = client.join(table["table"], table["links"][0]).receive_json()
    (question,) = told["choices"]["asked"]
    assert (question["verb"], question["label"], len(question["words"])) == ("bid", "Stake …", 6)
    assert told["choices"]["listed"] == [["pass", "Pass"]]
    watcher = client.join(table["table"], table["watch"]).receive_json()
    assert watcher["choices"] == {"listed": [], "asked": []}


def test_the_end_tells_how_to_have_the_same_again(client: Client) -> None:
    table = new(client, options={"players": 2, "last_hand": 1}, seats=["person", "easy"])
    person = client.join(table["table"], table["links"][0])
    told = person.receive_json()
    while not told["view"]["over"]:
        assert told["again"] is None
        if told["view"]["to_move"] == 0:
            person.send_json({"act": told["view"]["legal"][0], "at": told["at"]})
        told = person.receive_json()
    assert told["again"]["options"] == {"players": 2, "last_hand": 1}
    assert told["levels"] == [None, "easy"]
    again = client.post("/api/tables", json=told["again"])
    assert again.status_code == 201


def test_options_are_told_as_a_form_asks_for_them(client: Client) -> None:
    games = {game["name"]: game for game in client.get("/api/games").json()}
    options = {option["name"]: option for option in games["skull_king"]["options"]}
    assert (options["players"]["low"], options["players"]["high"], options["players"]["kind"]) == (2, 6, "number")
    assert (options["bidding"]["kind"], options["bidding"]["choices"]) == ("choice", ["sealed", "open"])
    assert (options["mary_as_escape_counts"]["kind"], options["mary_as_escape_counts"]["default"]) == ("bool", True)
    decks = {option["name"]: option for option in games["piraten_kapern"]["options"]}
    assert (decks["deck"]["kind"], "captain" in decks["deck"]["choices"]) == ("counts", True)
    rules = client.get("/api/rules/skull_king").json()
    assert rules["title"] == "Skull King" and "R1" in rules["manual"]
    assert client.get("/api/rules/chess").status_code == 404


# -- shows -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def quick(tmp_path: Path) -> Iterator[Client]:
    with Client(Hall(Store(tmp_path / "tables.sqlite"), hosts=[HOST], pace=0.02)) as client:
        yield client


def test_a_show_goes_on_by_itself_with_all_cards_open_and_then_anew(quick: Client, hall: Hall) -> None:
    shows = quick.app.state.hall
    shows.shows["skull_king"] = Show(load("skull_king", players=2, last_hand=1), ["random", "random"], 0.02)
    viewer = quick.join("tv/skull_king", "")
    told = [viewer.receive_json() for _ in range(8)]
    assert [message["at"] for message in told] == [0, 1, 2, 3, 4, 0, 1, 2]
    assert all(len(hand) == 1 for hand in told[0]["view"]["hands"])
    assert (told[0]["seat"], told[0]["choices"]["listed"], told[4]["again"]) == (None, [], None)
    viewer.send_json({"act": "bid 1", "at": 2})
    while "error" not in (answer := viewer.receive_json()):
        pass
    assert "watchers" in answer["error"]


def test_a_show_sleeps_while_nobody_looks(quick: Client) -> None:
    viewer = quick.join("tv/skull_king", "")
    viewer.receive_json()
    show = quick.app.state.hall.shows["skull_king"]
    viewer.close()
    deadline = time.monotonic() + 60
    while not show._going.done() and time.monotonic() < deadline:
        time.sleep(0.02)
    at = show.table.at
    time.sleep(0.1)
    assert show._going.done() and show.table.at == at
    assert quick.join("tv/skull_king", "").receive_json()["at"] == at


def test_shows_are_of_games_that_there_are_and_for_so_many(quick: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "no game" in refused(quick.join("tv/chess", ""))
    monkeypatch.setattr(limits, "VIEWERS", 1)
    quick.join("tv/skull_king", "").receive_json()
    assert "already" in refused(quick.join("tv/skull_king", ""))
    assert quick.app.state.hall.store.load("skull_king") is None


# -- refused -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"game": "chess"}, "chess"),
        ({"game": 7}, "needed: a str"),
        ({"options": {"players": 99}}, "99"),
        ({"options": {"sails": 1}}, "sails"),
        ({"seats": ["person"]}, "seats are 1"),
        ({"seats": ["person", "policy:/etc"]}, "allowed: person, easy, fair, strong, best"),
        ({"seats": ["person", "search:ismcts:1000000"]}, "allowed: person"),
        ({"seats": ["person", None]}, "None"),
        ({"practice": 1}, "practice is a int"),
        ({"more": 1}, "a new table is told by"),
    ],
)
def test_a_table_that_cannot_be_is_refused_in_a_sentence(client: Client, changed: dict[str, Any], reason: str) -> None:
    answer = client.post("/api/tables", json={**ASKED, **changed})
    assert answer.status_code == 400
    assert reason in answer.json()["error"]


@pytest.mark.parametrize("body", [b"", b"[", b"\xff\xfe", b"[" * 5000, b'"' + b"a" * 20000 + b'"', b"{}", b"null"])
def test_what_is_no_request_is_refused(client: Client, body: bytes) -> None:
    answer = client.post("/api/tables", content=body)
    assert (answer.status_code, list(answer.json())) == (400, ["error"])


@pytest.mark.parametrize(
    "message",
    [
        "",
        "[",
        "7",
        "{}",
        '{"act": "bid 1"}',
        '{"act": 1, "at": 0}',
        '{"act": "bid 1", "at": "0"}',
        '{"act": "bid 1", "at": true}',
        '{"act": "bid 1", "at": 1e400}',
        '{"act": "bid 1", "at": 0, "seat": 1}',
        '{"hello": "again"}',
        "[" * 4000,
        json.dumps({"act": "b" * 5000, "at": 0}),
        '{"act": "bid 1", "at": 99999999999999999999999}',
        '{"act": " ", "at": 0}',
        '{"act": "\\ud800", "at": 0}',
    ],
)
def test_a_message_that_is_none_changes_nothing(client: Client, hall: Hall, message: str) -> None:
    table = new(client)
    person = client.join(table["table"], table["links"][0])
    person.receive_json()
    person.send_text(message)
    assert list(person.receive_json()) == ["error"]
    assert hall.rooms[table["table"]].table.at == 0
    person.send_json({"act": "bid 1", "at": 0})
    assert person.receive_json()["at"] == 1


@pytest.mark.parametrize("name", sorted(set(games()) - {"kuhn_poker"}))
def test_no_action_has_no_name(client: Client, name: str) -> None:
    table = new(client, game=name, options={"players": 3}, seats=["person"] * 3)
    mover = client.join(table["table"], table["watch"]).receive_json()["view"]["to_move"]
    person = client.join(table["table"], table["links"][mover])
    person.receive_json()
    person.send_json({"act": " ", "at": 0})
    assert "' ' names no action" in person.receive_json()["error"]


def test_a_wrong_link_is_refused(client: Client) -> None:
    table = new(client)
    for link in ("guess", "\ud800"):
        assert "not for this table" in refused(client.join(table["table"], link))
    assert "no such table" in refused(client.join("nowhere", table["links"][0]))


@pytest.mark.parametrize("hello", ["{}", "[]", '{"hello": 1}', '{"hello": "a", "seen": "1"}', '{"hello": "a", "x": 1}', "no"])
def test_a_socket_that_does_not_say_hello_is_closed(client: Client, hello: str) -> None:
    with client.websocket_connect(f"ws://{HOST}/ws/{new(client)['table']}") as socket:
        socket.send_text(hello)
        assert refused(socket)


def test_floods_are_cut_off(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    table = new(client)
    person = client.join(table["table"], table["links"][0])
    for _ in range(10 * limits.AT_ONCE):
        person.send_text("{}")
    answers = iter(person.receive_json, None)
    with pytest.raises(WebSocketDisconnect):
        list(answers)


def test_a_link_is_open_so_many_times_at_most(client: Client) -> None:
    table = new(client)
    for _ in range(limits.SOCKETS_A_SEAT):
        client.join(table["table"], table["links"][0]).receive_json()
    assert "already" in refused(client.join(table["table"], table["links"][0]))


def test_tables_are_so_many_at_most(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "TABLES", 2)
    assert [sorted(new(client)) for _ in range(3)] == [["links", "table", "watch"]] * 2 + [["error"]]
    monkeypatch.setattr(limits, "IDLE", -1.0)
    assert "table" in new(client)


def test_other_hosts_and_other_sites_are_not_answered(client: Client) -> None:
    for headers in (
        {"host": "pirates.example"},
        *({"origin": origin} for origin in ("http://evil.example", "http://[x", "null")),
    ):
        assert client.get("/api/games", headers=headers).status_code == 421
        with pytest.raises(WebSocketDisconnect), client.websocket_connect(f"ws://{HOST}/ws/x", headers=headers):
            pass
    assert client.get("/api/games", headers={"origin": f"http://{HOST}"}).status_code == 200


def test_every_answer_forbids_what_is_not_ours(client: Client) -> None:
    for path in ("/api/games", "/nowhere"):
        headers = client.get(path).headers
        assert headers["content-security-policy"].startswith("default-src 'self'")
        assert headers["referrer-policy"] == "no-referrer"
        assert "set-cookie" not in headers


def test_a_replay_is_there_after_the_end_only(client: Client) -> None:
    table = new(client)
    for name in (table["table"], "nowhere"):
        answer = client.get(f"/api/replays/{name}")
        assert (answer.status_code, list(answer.json())) == (404, ["error"])


@pytest.mark.parametrize("lost_at", [1, 2, 3])
def test_a_connection_that_is_lost_while_something_is_sent_is_no_error(client: Client, hall: Hall, lost_at: int) -> None:
    table = new(client)
    texts = [{"hello": table["links"][0]}, {"act": "bid 1", "at": 0}, {"act": "bid 1", "at": 0}]
    heard = iter([{"type": "websocket.connect"}, *({"type": "websocket.receive", "text": json.dumps(text)} for text in texts)])
    sent: list[str] = []

    async def receive() -> dict[str, Any]:
        return next(heard, {"type": "websocket.disconnect", "code": 1006})

    async def send(message: dict[str, Any]) -> None:
        sent.append(message["type"])
        if len(sent) > lost_at:
            raise OSError("the other side is gone")

    scope = {"type": "websocket", "path": f"/ws/{table['table']}", "headers": [(b"host", HOST.encode())], "subprotocols": []}
    asyncio.run(client.app({**scope, "query_string": b"", "root_path": ""}, receive, send))  # type: ignore[arg-type]
    assert hall.rooms[table["table"]].sockets == []
