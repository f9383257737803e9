"""Skull King: foretell how many tricks you will win, then win exactly that many.

A trick-taking game for 2 to 6 players by the rules of the 66-card edition of Schmidt Spiele. Ten hands of one to ten cards;
before each one everybody bids, and a kept bid is what counts. "Hand n" is the deal of n cards to each player.

Cards and dealing
  R1   The deck has 66 cards: yellow, blue, red and black 1 to 13, and 14 specials: 5 escapes, 5 pirates, 2 mermaids, the
       Skull King and Scary Mary. Black is trump.
  R2   In hand n the whole deck is shuffled and n cards are dealt to each player. The rest stay unseen.
  R3   A match is the hands 1 to 10, in that order.

A hand
  R4   Everybody bids 0 to n tricks; the bids may add up to anything. They are asked for from the hand's leader round the table
       and shown together after the last (ruling: one decision at a time gives the same game as bidding at once, while nobody
       sees a bid). With bidding='open' each bid is seen at once.
  R5   When all cards are played the hand is scored (R22-R25) and the next one is dealt.
  R6   Seat 0 leads to the first hand, and each hand is led by the next seat (ruling: the leader sits left of the dealer, and
       the deal passes on).
  R7   After the last hand the highest total wins; equal totals share the win (ruling: the booklet names no tie-break).

Which cards may be played
  R8   The suit to follow is that of the first numbered card in the trick, whatever specials came before it. Until there is
       one, anything may be played.
  R9   Who holds the suit to follow plays a card of it, or any special: black is no way out.
  R10  Who does not hold it plays anything; nobody has to trump, to beat a card or to play a special.
  R11  Scary Mary is played as a pirate or as an escape, said when she is played. Specials may be played at any time.
  R12  The players play one card each in turn, round the table from the leader.
  R13  Played cards are seen by all and remembered by all; so is who failed to follow a suit.
  R14  What Scary Mary was played as stays so until the trick is won.
  R15  The winner of a trick leads to the next one.

Who wins a trick: the first of these that applies
  R16  King and mermaid are both in it: the first mermaid, wherever they lie and whatever else is there.
  R17  The Skull King is in it: the king.
  R18  Pirates (Scary Mary as a pirate is one): the first of them.
  R19  Mermaids: the first of them.
  R20  Numbers: the highest black; without black the highest of the suit to follow. Other suits never win.
  R21  Only escapes (Scary Mary as an escape is one): the first card. The trick counts as any other (ruling: she is played "as
       the escape", so she is one for this too).

Score
  R22  Bonus for the winner of a trick: a mermaid that wins with the king in the trick 50, once, with nothing for pirates there
       (ruling: the pirates are not the mermaid's catch); the king 30 for each pirate in the trick, before or after him, and
       for Scary Mary however she was played. Nothing else.
  R23  A bid of 1 or more that is kept: 20 for each trick, and the bonuses of the hand.
  R24  A bid of 1 or more that is missed: -10 for each trick too many or too few, and no bonus.
  R25  A bid of 0 in hand n: 10n if kept; -10n if not, however many tricks it was. It earns no bonus.

What all could remember and an observation does not tell (nothing else of what a seat may know is left out):
  - who played which card of an earlier trick, in which order, and how Scary Mary was played: what it proves about hands is told
    (cards gone, suits shown not to be held, tricks won, bonuses); the rest is a matter of habits;
  - who led the hand's first trick, which decides who leads the next hand only (R6);
  - bids, tricks and bonuses of earlier hands: all cards are dealt anew (R2), and the totals are told;
  - the number of one's seat: seats are told from one's own on;
  - to a seat that looks on while sealed bids are made: whose turn it is. It has no decision to make.

Actions: 0 to 10 bid that many tricks; 11 + 14 * suit + number - 1 plays a number (suits: 0 yellow, 1 blue, 2 red, 3 black); 67
plays an escape, 68 a pirate, 69 a mermaid, 70 the Skull King, 71 Scary Mary as a pirate and 72 as an escape.

Options: players, first_hand and last_hand (short matches), bidding, highest (number of each suit), every bonus, whether a
trick led by a character (pirate, mermaid, king, Scary Mary as a pirate) has a suit to follow, and whether Scary Mary as an
escape counts for R22. rules='2021' sets those of the later edition: 14s, 40 for the mermaid, 20 for each mermaid under a
pirate, 10 for each 14 and 20 for the black 14 in a trick; a trick led by a character has no suit to follow; Scary Mary as
an escape does not count (ruling: without that edition's kraken, whale, loot and pirates' powers).

Rewards: win (the winners share +1 and the others share -1: one winner of four has +1, the others -1/3 each), score (points /
500) or margin (own points less the mean of the others', / 500), at the end, or hand by hand with pay_as_scored.

Positions: a view's own keys are phase ('bid' or 'play'), hand_number, first_leader, leader (of the trick on the table),
bids (None: not made, or sealed), tricks_won, bonus, hands (a list of cards, or their number), voids (suits that a seat has
shown not to hold), trick (cards from the leader on), played (cards of the hand's earlier tricks) and last_trick. A view to
play from may leave out any of them: {"phase": "play", "hand_number": 1, "hands": [["pirate"], ["black_13"], 1, 1]} is one.

Versions: v0, the first.
"""

VERSION = 0
