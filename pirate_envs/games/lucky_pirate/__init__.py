"""Lucky Pirate: be the first to get rid of all your cards, the blind ones at the end too.

A shedding game for 2 to 6 players: play the same or higher on the pile, or take all of it. Captains block, mermaids and
parrots get past anything else, three equal numbers or a plank clear the pile. Each player goes through three zones: the
hand, then the cards face up on the table, then those face down below them, which nobody has seen.

Cards and dealing
  R1   60 cards (ruling: the rulebook names the cards, not how many): 1 to 6, 8, mermaid (7), captain (9), kraken (10), first
       mate and porthole 4 each; parrot, walk the plank, reverse and skip 3 each. The option deck has any numbers of them.
  R2   The first dealer is drawn by lot (cutting for the lowest card does the same).
  R3   All cards are dealt one by one from the dealer's left. With two players a third hand is dealt as well and laid aside
       unseen. If the cards do not divide, the first places get one more (ruling).
  R4   Each player lays out cards face down, and as many face up on them: 4 and 4 with 2 or 3 players, 3 and 3 with 4, 2 and 2
       with 5 or 6. Nobody looks, so it is done while dealing (ruling): at each place the first cards go down, the next up, in
       slots 0, 1, ...; the rest is the hand.
  R5   The dealer's left begins with any play, and the turn passes to the left.

A turn
  R6   First the hand is played, when it is empty the ups, when they are gone the downs. A play is 1, 2 or 3 equal cards of the
       zone in play that go on the pile (see the table), any that fit and as many of them as you like (rulings: at most three,
       never from two zones; the first card must fit, the others follow it). Equal ups are taken from the lowest slots.
  R7   Who can play must play. A zone that runs empty ends no turn early and starts none: the next zone is used the next time
       that its player is to play.
  R8   Who cannot play takes the whole pile into the hand, and the turn passes. The next player finds no pile.
  R9   A down is chosen blind. If it fits, it is played; if not, the pile and this card, which all have seen, go to the hand,
       and the turn passes. The pile may not be picked up without flipping.
  R10  Whoever has no card left after a play has won the game at once, with whatever card it was (ruling).

What goes on what: y goes, n does not; "open" is no pile, or one that a parrot has freed

       pile asks for   number  mermaid  captain  kraken  first mate  porthole  parrot  plank  reverse, skip
       open              y        y        y       y         y          y        y       y          y
       1 to 6, 8      if >= it    y        y       y         n          y        y       y          y
       7 (mermaid)     8 only     y        y       y         n          y        y       y          y
       9 (mated)         n        y        y       y         n          y        y       y          y
       10 (kraken)       n        y        n       y         n          y        y       y          y
       captain           n        n        y       n         y          y        n       n          n

       Rulings: a captain goes on a captain (option captain_on_captain); a first mate goes on nothing else (option first_mate);
       reverse and skip go on all but a captain (option reverse_skip).

What the cards do
  R11  A number, mermaid (7) or kraken (10) asks for its value; a captain (9) for an answer to it.
  R12  Three or more equal numbers one after the other, by whomever, clear the pile; mermaids, captains and krakens are numbers
       too. Any other card in between breaks the run (ruling but for the porthole).
  R13  First mate: the captain it is played on becomes a plain 9. On anything else it changes nothing (ruling).
  R14  Porthole: copies what it covers: the pile asks for the same as before. It copies no reverse or skip, and is no third card
       of a run itself (ruling).
  R15  Parrot: the next card may be anything.
  R16  Walk the plank: clears the pile.
  R17  A cleared pile is out of the game. Reverse and skip leave what the pile asks for as it was (ruling).
  R18  After a clear the same player plays again, in the same turn (ruling; option clear_again).
  R19  Reverse: the turn passes the other way round from now on. With two players that changes nothing. Picking up and clearing
       leave the direction (ruling). Of several played together the rulebook says: "they cancel each other out and play
       continues in the same direction". Option several_reverses: by default (pairs) each turns it once, so two cancel each
       other and three turn it, for the third has none to cancel it, and three do the same together as one by one; with all,
       the sentence is taken at its word and two or three leave the direction as it was. Observations do not show this
       option: it is meant to be fixed for a run.
  R20  Skip: as many players are skipped as skips were played. Counting goes round the table, oneself included: of two players
       the one who plays a skip has another turn (ruling).

Variants (off by default)
  R21  parrot_again: the parrot's player may at once, in the same turn, play any other card on it, or stop.
  R22  A stop ends the turn, and the next player finds the pile open.
  R23  With parrot_again the zone in play moves on with it, as after a clear: a down may be flipped onto a parrot.
  R24  early_downs: with an empty hand a down whose own up is gone may be flipped instead of playing an up, and also when no up
       can be played; then the pile may still be picked up instead (ruling: a blind card is no known ability to play).

The match
  R25  One game won is one point. With wins_needed=1 the match is one game; a tournament goes to whoever has won that many
       games first. The winner of a game deals the next.
  R26  A turn lasts until it passes to the next player or ends the game: after a clear, or a parrot with R21, it goes on, and a
       further turn by R20 is a new one (ruling). Cards picked up come back, so a game can go round in a circle with nobody
       having a choice: after max_turns turns without a winner it is cut short and counts for nobody (ruling).
  R27  A single game cut short is the end of the match, without a winner and with a reward of 0 for all.
  R28  In a tournament the same dealer then deals again. After players x (wins_needed - 1) + 9 games in all, 8 more than can
       have a winner, the tournament is cut short too (ruling).

What is hidden: the hands of others, but not how many cards they have; all downs, one's own too; the hand laid aside. Of each
hand all know what they have seen go there from the pile or from a flip; when such a card is played, it counts as the known
one. And who picks up from the hand proves that no card in it fits (R7, R8): from then on no card of that hand can be of these
kinds, but for those that all have seen go there, for nothing else ever comes to a hand. No other decision proves anything: any
number of copies may be played and any fit left in the hand, a stop is always free (R22), and ups lie open.

What an observation leaves out, though the seat may know it (to remember it all is the business of a player with a memory of
the match, or of its views):
  - how the match came here: who played what and when, the last plays, in which order the pile lies below its run. It proves
    nothing about a card beyond what is shown, but it may tell how the others play.
  - which up lies in which slot: no down is known, so that one is as good as another.
  - whose turn it is, and that the match is over: a seat is asked when it is to play; an onlooker is not told.
  - the number of its seat and the dealer; and how many games of a tournament were cut short. They matter only when a game is
    cut short (R28).
  - what is meant to be fixed for a run: the deck, several_reverses, max_turns (but the share of it that is over), rewards.

Actions: 3 * kind + m - 1 plays m cards of a kind (1, 2, 3, 4, 5, 6, mermaid, 8, captain, kraken, first mate, porthole, parrot,
plank, reverse, skip), 48 to 51 flip the down in slot 0 to 3, 52 picks up the pile, 53 stops (R22).

Options: players, deck, early_downs, parrot_again, captain_on_captain, clear_again, first_mate, reverse_skip,
several_reverses, wins_needed, max_turns.

Rewards: win (the winner +1, the others share -1), score (games won) or margin (own games less the mean of the others'), at the
end, or game by game with pay_as_scored. A match that is cut short pays nothing under win.

Positions: phase is 'hand', 'ups' or 'downs', the zone in play; a view's own keys are pile (cards from the bottom up), need
('open', 1 to 10 or 'captain'), run (None, or value and length), direction (1 or -1), hands (a list of cards, or their number),
known (cards of each hand that all have seen), cannot_hold (kinds of which each hand has no other card, as its pick-ups have
proved; empty when there is no other card), ups and downs (a list of slots: a card, None for an empty slot, '?' for a down
not to be seen), aside (a list of cards, or their number), cleared, after_parrot, turn (turns of this game before this one),
game_number, dealer, wins, last_plays (by seat: None, or action, flipped and result 'played', 'cleared', 'picked up' or
'stopped'), truncated and decisions. A view to play from may leave out any of them: {"hands": [["captain"], 3, 5, 5], "pile":
["4", "4"]} is one. In last_plays None tells nothing; a play must agree with the rest: its cards lie on the pile, were cleared
or are known in another's hand, a pile picked up is known in its own, and cannot_hold, if it tells anything of this hand, has
what that proves.

Versions: v0, the first.
"""

VERSION = 0
