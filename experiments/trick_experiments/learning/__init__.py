"""How policies are trained: the tables of self-play, the learner, its network, checkpoints and curves."""
