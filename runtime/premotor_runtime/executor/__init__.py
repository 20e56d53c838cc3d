"""The control loop and what it stands on: clock, jobs, lanes, the deadline-miss policy, records, rights."""
