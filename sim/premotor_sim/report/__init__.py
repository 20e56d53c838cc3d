"""What a mission leaves behind: result.json, mission.png, timeline.json, and tables on the terminal."""
