"""The command line: each command translates its arguments, calls one method of the engine, and shows the answer."""
