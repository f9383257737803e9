"""Kuhn poker: three cards, two players, one bet.

The smallest game of poker (H. W. Kuhn 1950), and the smallest game of this house: what a game may leave out, it leaves out.

  R1   Two players; who begins is drawn by lot. Each puts one chip into the pot and is dealt one of three cards: a jack, a
       queen, a king, which beat each other in this order. The third card stays unseen.
  R2   The player to move checks or, with one more chip, bets.
  R3   After a bet the other folds, and the bettor takes the pot; or calls with one more chip, and the higher card takes it.
  R4   When both have checked, the higher card takes the pot.
  R5   The match is this one hand. Points are the chips won or lost.
  R6   Both cards are shown when they are compared. After a fold none is.

What is hidden: the other's card, unless R6 shows it.

Actions: 0 checks or folds, 1 bets or calls.

Options: players (2). Rewards: win (the winner +1, the other -1), score or margin; score pays in chips.

With best play the one who begins loses 1/18 of a chip a match.

Positions: phase is 'bet' or 'over'; a view's own keys are cards (one for each seat, None for one not to be seen), chips (in
the pot, by seat) and first (who begins).

Versions: v0, the first.
"""

VERSION = 0
