"""Agents: whoever can decide for a seat. `make` builds them from texts such as ``"rules"``."""

from trick_envs.core.agent import Agent, RandomAgent

__all__ = ["Agent", "RandomAgent"]
