"""Threads, pools, schedules and deadlines."""
