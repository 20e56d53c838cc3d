"""The costmap's loops, compiled once for this machine."""
