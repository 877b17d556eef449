"""Files as memory: which there are, how they are read, and how the index follows them."""
