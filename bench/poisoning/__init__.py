"""Poisoning: attacks on a memory, an honest user beside them, and what became of both."""
