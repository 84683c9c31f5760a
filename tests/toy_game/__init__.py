"""A game that another package brings: the toy game of ``docs/adding-a-game.md``, and tests that it works everywhere."""
