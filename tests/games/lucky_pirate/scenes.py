"""Lucky Pirate: what its golden pictures show."""

from tests.games.scenes import Scene

SCENES = {
    "opening": Scene(lambda view: view["need"] == "open" and view["turn"] == 0),
    "hand": Scene(lambda view: len(view["pile"]) > 4 and len(view["legal"]) > 2, {"players": 6}, "dark"),
    "captain": Scene(lambda view: view["need"] == "captain" and view["turn"] > 20, {"players": 5}),
    "many_cards": Scene(
        lambda view: any(not isinstance(hand, int) and len(hand) > 15 for hand in view["hands"]), {"players": 3}
    ),
    "ups": Scene(lambda view: view["phase"] == "ups", {}, "dark"),
    "downs": Scene(lambda view: view["phase"] == "downs", {"wins_needed": 3}),
    "parrot": Scene(
        lambda view: view["after_parrot"] and "stop" in view["legal"], {"parrot_again": True, "players": 3}, "dark"
    ),
    "two_players_open": Scene(lambda view: view["turn"] == 9, {"players": 2}, open=True),
    "over": Scene(lambda view: view["over"], {}),
}
