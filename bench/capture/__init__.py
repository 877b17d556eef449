"""Sets that judge capture, and the measurement with them."""
