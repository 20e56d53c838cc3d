"""`premotor bench faults`: what the control loop of a moving robot notices when the brain beside it fails."""
