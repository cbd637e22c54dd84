"""The policies that come with the project: the right one for each game, and refused for any other."""

import json
import shlex
from pathlib import Path

import numpy as np
import pytest

import trick_agents
from tests.helpers import reached_states
from tests.policies import random_policy
from trick_agents import PolicyFileError, pretrained
from trick_envs import GAMES, game_class, make_game
from trick_envs.core.kernel import COMPILED
from trick_envs.core.random import Streams

FILES = sorted(pretrained.FOLDER.glob("*.npz"))

every_file = pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)


def game_of(file: Path) -> tuple[str, int]:
    name, _, players = file.stem.rpartition("-")
    return name, int(players.removesuffix("p"))


def test_every_game_has_policies_for_its_usual_number_of_players_and_another() -> None:
    for name in GAMES:
        counts = {players for game, players in map(game_of, FILES) if game == name}
        assert game_class(name).default_players in counts
        assert len(counts) >= 2


@every_file
def test_a_policy_is_small_and_plays_legal_actions(file: Path) -> None:
    assert file.stat().st_size <= 1_000_000
    game = make_game(*game_of(file))
    policy = trick_agents.load(game)
    states = reached_states(game, 60 if COMPILED else 10, seed=1)
    states = states[game.current_players(states) >= 0]
    actions = policy.act(game, states, Streams(len(states), 0))
    assert game.action_masks(states)[np.arange(len(states)), actions].all()


@every_file
def test_a_policy_decides_by_what_the_mover_knows(file: Path) -> None:
    game = make_game(*game_of(file))
    policy = trick_agents.load(game)
    states = reached_states(game, 60 if COMPILED else 10, seed=2)
    states = states[game.current_players(states) >= 0]
    actions = policy.act(game, states, Streams(len(states), 0))
    elsewhere = game.resample(states, game.current_players(states), 5)
    assert elsewhere.tobytes() != states.tobytes()
    assert (policy.act(game, elsewhere, Streams(len(states), 0)) == actions).all()


@every_file
def test_a_policy_says_how_it_came_to_be(file: Path) -> None:
    about = json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))
    name, num_players = game_of(file)
    assert (about["game"], about["num_players"]) == (name, num_players)
    assert about["command"].startswith("trick-envs train")
    assert about["bytes"] == file.stat().st_size
    # A default that changes must not change what the command does.
    tyro = pytest.importorskip("tyro")
    from trick_experiments import publish
    from trick_experiments.learning import training

    config = tyro.cli(training.Config, args=shlex.split(about["command"])[2:])
    assert publish.settings_of(config) == about["settings"]
    assert {"seed", "steps", "minutes", "versions", "results"} <= set(about)
    share = about["results"]["rules"]["measures"]["learner"]["win_share"]
    assert share["low"] <= share["mean"] <= share["high"]


@pytest.mark.skipif(not COMPILED, reason="hundreds of games are for compiled code")
@every_file
def test_a_policy_beats_random_play_as_it_says(file: Path) -> None:
    from trick_experiments import evaluate

    game = make_game(*game_of(file))
    about = json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))
    told = about["results"]["random"]["measures"]["learner"]["win_share"]["mean"]
    entrants = {"policy": trick_agents.load(game), "random": trick_agents.make("random", game)}
    seats = ["policy"] + ["random"] * (game.num_players - 1)
    found = evaluate(game, entrants, seats, num_deals=60, seed=3).measures["policy"]["win_share"]
    assert found.low - 0.1 <= told <= found.high + 0.1


def test_a_policy_is_loaded_by_name_by_game_or_as_an_agent() -> None:
    name, num_players = game_of(FILES[0])
    game = make_game(name, num_players)
    states = reached_states(game, 40 if COMPILED else 10, seed=2)
    states = states[game.current_players(states) >= 0]
    seen = game.observations(states)
    expected = trick_agents.load(game).logits(seen)
    assert (trick_agents.load(name, num_players).logits(seen) == expected).all()
    for spec, greedy in (("pretrained", True), ("pretrained:greedy=false", False)):
        by_name = trick_agents.make(spec, game)
        assert isinstance(by_name, trick_agents.PolicyAgent)
        assert by_name.greedy == greedy
        assert (by_name.logits(seen) == expected).all()
    assert trick_agents.files_of("pretrained", game) == [FILES[0]]


def test_by_name_alone_the_usual_number_of_players_is_meant() -> None:
    name = next(iter(GAMES))
    assert (
        trick_agents.load(name).network.arrays.keys()
        == trick_agents.load(make_game(name)).network.arrays.keys()
    )


def test_a_number_of_players_without_a_policy_is_refused_and_told_which_there_are() -> None:
    name = next(iter(GAMES))
    counts = {players for game, players in map(game_of, FILES) if game == name}
    missing = next(count for count in game_class(name).player_counts if count not in counts)
    with pytest.raises(PolicyFileError, match=rf"{name} for {missing} players; there are .*{FILES[0].stem}"):
        trick_agents.load(name, missing)


def test_a_game_with_other_options_is_refused() -> None:
    game = make_game(next(iter(GAMES)), preset="mini")
    with pytest.raises(PolicyFileError, match=r"was made for"):
        trick_agents.load(make_game(game.name, **{**make_game(game.name).options, "num_rounds": 1}))


@pytest.mark.parametrize("game", ["whist", ""])
def test_a_name_that_is_no_game_is_refused(game: str) -> None:
    with pytest.raises(ValueError, match=r"choose from"):
        trick_agents.load(game)


def test_a_number_of_players_beside_a_game_is_refused() -> None:
    with pytest.raises(ValueError, match=r"num_players is 4 beside a game"):
        trick_agents.load(make_game(next(iter(GAMES))), 4)


def test_half_precision_is_close_and_half_as_large(tmp_path: Path) -> None:
    game = make_game(next(iter(GAMES)))
    policy = random_policy(game, width=64, table_width=64)
    policy.save(tmp_path / "whole.npz", game)
    policy.save(tmp_path / "half.npz", game, half=True)
    sizes = [(tmp_path / f"{name}.npz").stat().st_size for name in ("half", "whole")]
    assert sizes[0] < 0.6 * sizes[1]
    states = reached_states(game, 40 if COMPILED else 10, seed=2)
    seen = game.observations(states)
    loaded = trick_agents.PolicyAgent.load(tmp_path / "half.npz", game)
    scale = np.abs(policy.logits(seen)).max()
    np.testing.assert_allclose(loaded.logits(seen), policy.logits(seen), atol=0.01 * scale)
