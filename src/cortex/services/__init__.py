"""What the verbs do, one service per group of verbs. Their contracts are documented at `Cortex`, in `memory.py`."""
