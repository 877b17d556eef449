"""Capture: turns become memories, and memories stay true."""
