"""`make soak`: processes that are killed at any moment of any verb, and what is there afterwards.

`python -m bench.soak --kills 1000` kills workers and servers on throw-away homes and counts what was lost. What each
module does: `model` is what must be there, `verbs` what workers do, `checking` the comparison, `processes` forks and
kills, `rounds` puts one round together, `report` prints what was counted.
"""
