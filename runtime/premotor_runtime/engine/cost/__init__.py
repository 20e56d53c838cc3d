"""What a step costs: learned, predicted, measured."""
