"""Agents: whoever can decide for a seat. `make` builds them from texts such as ``"rules"``."""

from trick_agents.policy import PolicyAgent, PolicyFileError
from trick_agents.pretrained import load
from trick_agents.registry import AGENTS, files_of, make, register_agent
from trick_envs.core.agent import Agent, RandomAgent

__all__ = [
    "AGENTS",
    "Agent",
    "PolicyAgent",
    "PolicyFileError",
    "RandomAgent",
    "files_of",
    "load",
    "make",
    "register_agent",
]
