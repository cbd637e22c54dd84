"""Gummi Trick, a game published by OKAZU brand for 2 to 5 players. README.md is the spec sheet."""
