"""Skull King: what its golden pictures show."""

from tests.games.scenes import Scene

SCENES = {
    "bidding": Scene(lambda view: view["phase"] == "bid" and view["hand_number"] == 9),
    "bidding_open": Scene(
        lambda view: view["phase"] == "bid" and view["bids"].count(None) == 1, {"bidding": "open", "players": 3}, "dark"
    ),
    "leading": Scene(
        lambda view: view["phase"] == "play" and view["hand_number"] == 6 and not view["trick"] and view["played"]
    ),
    "following": Scene(lambda view: len(view["trick"]) == 4 and view["hand_number"] == 8, {"players": 6}, "dark"),
    "scary_mary": Scene(
        lambda view: any("scary_mary" in name for name in view["legal"]) and view["hand_number"] > 3, {"players": 5}
    ),
    "mermaid_takes_king": Scene(lambda view: {"mermaid", "skull_king"} <= set(view["trick"]), {"players": 5, "rules": "2021"}),
    "two_players": Scene(lambda view: len(view["trick"]) == 1, {"players": 2}),
    "all_open": Scene(
        lambda view: view["hand_number"] == 10 and len(view["trick"]) == 3, {"players": 6, "rules": "2021"}, open=True
    ),
    "over": Scene(lambda view: view["over"], {"last_hand": 4}, "dark"),
}
