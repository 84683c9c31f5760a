"""The reader: from files to typed matches, or to everything that is wrong with them."""
