"""Piratenpoker: stake poker cards for the say over three loot cards, of which one goes to you, one below deck, one overboard.

A card game for 3 to 5 players by Michael Schacht (Piatnik, 1999), by its English or its French rulebook, which differ. In a
cycle of three rounds of sealed bids the players decide what becomes of three loot cards. The shown sides of the loot
that one owns are points.

Components
  R1   84 poker cards: in green, red and yellow 1 and 8 once, 2 and 7 twice, 3 and 6 four times, 4 and 5 seven times. Each
       player has one Pass.
  R2   21 loot cards, seven of each colour, front/back: +5/+4 (a shark on the back), +6/-3, +8/-4, +10/-5. In each colour there
       are 2, 2, 2 and 1 of them (ruling: no source says how many; every bonus can be reached so); `loot_counts` changes that.
  R3   Each colour is shuffled and makes a stack, backs up: the top card of each is known to all. Everybody is dealt six poker
       cards, seat 0 first; the others are the draw pile.

A cycle
  R4   Everybody is in and holds the Pass.
  R5   The top card of each stack is put on offer, front up.
  R6   Three rounds: overboard, below deck, the loot. In each one everybody bids, sealed, and all bids are uncovered together. A
       bid is any of one's own poker cards, at least one, or the Pass alone. Seat 0 is asked first (ruling: one decision at a
       time gives the same game, while nobody sees a bid). Until the reveal it is hidden too how many cards are in a bid.
  R7   Who passed takes no part in the later rounds of the cycle and keeps its cards. With pass_effect='spent' it takes part,
       but must stake cards. The Pass is back in the next cycle.
  R8   Without cards only the Pass can be bid (ruling). Without cards and Pass one takes no part (ruling; pass_effect='spent').
  R9   After the reveal all staked cards, the losers' too, go to the discard, which all may look through.
  R10  One player alone bids as always; any card wins (ruling).
  R11  Overboard: the winner chooses a loot card, it is turned to its back and goes to the display of a player that it names,
       itself too. With overboard_to='others' another one; with overboard_shark='keep' a shark is always its own.
  R12  Below deck: the winner chooses one of the two loot cards left, it goes back side up under the stack of its colour.
  R13  Then it may give one of its own cards that show a negative back to another player. With gift_limit='any' as many as it
       likes, all to the same player: each is a decision of its own, the first one names the receiver.
  R14  The loot: the winner lays the last card front up into its display.

Who wins a round
  R15  The highest total; in a tie the highest card, then the second and so on (tie_depth='two': no further). Players who stay
       tied are out of the reckoning, and the best who is tied with nobody wins (ruling: as often as it takes). The Pass is a
       bid of 0, so a single one wins when all others are tied (ruling). Who takes no part wins nothing.
  R16  In the third round cards of the loot's colour count twice, in ties too (ruling: the card is worth twice). With
       r3_tie_value='printed' ties compare the numbers as printed.
  R17  When nobody wins the cycle ends at once: what is on offer goes back under its stacks (ruling: "back" is where it comes
       up last; what was decided before stays). So too when nobody stakes a card; with all_pass='remove' the loot on
       offer then leaves the game, with 'remove_last' only in the third round, whose one card is what was passed on
       (ruling: in the rounds before no card is, and all go back).

After a cycle
  R18  If a stack has no card the match is over (ruling: the last card is still played for, and may come back below deck).
       With match_end='at_once' nobody plays for a stack's last card (ruling: turned up it leaves the stack empty, and what
       is on offer then is nobody's), so the match is over when a stack has one card.
  R19  Else everybody draws up to six poker cards (refill_to), seat 0 first; who holds more keeps them. When a card is needed
       from the empty pile the discard is shuffled and becomes the pile.
  R20  After max_cycles cycles the match is cut short and counts as it stands (ruling: nothing else bounds it).

Points
  R21  The sum of all shown sides. A +5 is no shark while its front is shown.
  R22  Three sharks are 5 more; so are three fronts of one value, in any colours, and of a second value again. Backs make no
       such set. With bonus_repeat every full three pays. With bonus_sides='all' three backs of one negative value are 5 more
       too (sharks make their own set only).
  R23  The most points win; in a tie the highest shown card, then the second and so on (tie_depth as in R15).
  R24  Who stays tied shares the win. With final_tie='runner_up' tied players are out of the reckoning as in R15, and the win is
       shared only if nobody is left.

Options: every difference of the rulebooks is an option of its own; rules='french' sets overboard_to='others',
overboard_shark='keep', gift_limit='any', pass_effect='spent', refill_to=5 (the first hand is six all the same),
all_pass='remove_last', match_end='at_once', bonus_repeat, bonus_sides='all', tie_depth='two' and final_tie='runner_up'.
match_end and bonus_sides are not observed, and of all_pass only whether it removes anything: fix them for a run.

Actions: 0 is the Pass, 1 to 63 stake the hand's slots whose bits are set; cards lie in the order green, red, yellow, ascending,
and among equal cards the lowest slots are meant. 64 + 5 * colour + t sends the loot of that colour overboard to the player
t seats further on (0: oneself), 79 + colour sends it below deck. 82 gives nothing; 83 + 4 * back + t - 1 gives a card that
shows that back (0: -3, 1: -4, 2: -5) to the player t seats further on.

Known cards: when the discard becomes the pile (R19) every other card is in a hand, so each seat knows what the others hold
together. Observations show what is left of that for certain (`held`) and how many cards of a hand can be so old (`old`).
Imagined worlds agree with all that was staked since, and with what up to two reshuffles before that one told, if a card can
be in a hand since then; each weighs as many as there are deals and choices of cards that lead to it. Counting them is broken
off after 20,000 steps (seldom with one reshuffle to tell of, with more in one position of six): then weights are only near to
that. What reshuffles before those told is forgotten (it would have mattered in none of 5,000 matches; many more cycles than
usual can make it matter).
What a seat knows besides, its observation does not tell, for it holds what there is, not what was (a replay has that): bids
before the last reveal, so who staked which card of the discard and when, in how many decisions, what that proves of the hands
beyond `held`, and how the others like to bid; which own cards the others know of; the discard before the reshuffle, what the
one before told, and whether there was one at all once all hands have been empty since; who sent which loot overboard or gave
it away; the colours of loot in displays and out of the game, which count for nothing (those in the stacks are told); the number
of one's seat, so who draws before it (R19): seats are told from one's own on; to a seat that looks on, who is asked for a bid.

Rewards: win (the winners share +1 and the others share -1: one winner of four has +1, the others -1/3 each), score (points /
50) or margin (own points less the mean of the others', / 50), at the end, or as displays change with pay_as_scored.

Positions: poker cards are named green_5, loot by the side that counts: green_+8, green_-4, green_shark. phase is 'bid',
'overboard', 'below' or 'gift'; a view's own keys are first_seat (asked first, 0), cycle, round, offer (fronts), stacks (by
colour, fronts from the top; None: not seen by anybody), hidden (by colour, cards not seen, from the second on), removed
(loot out of the game), hands (a list of cards, or their number, as of the last reveal or refill: sealed bids are in them),
pass_in_hand, in_cycle, bids (sealed in this round: None, 'pass' or cards; None too if hidden), displays, discard, pile
(cards in it), gift_to (who gets further gifts), last_reveal (None, or round, doubled colour, bids and winner), reshuffle
(None, or what is known since the discard became the pile: held, the cards of all hands at that moment; drawn, by seat the
cards drawn since, or their number; staked, by cycle the seat and card of each one staked since, in order, the last list for
this cycle; earlier, only if it tells of the hands: held, drawn and staked from each reshuffle before it to the next, the latest
first), truncated and decisions. With reshuffle hands are told wholly or as numbers. A view to play from may leave out
any of them: {"round": 3, "offer": ["red_+8"], "hands": [["red_4", "red_5"], ["green_8"], 3, 1]} is one. A stack given as a
list or a number is all there is of it: what is then nowhere is out of the game.

Versions: v0, the first.
"""

VERSION = 0
