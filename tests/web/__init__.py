"""The pages: what they answer, what a browser shows of them, and what it may do there."""
