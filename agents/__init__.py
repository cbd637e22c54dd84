"""Agents: whoever can decide for a seat. `make` builds them from texts such as ``"rules"``."""

from agents.policy import PolicyAgent, PolicyFileError
from agents.pretrained import load
from agents.registry import NAMES, files_of, make
from trick_envs.core.agent import Agent, RandomAgent

__all__ = ["NAMES", "Agent", "PolicyAgent", "PolicyFileError", "RandomAgent", "files_of", "load", "make"]
