"""What was decided, for people: text, HTML, and the picture of the path."""
