"""Egyptian Tarneeb, with and without dakak: every clause, the scores, and a second reading of the rules beside it."""
