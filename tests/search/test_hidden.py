"""What a seat may not see of a decision is told as hidden, and nothing else is."""

import numpy as np
import pytest

import pirate_envs
from pirate_envs.search.hidden import is_hidden


def decisions(name, matches, **options):
    """Positions of matches with uniform legal actions, in which there is a choice, with a seat that looks on."""
    game = pirate_envs.load(name, **options)
    for seed in range(matches):
        g, chance = game.new(seed), np.random.default_rng(seed)
        while not game.is_over(g):
            legal = game.legal_actions(g)
            if len(legal) > 1:
                yield game, g, (game.seat_to_move(g) + 1 + seed % (game.players - 1)) % game.players
            game.apply(g, int(chance.choice(legal)))


@pytest.mark.parametrize("name", ["piraten_kapern", "lucky_pirate"])
def test_nothing_is_hidden_where_all_is_played_openly(name):
    count = 0
    for game, g, seat in decisions(name, 4, players=3):
        assert not is_hidden(game, g, seat)
        count += 1
        if count == 400:
            break
    assert count > 100


def test_the_last_two_dice_of_an_island_are_public():
    """Most rolls bring no new skull and end the turn as a stop would: the same loss in most worlds."""
    game = pirate_envs.load("piraten_kapern", players=3)
    g = game.from_view({"phase": "island", "card": "gold", "dice": ["coin", "monkey", *["skull"] * 6], "to_move": 1, "turn": 4})
    assert len(game.legal_actions(g)) == 2
    assert not is_hidden(game, g, 0)


def test_a_sea_battle_that_is_as_good_as_lost_is_public():
    """To stop loses as much as to bust."""
    game = pirate_envs.load("piraten_kapern", players=3)
    dice = ["coin", "coin", "diamond", "diamond", "monkey", "parrot", "skull", "skull"]
    g = game.from_view({"card": "sea_battle_4", "dice": dice, "to_move": 1, "turn": 4})
    assert not is_hidden(game, g, 2)


def test_sealed_bids_of_skull_king_are_hidden_until_the_last_reveals_them():
    bids = 0
    for game, g, seat in decisions("skull_king", 2, players=3):
        bidding = game.view(g)["phase"] == "bid"
        revealed = bidding and sum(bid is None for bid in game.view(g)["bids"]) == 1
        assert is_hidden(game, g, seat) == (bidding and not revealed)
        bids += bidding
    assert bids > 30
    for game, g, seat in decisions("skull_king", 1, players=3, bidding="open"):
        assert not is_hidden(game, g, seat)


def test_sealed_bids_of_piratenpoker_are_hidden_until_the_last_reveals_them():
    bids = 0
    for game, g, seat in decisions("piratenpoker", 1, players=3):
        view = game.view(g)
        sealed = (
            view["phase"] == "bid"
            and sum(bid is None for bid, stays in zip(view["bids"], view["in_cycle"], strict=True) if stays) > 1
        )
        assert is_hidden(game, g, seat) == sealed, view
        bids += sealed
    assert bids > 5


def test_it_is_judged_without_the_real_cards():
    """The answer is the same whatever the others hold."""
    for game, g, seat in decisions("skull_king", 1, players=3, last_hand=2):
        other = game.determinized(g, seat, 77)
        assert is_hidden(game, other, seat) == is_hidden(game, g, seat)
