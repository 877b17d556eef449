"""OpenClaw: its installation on this machine, the plugin in it, its configuration, and what it remembers."""
