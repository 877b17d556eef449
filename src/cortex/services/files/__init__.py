"""The files an agent's user has: which are indexed, keeping up with them, searching them."""
