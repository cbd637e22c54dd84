"""How agents are compared: duplicate matches, their statistics and reports."""
