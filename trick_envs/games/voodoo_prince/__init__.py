"""Voodoo Prince, a game by Reiner Knizia for 2 to 5 players. README.md is the spec sheet."""
