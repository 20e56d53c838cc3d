"""The world a robot works in, as read from `configs/worlds/*.yaml`: rooms, places, objects, people, walls."""
