"""The database and how it is shown, on made-up matches: what it keeps, what it refuses, who may write at once."""
