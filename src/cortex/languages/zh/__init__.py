"""Chinese, in both scripts."""
