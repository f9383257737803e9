"""Piratenpoker: what its golden pictures show."""

from tests.games.scenes import Scene

SCENES = {
    "bidding": Scene(lambda view: view["phase"] == "bid" and view["cycle"] == 2 and view["round"] == 1),
    "doubled": Scene(lambda view: view["phase"] == "bid" and view["round"] == 3 and view["cycle"] > 2, {"players": 5}, "dark"),
    "overboard": Scene(lambda view: view["phase"] == "overboard" and view["cycle"] > 3, {"players": 5}),
    "below": Scene(lambda view: view["phase"] == "below" and view["cycle"] > 2, {"players": 3}, "dark"),
    "gift": Scene(lambda view: view["phase"] == "gift" and len(view["legal"]) > 4),
    "french": Scene(
        lambda view: view["phase"] == "bid" and view["cycle"] > 3 and not all(view["pass_in_hand"]), {"rules": "french"}
    ),
    "all_open": Scene(
        lambda view: view["phase"] == "bid" and view["cycle"] == 3 and view["to_move"] == 3, {"players": 5}, open=True
    ),
    "over": Scene(lambda view: view["over"], {"players": 3}, "dark"),
}
