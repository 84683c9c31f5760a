"""Fairness: whether the deals of an archive are what shuffled cards would give.

In: match logs. Out: for each ruleset the counts of what was dealt beside their exact laws, and what stands out. Refuses
to know Click, files and pages, and to say of one deal that it was unfair: only of many.

What needs numbers (``counting``, ``laws``, ``repeats``, ``judging``) rests on SciPy, which the extra ``fairness``
brings; it is loaded when somebody asks, by ``examination``.
"""
