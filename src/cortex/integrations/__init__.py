"""Cortex as the memory of agent frameworks: one module per framework, each with an extra of its name.

Nothing imports these modules but the program that uses them. Each says what it needs when its package is missing.
"""
