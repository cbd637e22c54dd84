"""The views of a batch of games: PettingZoo, vector, Gymnasium and Stable-Baselines3 environments."""
