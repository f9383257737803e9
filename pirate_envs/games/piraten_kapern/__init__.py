"""Piraten Kapern: roll eight dice, keep what scores, and stop before the third skull.

A dice game for 2 to 5 players, push your luck under a fortune card that changes with every turn. The first to 6000 points
calls the final round. "Skulls" are those on the dice and on the card together, everywhere below.

Components
  R1   Eight dice, each with the faces coin, diamond, monkey, parrot, sabre, skull. 35 fortune cards: treasure island, captain,
       sorceress, monkey business, gold, diamond 4 each; one skull 3, two skulls 2; sea battle for 2, 3, 4 sabres 2 each
       (ruling: the rulebook gives no numbers; these are the first edition's). With promo=True also one after the storm and one
       peace. They are drawn without replacement, and shuffled again when all are drawn (ruling), so what has been drawn tells
       what is left.

A turn
  R2   Draw a fortune card, then roll all eight dice.
  R3   Exactly three skulls on the first roll are a bust; four or more lead to the Island of Skulls (R22).
  R4   Else stop and score, or roll again any two or more dice that show no skull, as often as you dare: dice kept before may be
       among them, and all eight too (ruling: "any").
  R5   With fewer than two dice that may be rolled the turn stops by itself (ruling).
  R6   Three skulls or more after a re-roll are a bust.
  R7   A bust scores nothing (but see R16, R18, R20, R21).

Scoring at a stop
  R8   Equal faces: 3, 4, 5, 6, 7, 8 of them are 100, 200, 500, 1000, 2000, 4000. Two sets of one turn both count.
  R9   Each coin and each diamond: 100 besides.
  R10  The gold card is one more coin and the diamond card one more diamond, for R8 and R9.
  R11  All eight dice score, each a coin, a diamond, or in a set: 500 more. The card's own coin or diamond helps a set, but is
       not one of the eight. Sabres that win a sea battle score, so two do with the battle for 2 (ruling: they generate points).
  R12  Eight dice and the card alike are a set of eight (ruling: the table ends there). With nine_identical='win' a stop with
       them wins the match at once instead.
  R13  A skull die never scores, so R11 needs dice without one; a skull on the card does not forbid it (ruling).

The cards
  R14  Captain: the turn's points twice, those of R11 too.
  R15  Monkey business: monkeys and parrots are one face.
  R16  Sea battle for 2, 3, 4: with so many sabres or more at a stop 300, 500, 1000 besides; else that many points lost and
       nothing for the dice. A bust loses them too, whatever the sabres (ruling).
  R17  Sorceress: once a turn one skull die may be rolled again, alone or with others (ruling: the card is its own effect). It
       helps at the third skull too (ruling: or it would fail when it matters most): while she has not been asked, exactly three
       skulls leave the choice to roll one of them again, with any others, or to stop, which is a bust.
  R18  Treasure island: dice placed on the card score at a bust too, by R8 and R9, never R11. Placing is free and can be undone,
       so it is done for you (ruling: it is never worse): all dice but skulls that a re-roll leaves lying are on the card.
  R19  One skull, two skulls: skulls from the start.
  R20  After the storm (promo): one re-roll only, on the Island too. Only coins and diamonds score, R8 and R9 twice, never R11.
       At a bust the opponents lose 100 for each skull, as if on the Island, not twice (ruling).
  R21  Peace (promo): each sabre at the end of the turn costs 1000 and nothing else scores, at a bust too. Without sabres normal
       points. On the Island too, and then the opponents lose nothing (ruling).

The Island of Skulls
  R22  Four skulls or more on the first roll lead there, but not with a sea battle, which is lost (ruling: the card says so).
  R23  Two or more dice that show no skull may be rolled again, or the turn stopped (ruling). It goes on only after a roll with
       a new skull, and while two such dice are left. The sorceress may be asked there; the skull she rolls again is no new one
       wherever it falls (ruling).
  R24  Each opponent loses 100 for each skull at the end, 200 with the captain. The player scores nothing.

The match
  R25  Seat 0 begins, turns go round the table. Totals may become negative.
  R26  A total of 6000 or more at the end of one's own turn calls the final round: each other player has one more turn.
  R27  If the caller falls below 6000 in it, the final round is off.
  R28  If somebody else has 6000 or more then, it calls a new one at once, and everybody else has one more turn (ruling; the
       player who has just moved comes first, then those after it).
  R29  After max_rounds turns for each player the match is cut short and counts as it stands (ruling: negative turns can make it
       endless).
  R30  The highest total wins; equal totals share the win (ruling: the rulebook names no tie-break).

Variants (options; the texts leave room for both readings)
  R31  battle_island=True: four skulls or more on the first roll of a sea battle lead to the Island all the same. The battle is
       neither won nor lost there: R24 is all that counts (ruling: the player scores nothing).
  R32  battle_bust='nothing': a bust in a sea battle scores nothing, as R7 has it; a stop with too few sabres still loses it.
  R33  sorceress_rescues=False: at the third skull she comes too late, and R3 and R6 hold with her too. She may be asked
       before, and on the Island.
  R34  sorceress_alone=False: the skull is rolled again with one other die or more only, for R4 asks for two; where there is
       no other (eight skulls on the Island) the turn stops by itself (R5).
  R35  peace_rolls_sabres=False: with the peace card sabres may not be rolled again on the Island. Two other dice are then
       needed to roll, and without them the visit ends (R5, R23).

Actions: 0 stops. 1 to 255 roll again the dice in the slots whose bits are set; the dice lie sorted in the order coin, diamond,
monkey, parrot, sabre, skull, and among equal dice the lowest slots are meant. What can only be stopped is stopped for you.

Everything is public but the chance to come: which card is drawn next, and how dice will fall.

What all could remember and an observation does not tell (nothing else of what a seat may know is left out):
  - how earlier turns went, and in which order the cards came: totals and undrawn cards are told, and nothing else of it matters
    for what is to come;
  - this turn's earlier throws, and which dice lay at the last one: a new roll chooses anew, and what is on the treasure island
    counts by the dice that lie at that roll (R18);
  - the number of one's seat, and to a seat that looks on whose turn it is: seats are told from one's own on;
  - the full deck and max_rounds, as the options below.

Options: players, target (the 6000), promo, deck (any numbers of cards), nine_identical, max_rounds, and those of R31 to R35,
which are not part of an observation (a policy cannot tell them apart) and are meant to be fixed for a run.

Rewards: win (the winners share +1 and the others share -1: one winner of four has +1, the others -1/3 each), score (points /
8000) or margin (own points less the mean of the others', / 8000), at the end, or turn by turn with pay_as_scored.

Positions: phase is 'turn' or 'island'; a view's own keys are turn (turns before this one), round, turn_of (whose turn it
is, or was at the end), card, dice (eight faces, as if just rolled for the `rolls`-th time), rolls, kept (the dice not
rolled this time), sorceress_used, island, final_round (None, or trigger and turns_left after this turn), undrawn (cards by
name), last_turns (by seat: None, or card, dice, ended_by 'stop', 'bust' or 'island', points, opponents), winner (who won at
once), truncated and decisions. A view to play from may leave out any of them: {"card": "captain", "dice": ["coin", "coin",
"coin", "monkey", "monkey", "parrot", "sabre", "skull"]} is one.

Versions: v0, the first.
"""

VERSION = 0
