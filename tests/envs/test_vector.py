"""Many games at once, for all games."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import trick_envs
from tests.helpers import DEFAULTS, VARIANTS, module_of, random_actions
from trick_envs.core import batch
from trick_envs.core.game import Game
from trick_envs.core.random import seeds_for
from trick_envs.envs.vector import TrickTakingVectorEnv

variants = pytest.mark.parametrize("game", VARIANTS)
defaults = pytest.mark.parametrize("game", DEFAULTS)
names = pytest.mark.parametrize("name", trick_envs.GAMES)


def vector_env_of(
    game: Game, num_envs: int, seed: int | None = None, **settings: Any
) -> TrickTakingVectorEnv:
    made = module_of(game).vector_env(
        num_envs, seed=seed, num_players=game.num_players, **game.options, **settings
    )
    assert isinstance(made, TrickTakingVectorEnv)
    return made


def drawn(env: TrickTakingVectorEnv, rng: np.random.Generator) -> np.ndarray:
    return random_actions(env.game, env.states, rng)


def play_on(env: TrickTakingVectorEnv, num_steps: int, seed: int = 0) -> list[Any]:
    """All that some steps return, by actions that depend on the seed and the states only."""
    rng = np.random.default_rng(seed)
    results = [env.step(drawn(env, rng)) for _ in range(num_steps)]
    return [flat(result) for result in results]


def flat(result: Any) -> Any:
    """The arrays of a result as lists, to compare it."""
    if isinstance(result, dict):
        return {key: flat(value) for key, value in result.items()}
    if isinstance(result, tuple):
        return tuple(map(flat, result))
    return result.tolist()


def longest_game(game: Game) -> int:
    """More steps than 8 drawn games take."""
    states = game.new_states(8, seed=1)
    return int(game.play_randomly(states) / 8 * 1.5) + 10


# --- playing -------------------------------------------------------------------------------------------


@variants
def test_it_plays_as_single_games_do_and_deals_finished_ones_anew(game: Game) -> None:
    """Against games stepped one by one, each with the generator of its own."""
    n, rng = 3, np.random.default_rng(1)
    env = vector_env_of(game, n)
    observations, info = env.reset(seed=5)
    singles = [game.new_states(n, seed=5)[i : i + 1].copy() for i in range(n)]
    totals = np.zeros((n, game.num_players))
    num_ended = 0
    for _ in range(longest_game(game)):
        for i, single in enumerate(singles):
            np.testing.assert_array_equal(observations["observation"][i], game.observations(single)[0])
            np.testing.assert_array_equal(observations["action_mask"][i], game.action_masks(single)[0])
            assert info["current_player"][i] == game.current_players(single)[0]
            assert env.states[i : i + 1].tobytes() == single.tobytes()
        actions = drawn(env, rng)
        observations, rewards, terminations, truncations, info = env.step(actions)
        assert not truncations.any()
        assert ("final_returns" in info) == ("final_scores" in info) == terminations.any()
        for i, single in enumerate(singles):
            np.testing.assert_array_equal(game.step(single, actions[i : i + 1])[0], rewards[i])
            totals[i] += rewards[i]
            assert terminations[i] == (game.current_players(single)[0] < 0)
            if terminations[i]:
                num_ended += 1
                np.testing.assert_allclose(totals[i], game.returns(single)[0], atol=1e-5)
                np.testing.assert_array_equal(info["final_returns"][i], game.returns(single)[0])
                np.testing.assert_array_equal(info["final_scores"][i], game.scores(single)[0])
                totals[i] = 0
                batch.restart_finished(single)
            elif terminations.any():
                assert not info["final_returns"][i].any()
                assert not info["final_scores"][i].any()
    assert num_ended > 0


@defaults
def test_a_game_is_the_same_however_many_there_are(game: Game) -> None:
    num_steps = longest_game(game)
    env = vector_env_of(game, 5)
    env.reset(seed=3)
    rng = np.random.default_rng(3)
    steps = []
    for _ in range(num_steps):
        actions = drawn(env, rng)
        steps.append((actions, flat(env.step(actions))))
    for n in (1, 3):
        fewer = vector_env_of(game, n, seed=3)
        fewer.reset()
        for actions, (observations, rewards, terminations, _, info) in steps:
            seen, gained, ended, _, told = fewer.step(actions[:n])
            for key, rows in observations.items():
                assert seen[key].tolist() == rows[:n]
            assert gained.tolist() == rewards[:n]
            assert ended.tolist() == terminations[:n]
            for key, rows in told.items():
                assert rows.tolist() == info[key][:n]


@defaults
def test_shapes_types_and_spaces_are_as_documented(game: Game) -> None:
    env = vector_env_of(game, 4, seed=1)
    rng = np.random.default_rng(1)
    observations, info = env.reset()
    for _ in range(longest_game(game)):
        assert env.single_action_space.n == game.num_actions
        for i in range(4):
            view = {key: rows[i] for key, rows in observations.items()}
            assert env.single_observation_space.contains(view)
        assert info["current_player"].shape == (4,)
        assert info["current_player"].dtype == np.int8
        observations, rewards, terminations, truncations, info = env.step(drawn(env, rng))
        assert rewards.shape == (4, game.num_players)
        assert rewards.dtype == np.float32
        assert terminations.shape == truncations.shape == (4,)
        assert terminations.dtype == truncations.dtype == np.bool_
        for key in ("final_returns", "final_scores"):
            assert key not in info or info[key].shape == (4, game.num_players)
    env.close()


# --- copy= ---------------------------------------------------------------------------------------------


def arrays_of(observations: dict[str, Any], rewards: Any, ended: Any, _: Any, info: Any) -> list[Any]:
    return [*observations.values(), rewards, ended, *info.values()]


@defaults
def test_what_a_step_returned_is_not_overwritten(game: Game) -> None:
    env = vector_env_of(game, 4, seed=1)
    rng = np.random.default_rng(1)
    observations, _ = env.reset()
    kept = copy.deepcopy(observations)
    steps = []
    for _ in range(longest_game(game)):
        arrays = arrays_of(*env.step(drawn(env, rng)))
        steps.append((arrays, copy.deepcopy(arrays)))
    assert flat(observations) == flat(kept)
    for arrays, copies in steps:
        for array, same in zip(arrays, copies, strict=True):
            np.testing.assert_array_equal(array, same)


@defaults
def test_without_copies_the_same_arrays_are_written_again(game: Game) -> None:
    env, other = vector_env_of(game, 4, copy=False), vector_env_of(game, 4)
    rng = np.random.default_rng(1)
    first, _ = env.reset(seed=2)
    other.reset(seed=2)
    rewards = None
    for _ in range(longest_game(game)):
        actions = drawn(env, rng)
        result = env.step(actions)
        assert all(result[0][key] is array for key, array in first.items())
        assert rewards is None or result[1] is rewards
        rewards = result[1]
        assert flat(result) == flat(other.step(actions))


@names
def test_writing_into_a_mask_does_not_make_an_action_legal(name: str) -> None:
    env = vector_env_of(trick_envs.make_game(name), 2, seed=1)
    observations, _ = env.reset()
    illegal = observations["action_mask"].argmin(axis=1)
    observations["action_mask"][:] = 1
    with pytest.raises(ValueError, match="allowed are"):
        env.step(illegal)


# --- arguments -----------------------------------------------------------------------------------------


@defaults
def test_an_illegal_action_is_named_with_its_game_and_changes_nothing(game: Game) -> None:
    env, other = vector_env_of(game, 3, seed=4), vector_env_of(game, 3, seed=4)
    observations, _ = env.reset()
    other.reset()
    rng = np.random.default_rng(4)
    for _ in range(game.num_players + 2):
        before = env.states.tobytes()
        for row in range(3):
            illegal = int(observations["action_mask"][row].argmin())
            for action in (illegal, -1, game.num_actions, 2**40, -(2**40)):
                actions = drawn(env, rng).astype(np.int64)
                actions[row] = action
                named = f"action of game {row} is {action}; allowed are"
                with pytest.raises(ValueError, match=named) as error:
                    env.step(actions)
                legal = np.flatnonzero(observations["action_mask"][row])
                texts = [game.action_to_string(int(each)) for each in legal]
                assert str(error.value).endswith(f"allowed are {', '.join(texts)}")
                assert env.states.tobytes() == before
        actions = drawn(env, rng)
        result = env.step(actions)
        assert flat(result) == flat(other.step(actions))
        observations = result[0]


@names
def test_actions_of_another_shape_or_type_are_refused(name: str) -> None:
    env = vector_env_of(trick_envs.make_game(name), 3, seed=1)
    env.reset()
    before = env.states.tobytes()
    good = drawn(env, np.random.default_rng(1))
    bad = [
        good[:2],
        good[None],
        int(good[0]),
        good.astype(float),
        good > 0,
        ["B0"] * 3,
        [None] * 3,
        None,
    ]
    for actions in bad:
        with pytest.raises(ValueError, match=r"actions has shape .*; allowed are whole numbers"):
            env.step(actions)
        assert env.states.tobytes() == before
    for same in (good.tolist(), good.astype(np.int8), good.astype(np.uint64)):
        copy.deepcopy(env).step(same)


@names
def test_a_step_before_reset_is_refused(name: str) -> None:
    env = vector_env_of(trick_envs.make_game(name), 2, seed=1)
    with pytest.raises(ValueError, match="before reset"):
        env.step([0, 0])


@names
def test_bad_settings_are_refused(name: str) -> None:
    vector_env = module_of(trick_envs.make_game(name)).vector_env
    for num_envs in (0, -1, 1.5, "3", True, None):
        with pytest.raises(ValueError, match=r"num_envs is .*; allowed are whole numbers from 1"):
            vector_env(num_envs)
    for settings in ({"num_players": 99}, {"colour": "red"}, {"reward": "money"}):
        with pytest.raises(ValueError, match=r"allowed|choose from"):
            vector_env(2, **settings)
    env = vector_env(2, seed=-1)
    with pytest.raises(ValueError, match="seed is -1"):
        env.reset()


# --- chance and copies ---------------------------------------------------------------------------------


@defaults
def test_the_constructors_seed_is_for_the_first_reset(game: Game) -> None:
    env = vector_env_of(game, 2, seed=6)
    env.reset()
    assert env.states.tobytes() == game.new_states(2, seed=6).tobytes()
    deals = {env.states.tobytes()}
    for _ in range(3):
        env.reset()
        deals.add(env.states.tobytes())
    assert len(deals) == 4
    env.reset(seed=6)
    assert env.states.tobytes() == game.new_states(2, seed=6).tobytes()
    env = vector_env_of(game, 2, seed=6)
    env.reset(seed=7)
    assert env.states.tobytes() == game.new_states(2, seed=7).tobytes()


@names
def test_each_game_can_have_a_seed_of_its_own(name: str) -> None:
    game = trick_envs.make_game(name)
    env, whole = vector_env_of(game, 2), vector_env_of(game, 5)
    env.reset(seed=seeds_for(5, 8)[3:])
    whole.reset(seed=8)
    assert env.states.tobytes() == whole.states[3:].tobytes()


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["deepcopy", "pickle"]
)
@defaults
def test_a_copy_plays_on_identically_and_for_itself(game: Game, copied: Any) -> None:
    num_steps = longest_game(game)
    for settings in ({"copy": True}, {"copy": False}):
        env = vector_env_of(game, 3, seed=9, **settings)
        unused = copied(env)
        env.reset()
        unused.reset()
        play_on(env, 7)
        before = env.states.tobytes()
        other = copied(env)
        future = play_on(other, num_steps, seed=1)
        assert env.states.tobytes() == before
        assert play_on(env, num_steps, seed=1) == future
        assert env.states.tobytes() == other.states.tobytes()
        play_on(unused, 7)
        assert play_on(unused, num_steps, seed=1) == future
