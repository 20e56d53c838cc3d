"""The rule-based planner: from clauses to intents to steps."""
