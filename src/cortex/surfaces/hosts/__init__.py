"""Installing Cortex in other programs: what all of them need, and the coding agents."""
