"""Agents by name, with settings, or by file."""

import importlib
import inspect
import os
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any, TypeVar

from trick_agents import pretrained
from trick_agents.ismcts import ISMCTSAgent
from trick_agents.policy import PolicyAgent
from trick_agents.rule_based import RulesAgent, check_rules
from trick_agents.search import SearchAgent, Searcher
from trick_envs.core import validation
from trick_envs.core.agent import Agent, RandomAgent, check_agent
from trick_envs.core.dispatch import qualified_name
from trick_envs.core.game import Game

T = TypeVar("T")


def _random(game: Game) -> Agent:
    return RandomAgent()


def _rules(game: Game) -> Agent:
    check_rules(game)
    return RulesAgent()


def _search(game: Game, **settings: Any) -> Agent:
    if "prior" in settings:
        prior = make(str(settings["prior"]), game)
        if not isinstance(prior, PolicyAgent):
            raise ValueError(
                f"prior is {settings['prior']!r}; allowed are 'pretrained' and files of saved policies"
            )
        settings = settings | {"prior": prior}
    return _ready(_call(SearchAgent, "search", settings), game)


def _ismcts(game: Game, **settings: Any) -> Agent:
    return _ready(_call(ISMCTSAgent, "ismcts", settings), game)


def _pretrained(game: Game, greedy: bool = True) -> Agent:
    return pretrained.load(game, greedy=validation.truth(greedy, "greedy"))


def _ready(agent: Searcher, game: Game) -> Agent:
    agent.check(game)
    return agent


def _policy(game: Game, file: str, greedy: bool = True) -> Agent:
    return PolicyAgent.load(file, game, greedy=validation.truth(greedy, "greedy"))


_MAKERS: dict[str, Callable[..., Agent]] = {
    "random": _random,
    "rules": _rules,
    "search": _search,
    "ismcts": _ismcts,
    "policy": _policy,
    "pretrained": _pretrained,
}

AGENTS: Mapping[str, Callable[..., Agent]] = MappingProxyType(_MAKERS)
"""The names that `make` knows, and what makes those agents; `register_agent` adds to them."""

_NAME = re.compile(r"[^\W\d]\w*")

OWN = re.compile(r"([^\W\d][\w.]*):([^\W\d]\w*)(?::(.*))?", re.DOTALL)
"""An agent of the reader's own: module, class, and perhaps settings."""


def register_agent(name: str, maker: Callable[..., Agent]) -> None:
    """Makes agents known to `make` by a name, and by that to all that takes agents by name.

    Args:
        name: Letters, digits and underscores.
        maker: Called with the game, and with the settings that were given, by name; it raises `ValueError`
            for a game or settings that it can't have.

    Raises:
        ValueError: A name that can't be, or that something else has; a maker that can't be called.
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError(f"name is {name!r}; choose letters, digits and underscores")
    if not callable(maker):
        raise ValueError(f"maker is {maker!r}; choose what is called with a game and gives an agent")
    if name in _MAKERS and qualified_name(_MAKERS[name]) != qualified_name(maker):
        raise ValueError(f"the name {name!r} is taken by {qualified_name(_MAKERS[name])}")
    _MAKERS[name] = maker  # a module that is loaded again brings another one


def make(spec: str, game: Game) -> Agent:
    """An agent for a game.

    Args:
        spec: A name (see `AGENTS`), a name with settings such as ``"policy:file=policy.npz,greedy=false"``,
            the file of a saved policy, or a class of your own, ``"module:Class"`` or
            ``"module:Class:key=value"``. That is called with the settings, and with `game` if it has such a
            parameter; the module is searched where Python searches, in the present folder, too.
        game: The rules that it will play.

    Raises:
        ValueError: A name, setting, file or class that doesn't exist or doesn't fit the game.

    Examples:
        >>> from trick_envs import Streams, make_game
        >>> game = make_game("voodoo_prince")
        >>> states = game.new_states(3, seed=1)
        >>> for spec in ("random", "rules", "ismcts:iterations=50", "pretrained:greedy=false"):
        ...     print(make(spec, game).act(game, states, Streams(3, seed=1)).shape)
        (3,)
        (3,)
        (3,)
        (3,)
    """
    name, _, rest = spec.partition(":")
    if name in _MAKERS:
        agent = _call(_MAKERS[name], name, _settings(rest, spec), game)
        check_agent(agent, spec)
        return agent
    if Path(spec).suffix == PolicyAgent.SUFFIX or os.path.isfile(spec):
        return PolicyAgent.load(spec, game)
    own = OWN.fullmatch(spec)
    if own is None:
        raise ValueError(
            f"unknown agent {spec!r}; choose from {', '.join(AGENTS)}, also with settings "
            f"(name:key=value,key=value), the file of a saved policy (*{PolicyAgent.SUFFIX}), "
            "or a class of your own (module:Class)"
        )
    return _own(spec, own, game)


def files_of(spec: str, game: Game) -> list[Path]:
    """The files that an agent for a game is read from: policies, and the module of one that isn't ours."""
    name, _, rest = spec.partition(":")
    if name == "pretrained":
        return [pretrained.file_for(game.name, game.num_players)]
    own = None if name in _MAKERS or os.path.isfile(spec) else OWN.fullmatch(spec)
    if own is not None:
        module: ModuleType | None = _module(spec, own[1])
        rest = own[3] or ""
    elif name in _MAKERS:
        module_name = _MAKERS[name].__module__
        module = None if module_name == __name__ else sys.modules.get(module_name)
    else:
        return [Path(spec)]
    source = getattr(module, "__file__", None)  # a notebook's cells have none
    files = [] if source is None else [Path(source)]
    settings = _settings(rest, spec)
    files += [Path(value) for key, value in settings.items() if key == "file" and os.path.isfile(value)]
    return files + (files_of(str(settings["prior"]), game) if "prior" in settings else [])


def _own(spec: str, own: re.Match[str], game: Game) -> Agent:
    """An agent of a class that isn't ours."""
    module = _module(spec, own[1])
    maker = getattr(module, own[2], None)
    if not callable(maker):
        raise ValueError(f"unknown agent {spec!r}: {module.__file__} has no class {own[2]!r}")
    settings = _settings(own[3] or "", spec)
    if "game" in inspect.signature(maker).parameters:
        settings["game"] = game
    agent = _call(maker, f"{own[1]}:{own[2]}", settings)
    check_agent(agent, spec)
    return agent


def _module(spec: str, name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ValueError(
            f"unknown agent {spec!r}: {error}; choose from {', '.join(AGENTS)}, files, and classes of "
            "modules in the present folder or on PYTHONPATH"
        ) from error


def _settings(text: str, spec: str) -> dict[str, Any]:
    """Settings by name; the name of a file stays a text."""
    settings: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        key, _, value = part.partition("=")
        if not key or not value:
            raise ValueError(f"{part!r} in {spec!r} is no setting; allowed is key=value")
        settings[key] = value if key == "file" else _value(value)
    return settings


def _value(text: str) -> Any:
    """A setting's text as a truth value or number, if it is one."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text


def _call(maker: Callable[..., T], name: str, settings: dict[str, Any], *args: Any) -> T:
    """Calls a maker with settings that it has."""
    parameters = list(inspect.signature(maker).parameters.values())[len(args) :]
    named = [p for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    known = {parameter.name for parameter in named}
    passes_on = any(parameter.kind == parameter.VAR_KEYWORD for parameter in parameters)
    unknown = set() if passes_on else set(settings) - known
    missing = {parameter.name for parameter in named if parameter.default is parameter.empty} - set(settings)
    if unknown or missing:
        wrong = ", ".join(sorted(unknown | missing))
        allowed = ", ".join(sorted(known)) or "none"
        raise ValueError(
            f"agent {name!r} {'has no' if unknown else 'needs the'} setting {wrong}; settings: {allowed}"
        )
    return maker(*args, **settings)
