"""The costmap: what is known around the robot as Nav2's cost values, from a map, from scans, and grown by inflation."""
