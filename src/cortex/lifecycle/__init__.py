"""Lifecycle: time becomes plans, and plans become changes that can be shown before and undone after (X16)."""
