"""From hidden states to an answer: choosing, stopping, text, scores."""
