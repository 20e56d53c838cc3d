"""Planning for the robot's true outline: positions and headings, along curves that the robot can drive."""
