"""What the engine does, one room per group of verbs. Every service takes a `Context`."""
