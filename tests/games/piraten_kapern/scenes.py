"""Piraten Kapern: what its golden pictures show."""

from tests.games.scenes import Scene

SCENES = {
    "first_roll": Scene(lambda view: view["rolls"] == 1),
    "kept": Scene(lambda view: len(view["kept"]) > 3 and view["turn"] > 12, {"players": 5}, "dark"),
    "treasure_island": Scene(lambda view: view["card"] == "treasure_island" and view["rolls"] > 1, {"players": 3}),
    "sorceress": Scene(lambda view: view["card"] == "sorceress" and "reroll skull" in view["legal"], {"players": 2}, "dark"),
    "island": Scene(lambda view: view["island"] and view["rolls"] > 1),
    "sea_battle": Scene(lambda view: view["card"] == "sea_battle_4" and view["turn"] > 4),
    "promo": Scene(lambda view: view["card"] == "after_the_storm", {"promo": True}, "dark"),
    "final_round": Scene(lambda view: view["final_round"], {"target": 1000}),
    "over": Scene(lambda view: view["over"], {"target": 1000, "players": 3}),
}
