"""TIGHEE, a game by LEO for 3 or 4 players. README.md is the spec sheet."""
