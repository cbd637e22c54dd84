"""The games, a package each: rules, observation, positions, rendering and the spec sheet."""
