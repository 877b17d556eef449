"""Benchmarks: every figure beside a plain baseline, measured in the same run."""
