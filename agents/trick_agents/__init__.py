"""Agents: whoever can decide for a seat. `make` builds them from texts such as ``"rules"``."""

from trick_agents.policy import PolicyAgent, PolicyFileError
from trick_agents.pretrained import load
from trick_agents.registry import NAMES, files_of, make
from trick_envs.core.agent import Agent, RandomAgent

__all__ = ["NAMES", "Agent", "PolicyAgent", "PolicyFileError", "RandomAgent", "files_of", "load", "make"]
