"""`premotor bench realtime`: control at 50 Hz beside a language model that never pauses, in four set-ups."""
