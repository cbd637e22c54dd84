"""Oracle Land, a game by オシノ for 3 or 4 players. README.md is the spec sheet."""
