"""Status and doctor: what is there, what is degraded, how to fix it."""
