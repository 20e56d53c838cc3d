"""The real-time scheduler: admission with proof, the policy, step budgets, records. No clock, thread or device."""
