"""The coach: what each legal action is worth to who decides, and what a match shows of somebody's play.

import pirate_envs
from pirate_envs.agents import coach

choices = coach.judge(game, g, seat)            # of one decision, the best first
review = coach.review(replay, seat)             # of a whole match
print(review.markdown())
"""

from pirate_envs.agents.coach.choice import Budget, Choice
from pirate_envs.agents.coach.hint import Adviser, Hint
from pirate_envs.agents.coach.judging import Coach, judge
from pirate_envs.agents.coach.reviewing import Review, review

__all__ = ["Adviser", "Budget", "Choice", "Coach", "Hint", "Review", "judge", "review"]
