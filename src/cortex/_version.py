__version__ = "0.1.0"

DISTRIBUTION = "memory-cortex"
"""What the package is called where it is installed from; it is imported as `cortex`."""
