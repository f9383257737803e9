"""Search: only what the seat may know, the same for a seed, and sensible where the right answer is plain."""

import pickle

import numpy as np
import pytest

import pirate_envs
from pirate_envs.agents import agent
from pirate_envs.agents.arena.duplicate import versus
from pirate_envs.agents.player import Decisions
from pirate_envs.core import verbs
from pirate_envs.core.errors import BatchError, UnknownPlayerError
from pirate_envs.search.forest import Forest, elected
from pirate_envs.search.tree import CHUNK, SWING, SearchSettings, Tree, share_win

GAMES = pirate_envs.games()


def position(name, seed, decisions, **options):
    """After so many decisions, or before the last one of a match that is shorter."""
    game = pirate_envs.load(name, **options)
    g = game.new(seed)
    for _ in range(decisions):
        before = g.copy()
        game.apply(g, game.legal_actions(g)[-1])
        if game.is_over(g):
            return game, before
    return game, g


def decide(game, g, name, chance=0.5):
    """What the player of that name does in one position."""
    redacted = np.array([game.redacted(g, game.seat_to_move(g))])
    mask = game.action_mask(g)[None].astype(bool)
    seen = game.observation(g, game.seat_to_move(g))[None]
    return int(agent(game, name).act(Decisions(seen, mask, np.array([chance]), redacted))[0])


@pytest.mark.parametrize(
    "budget",
    ["40", "2ms", "40:uniform", "40:rules=strongest", "40:horizon=match", "40:horizon=2:c=0.2", "1:threads=3", "2ms:threads=2"],
)
@pytest.mark.parametrize("kind", ["flat", "ismcts"])
@pytest.mark.parametrize("name", GAMES)
def test_every_search_plays_legal_actions(name, kind, budget):
    for decisions in (0, 3, 8):
        game, g = position(name, 5, decisions)
        if "rules=" in budget and not game.rule_players:
            pytest.skip("no rule player to play out with")
        assert decide(game, g, f"search:{kind}:{budget}") in game.legal_actions(g)


@pytest.mark.parametrize("name", GAMES)
def test_a_seed_gives_the_same_search_whatever_was_searched_before(name):
    game, g = position(name, 2, 4)
    records = np.array([game.redacted(g, game.seat_to_move(g))] * 6)
    seeds = np.arange(6)
    tree = Tree(game, 60, SearchSettings())
    together = tree.choose(records, seeds, 60)
    alone = [Tree(game, 60, SearchSettings()).choose(records[i : i + 1], seeds[i : i + 1], 60)[0] for i in reversed(range(6))]
    assert together.tolist() == alone[::-1]


@pytest.mark.parametrize("name", GAMES)
def test_a_search_leaves_its_roots_as_they_were_and_counts_its_decisions(name):
    game, g = position(name, 3, 2)
    records = np.array([game.redacted(g, game.seat_to_move(g))])
    before = records.tobytes()
    tree = Tree(game, 50, SearchSettings(horizon=1))
    tree.choose(records, np.array([9]), 50)
    assert records.tobytes() == before
    assert tree.decisions >= CHUNK  # a search may stop when all is clear


def test_a_search_can_go_on_from_iteration_to_iteration():
    game, g = position("skull_king", 3, 30)
    record = np.array([game.redacted(g, game.seat_to_move(g))])
    once = Tree(game, 90, SearchSettings())
    once.plant(record)
    once.grow(7, 0, 90)
    assert once.best() in game.legal_actions(g)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("playout", [0, 1])
def test_a_search_that_stops_early_chooses_what_it_would_have_chosen(name, playout):
    for seed in range(6):
        game, g = position(name, seed, 5)
        record = np.array([game.redacted(g, game.seat_to_move(g))])
        tree = Tree(game, 400, SearchSettings(playout=min(playout, len(game.rule_players))))
        early = tree.choose(record, np.array([seed]), 400)[0]
        if len(game.legal_actions(g)) > 1:
            tree.plant(record)
            for start in range(0, 400, CHUNK):
                tree.grow(seed, start, min(start + CHUNK, 400))
            assert tree.best() == early


@pytest.mark.parametrize("name", GAMES)
def test_a_forest_gives_the_same_choices_for_a_number_of_threads(name):
    """Whatever was searched before or beside it, at once or on and on; and its first tree is the one of a search alone."""
    game, g = position(name, 2, 4)
    records, seeds = np.array([game.redacted(g, game.seat_to_move(g))] * 5), np.arange(5) * 977
    for threads in (1, 2, 3):
        forest = Forest(game, 91, SearchSettings(), threads)
        together = forest.choose(records, seeds, 91)
        for i in reversed(range(5)):
            assert (
                Forest(game, 91, SearchSettings(), threads).choose(records[i : i + 1], seeds[i : i + 1], 91)[0] == together[i]
            )
        assert set(together) <= set(game.legal_actions(g))
    alone = Tree(game, 31, SearchSettings())
    alone.plant(records[:1])
    alone.grow(977, 0, 14)
    alone.grow(977, 14, 31)
    forest.plant(records[:1])
    forest.grow(977, 0, 40)
    forest.grow(977, 40, 91)
    assert forest._trees[0].decisions == alone.decisions < forest.decisions
    assert (
        forest._trees[0]._nodes[: int(alone._tree[0]["used"])].tobytes()
        == alone._nodes[: int(alone._tree[0]["used"])].tobytes()
    )
    assert [int(tree._nodes[0]["visits"]) for tree in forest._trees] == [31, 30, 30]
    assert len({tree._nodes[:40].tobytes() for tree in forest._trees}) > 1  # by worlds of their own; Kuhn poker has two


def test_a_forest_takes_the_action_of_most_votes():
    votes, values = np.array([[3, 5, 5, 0], [7, 1, 1, 1]]), np.array([[9.0, -2.0, -1.0, 0.0], [-5.0, 0.0, 0.0, 0.0]])
    assert elected(votes, values).tolist() == [2, 0]
    game, g = position("skull_king", 3, 30)
    record = np.array([game.redacted(g, game.seat_to_move(g))])
    forest = Forest(game, 100, SearchSettings(), 2)
    forest.plant(record)
    with pytest.raises(BatchError, match="no iterations"):
        forest.best()
    forest.grow(5, 0, 100)
    summed = np.zeros(game.actions, np.int64)
    for tree in forest._trees:
        for node in below(tree, tree._nodes[0]):
            summed[int(node["label"])] += int(node["visits"])
    assert summed[forest.best()] == summed.max() and summed.sum() == 100
    for iterations in (0, 101):
        with pytest.raises(BatchError, match="room for 1 to 100"):
            forest.choose(record, np.array([1]), iterations)
    with pytest.raises(BatchError, match="threads is 0"):
        Forest(game, 10, SearchSettings(), 0)


def test_a_tree_that_is_sure_has_all_its_votes():
    """Eight diamonds under the captain: to stop is clear long before the last iteration, and what was spared counts for it."""
    game = pirate_envs.load("piraten_kapern", players=2)
    g = game.from_view({"card": "captain", "dice": ["diamond"] * 8})
    votes, values = np.zeros((1, game.actions), np.int64), np.zeros((1, game.actions))
    tree = Tree(game, 4000, SearchSettings())
    tree.vote(np.array([game.redacted(g, 0)]), np.array([3]), 4000, votes, values)
    assert int(tree._nodes[0]["visits"]) < 4000 == votes.sum()
    assert game.action_name(g, int(votes.argmax())) == "stop"


def test_a_copied_tree_searches_as_the_first_one():
    game, g = position("skull_king", 3, 30)
    record = np.array([game.redacted(g, game.seat_to_move(g))])
    for made in (Tree(game, 200, SearchSettings()), Forest(game, 200, SearchSettings(), 2)):
        copied = pickle.loads(pickle.dumps(made))
        for seed in range(5):
            assert copied.choose(record, np.array([seed]), 200) == made.choose(record, np.array([seed]), 200)
        assert copied.decisions == made.decisions


@pytest.mark.parametrize("searcher", [Tree, lambda *how: Forest(*how[:3], 2, how[3])])
def test_a_search_meets_the_worlds_that_it_is_told(searcher):
    """Nothing comes by chance within Skull King's hands: told all worlds in order it is as untold, told one it is another."""
    game, g = position("skull_king", 3, 30)
    records, seeds = np.array([game.redacted(g, game.seat_to_move(g))] * 8), np.arange(8)
    untold = searcher(game, 300, SearchSettings(), None)

    def told(which):
        return searcher(game, 300, SearchSettings(), which)

    ordered = told(lambda roots, _: np.tile(np.arange(300), (len(roots), 1)))
    fixed = told(lambda roots, _: np.zeros((len(roots), 1), np.int64))
    assert ordered.choose(records, seeds, 300).tolist() == untold.choose(records, seeds, 300).tolist()
    assert fixed.choose(records, seeds, 300).tolist() != untold.choose(records, seeds, 300).tolist()
    for tree in (ordered, untold):
        tree.plant(records[:1])
        tree.grow(5, 0, 120)
        tree.grow(5, 120, 300)
    assert ordered.best() == untold.best() and ordered.decisions == untold.decisions


def test_chance_to_come_differs_in_a_world_that_is_met_again():
    """As `test_what_the_dice_show_tells_nodes_apart`, all in one world."""
    game = pirate_envs.load("piraten_kapern", players=2)
    g = game.from_view({"card": "gold", "dice": [*["coin"] * 6, "monkey", "skull"]})
    tree = Tree(game, 20_000, SearchSettings(exploration=1000.0), lambda roots, _: np.zeros((len(roots), 1), np.int64))
    tree.plant(np.array([game.redacted(g, 0)]))
    tree.grow(1, 0, 20_000)
    moves = {game.action_name(g, int(node["label"])): node for node in below(tree, tree._nodes[0])}
    assert len(below(tree, moves["reroll coin monkey"])) == 21 - 1


def test_the_mermaid_takes_the_king_when_both_tricks_are_needed():
    """Trick one of two, the king has been led: only the mermaid takes him, and the black 13 will probably win the next."""
    assert best_on_king(["mermaid", "black_13"], bid=2) == {"play mermaid"}


def test_the_mermaid_waits_when_one_trick_is_needed():
    """She would take the king, 50 on top, but the 2 that is then led wins once in two: worth 30; she is worth 37 later."""
    assert best_on_king(["mermaid", "yellow_2"], bid=1) == {"play yellow_2"}


def best_on_king(hand, bid):
    view = {
        "phase": "play", "hand_number": 2, "leader": 0, "bids": [0, bid], "tricks_won": [0, 0],
        "hands": [["escape"], hand], "trick": ["skull_king"],
    }  # fmt: skip
    game = pirate_envs.load("skull_king", players=2)
    g = game.from_view(view)
    names = [f"search:{kind}:2000{playout}" for kind in ("flat", "ismcts") for playout in ("", ":uniform")]
    return {game.action_name(g, decide(game, g, name)) for name in names}


def test_what_the_dice_show_tells_nodes_apart():
    """Two dice fall in 21 ways; beside a skull, two skulls more end the turn, and the others are a node each."""
    game = pirate_envs.load("piraten_kapern", players=2)
    g = game.from_view({"card": "gold", "dice": [*["coin"] * 6, "monkey", "skull"]})
    tree = Tree(game, 20_000, SearchSettings(exploration=1000.0))
    tree.plant(np.array([game.redacted(g, 0)]))
    tree.grow(1, 0, 20_000)
    moves = {game.action_name(g, int(node["label"])): node for node in below(tree, tree._nodes[0])}
    assert len(moves) == 1 + 11  # to stop, or two dice or more of six coins and a monkey
    assert len(below(tree, moves["stop"])) == 0
    assert len(below(tree, moves["reroll coin monkey"])) == 21 - 1


def below(tree, node):
    """The nodes below a node."""

    def siblings(at):
        if at < 0:
            return []
        node = tree._nodes[at]
        return [node, *siblings(int(node["lower"])), *siblings(int(node["next"]))]

    return siblings(int(node["first"]))


def test_the_last_turn_is_played_for_the_win():
    """The stop is worth 1,000 points, and 500 too few to win; rolling on mostly loses them, and is all that can win."""
    view = {
        "phase": "turn", "card": "skulls_1", "dice": [*["coin"] * 5, "monkey", "sabre", "skull"], "scores": [6500, 5000],
        "turn_of": 1, "to_move": 1, "final_round": {"trigger": 0, "turns_left": 0},
    }  # fmt: skip
    for reward, stops in (("win", False), ("score", True)):
        game = pirate_envs.load("piraten_kapern", players=2, reward=reward)
        g = game.from_view({**view, "options": game.options.changed()})
        assert (game.action_name(g, decide(game, g, "search:ismcts:1000")) == "stop") == stops


def test_a_lead_of_one_swing_makes_the_odds_e_to_one():
    game, g = position("piraten_kapern", 1, 0, players=2)
    points, shares = np.array([700 + round(SWING * game.scale), 700]), np.zeros(2)
    share_win(g, points, 0b01, shares)
    assert shares == pytest.approx([np.e / (1 + np.e), 1 / (1 + np.e)])
    g.over = 1
    share_win(g, points, 0b11, shares)
    assert shares.tolist() == [0.5, 0.5]


@pytest.mark.parametrize("name", ["skull_king", "piratenpoker"])
def test_sealed_bids_are_made_anew_and_the_seat_sees_no_difference(name):
    game, g = position(name, 5, 2, players=3)
    world = game.determinized(g, 2, seed=1)
    before = world.copy()
    game.verbs["reopen"](world)
    assert (int(world.to_move), int(world.decisions)) == (0, 0)
    assert (world["bids"][:2] == -1).all()
    for _ in range(2):
        game.apply(world, game.legal_actions(world)[0])
    assert (world["bids"][:2] != before["bids"][:2]).any()
    assert (int(world.to_move), int(world.decisions)) == (2, 2)
    assert game.observation(world, 2).tobytes() == game.observation(before, 2).tobytes()


@pytest.mark.parametrize("name", GAMES)
def test_what_is_not_sealed_stays_as_it_is(name):
    options = {"bidding": "open"} if name == "skull_king" else {}
    _, g = position(name, 5, 0 if name == "piratenpoker" else 2, **options)
    before = g.tobytes()
    verbs.reopen(g)
    assert g.tobytes() == before


def test_eight_diamonds_are_enough():
    game = pirate_envs.load("piraten_kapern", players=2)
    g = game.from_view({"card": "captain", "dice": ["diamond"] * 8})
    for name in ("search:flat:300", "search:ismcts:300"):
        assert game.action_name(g, decide(game, g, name)) == "stop"


@pytest.mark.parametrize("name", GAMES)
def test_search_beats_random_players(name):
    game = pirate_envs.load(name, players=game_players(name))
    deals = max(12, 3000 // game.max_decisions)  # short matches hold more luck
    result = versus(game, agent(game, "search:ismcts:30"), agent(game, "random"), deals)
    assert result.first()["win_share"].low > 1 / game.players


def game_players(name):
    return 3 if name == "piratenpoker" else 2


@pytest.mark.parametrize(
    "name", ["search:", "search:deep:100", "search:flat:0", "search:flat:x", "search:flat:9999999", "search:ismcts:10:rules=x",
             "search:ismcts:10:horizon=day", "search:ismcts:10:horizon=0", "search:ismcts:10:uniform=1",
             "search:ismcts:10:c=-1", "search:ismcts:10:speed=2"],
)  # fmt: skip
def test_unknown_searches_are_told_what_there_is(name):
    with pytest.raises(UnknownPlayerError):
        agent(pirate_envs.load("skull_king"), name)
