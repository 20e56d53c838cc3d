"""From a goal pose to safe wheel speeds: route, controller, and the gate that is last before every command."""
