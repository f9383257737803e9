"""The study of what players choose among the actions of a kind."""

import json

import numpy as np
import pytest

from experiments.studies import chosen
from experiments.studies.chosen import ChosenSettings, actions_of, counts, main, shares
from pirate_envs import load
from pirate_envs.core.errors import OptionError

KING = load("skull_king", players=3, last_hand=3)


def test_what_was_legal_and_chosen_is_counted() -> None:
    actions = actions_of(KING, "bid")
    counted = counts(KING, "rules:simple", actions, 4, 0)
    assert counted.shape == (4, 2, len(actions))
    legal = counted[:, 1].sum(axis=0).tolist()
    bids = 4 * KING.players  # a deal in every rotation; hands of one, two and three cards
    assert legal[:4] == [3 * bids, 3 * bids, 2 * bids, bids] and not any(legal[4:])
    assert counted[:, 0].sum() == 3 * bids and (counted[:, 0] <= counted[:, 1]).all()


def test_a_share_is_of_the_decisions_where_it_was_legal() -> None:
    counted = np.array([[[1, 0, 0], [2, 2, 0]], [[3, 0, 0], [4, 4, 0]]])
    first, never, illegal = shares(counted)
    assert (first["chosen"], first["legal"]) == (4, 6) and first["share"]["mean"] == pytest.approx(4 / 6)
    assert chosen.cell(never) == "0 of 6" and illegal["share"] is None and chosen.cell(illegal) == "0 of 0"


def test_the_table_is_printed_and_kept(capsys, monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(chosen, "RESULTS", tmp_path)
    main(ChosenSettings("piratenpoker", "below deck", ("rules:plain", "random"), seats=3, deals=2, write=True))
    printed = capsys.readouterr().out
    assert "| below red |" in printed and "among 2 x `rules:strongest`" in printed
    assert (tmp_path / "chosen_piratenpoker_3_seats.md").read_text(encoding="utf-8").strip() == printed.strip()
    kept = json.loads((tmp_path / "chosen_piratenpoker_3_seats.json").read_text(encoding="utf-8"))
    assert len(kept["actions"]) == 3 and set(kept["players"]) == {"rules:plain", "random"}


@pytest.mark.parametrize("kind", ["play a number", "bet", ""])
def test_a_kind_that_is_not_there_or_too_large(kind) -> None:
    with pytest.raises(OptionError, match=f"no kind of action '{kind}' with at most 16; there are: bid, play a special"):
        actions_of(KING, kind)
