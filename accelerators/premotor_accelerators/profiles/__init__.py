"""Measured latencies: how they are taken, what they belong to, and where they are kept for scheduler and simulator."""
