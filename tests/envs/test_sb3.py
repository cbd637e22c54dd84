"""The native vector environment of Stable-Baselines3, for all games."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

stable_baselines3 = pytest.importorskip("stable_baselines3")
sb3_contrib = pytest.importorskip("sb3_contrib")

from sb3_contrib.common.maskable.evaluation import evaluate_policy  # noqa: E402
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported  # noqa: E402
from stable_baselines3.common.env_util import make_vec_env  # noqa: E402
from stable_baselines3.common.monitor import Monitor  # noqa: E402
from stable_baselines3.common.vec_env import VecEnv, VecMonitor  # noqa: E402

import trick_envs  # noqa: E402
from tests.helpers import DEFAULTS, VARIANTS, gymnasium_id  # noqa: E402
from trick_envs.core.agent import RandomAgent  # noqa: E402
from trick_envs.core.game import Game  # noqa: E402
from trick_envs.envs.sb3 import SeatVecEnv  # noqa: E402
from trick_envs.envs.seat import SeatVectorEnv  # noqa: E402

variants = pytest.mark.parametrize("game", VARIANTS)
defaults = pytest.mark.parametrize("game", DEFAULTS)
names = pytest.mark.parametrize("name", trick_envs.GAMES)


def choose(env: SeatVecEnv, number: int) -> np.ndarray:
    """A legal action in each game that depends on nothing but its mask and a number."""
    return np.array([np.flatnonzero(mask)[number % mask.sum()] for mask in env.action_masks()])


def play_on(env: SeatVecEnv, num_steps: int) -> list[Any]:
    steps = []
    for number in range(num_steps):
        observations, rewards, dones, infos = env.step(choose(env, number))
        for info in infos:
            info.get("episode", {}).pop("t", None)  # the time of day
            if "terminal_observation" in info:
                info["terminal_observation"] = info["terminal_observation"].tolist()
        steps.append((observations.tolist(), rewards.tolist(), dones.tolist(), infos))
    return steps


def steps_of(game: Game) -> int:
    """More learner's steps than a game usually takes."""
    states = game.new_states(8, seed=1)
    return int(game.play_randomly(states) / 8 / game.num_players * 1.5) + 10


# --- playing -------------------------------------------------------------------------------------------


@variants
def test_episodes_end_with_the_true_observation_and_all_their_rewards(game: Game) -> None:
    n = 5
    env = SeatVecEnv(game, n, seed=1)
    observations = env.reset()
    totals, lengths = np.zeros(n), np.zeros(n, int)
    num_ended = 0
    for number in range(steps_of(game)):
        assert observations.shape == (n, game.observation_size)
        assert observations.dtype == np.int8
        observations, rewards, dones, infos = env.step(choose(env, number))
        seen = game.observations(env.tables.states, env.tables.seats)
        np.testing.assert_array_equal(observations, seen)
        totals += rewards
        lengths += 1
        for i, info in enumerate(infos):
            if not dones[i]:
                assert info == {}
                continue
            num_ended += 1
            state, seat = env.tables.final_states[i : i + 1], int(env.tables.final_seats[i])
            assert game.current_players(state)[0] == -1
            seen = game.observations(state, seat)[0]
            np.testing.assert_array_equal(info["terminal_observation"], seen)
            assert info["seat"] == seat
            assert info["return"] == pytest.approx(game.returns(state)[0, seat], abs=1e-5)
            assert info["score"] == game.scores(state)[0, seat]
            assert info["win"] == game.winners(state)[0, seat]
            assert info["TimeLimit.truncated"] is False
            assert info["episode"]["r"] == pytest.approx(totals[i], abs=1e-5)
            assert info["episode"]["l"] == lengths[i]
            assert info["episode"]["t"] >= 0
            totals[i] = lengths[i] = 0
    assert num_ended > 0
    assert env.seconds_in_steps > 0


@defaults
def test_it_plays_as_gymnasiums_vector_environment_does(game: Game) -> None:
    settings = {"opponents": [RandomAgent(), RandomAgent()], "weights": [1, 2], "seat": 1}
    env, other = SeatVecEnv(game, 4, seed=3, **settings), SeatVectorEnv(game, 4, **settings)
    np.testing.assert_array_equal(env.reset(), other.reset(seed=3)[0])
    for number in range(steps_of(game)):
        actions = choose(env, number)
        observations, rewards, dones, _ = env.step(actions)
        seen, gained, ended, _, _ = other.step(actions)
        np.testing.assert_array_equal(observations, seen)
        np.testing.assert_array_equal(rewards, gained)
        np.testing.assert_array_equal(dones, ended)


@defaults
def test_what_a_step_returned_is_not_overwritten(game: Game) -> None:
    env = SeatVecEnv(game, 3, seed=1)
    results = [env.reset()]
    kept = copy.deepcopy(results)
    for number in range(steps_of(game)):
        arrays = [env.action_masks(), *env.step(choose(env, number))[:3]]
        results += arrays
        kept += copy.deepcopy(arrays)
    for array, same in zip(results, kept, strict=True):
        np.testing.assert_array_equal(array, same)


@defaults
def test_the_first_legal_action_is_played_instead_of_an_illegal_one(game: Game) -> None:
    env, other = SeatVecEnv(game, 3, seed=1), SeatVecEnv(game, 3, seed=1)
    env.reset()
    other.reset()
    for number in range(12):
        masks = env.action_masks()
        actions, replaced = choose(env, number), choose(env, number)
        i = number % 3
        actions[i], replaced[i] = masks[i].argmin(), masks[i].argmax()
        _, rewards, _, infos = env.step(actions)
        np.testing.assert_array_equal(rewards, other.step(replaced)[1])
        assert [bool(info.get("illegal_action")) for info in infos] == [row == i for row in range(3)]
        assert env.tables.states.tobytes() == other.tables.states.tobytes()


@names
def test_bad_settings_and_actions_are_refused(name: str) -> None:
    game = trick_envs.make_game(name)
    for settings in ({"num_envs": 0}, {"num_envs": True}, {"seat": 99}, {"opponents": "random"}):
        with pytest.raises(ValueError, match="allowed are"):
            SeatVecEnv(game, **{"num_envs": 2, **settings})
    env = SeatVecEnv(game, 2)
    with pytest.raises(ValueError, match=r"call reset\(\)"):
        env.step(np.zeros(2, np.int64))
    env.reset()
    for actions in (np.zeros(3, np.int64), np.zeros(2), np.zeros((2, 1), np.int64)):
        with pytest.raises(ValueError, match="actions has shape"):
            env.step(actions)


# --- the interface of a VecEnv -------------------------------------------------------------------------


@defaults
def test_masks_of_all_games_come_in_one_array(game: Game) -> None:
    env = SeatVecEnv(game, 6, seed=1)
    env.reset()
    for number in range(10):
        masks = env.env_method("action_masks")
        assert masks.shape == (6, game.num_actions)
        np.testing.assert_array_equal(masks, game.action_masks(env.tables.states))
        np.testing.assert_array_equal(get_action_masks(env), masks)
        np.testing.assert_array_equal(env.env_method("action_masks", indices=[4, 1]), masks[[4, 1]])
        np.testing.assert_array_equal(env.env_method("action_masks", indices=2), masks[[2]])
        env.step(choose(env, number))
    assert is_masking_supported(env)


@names
def test_attributes_are_those_of_the_whole(name: str) -> None:
    game = trick_envs.make_game(name)
    env = SeatVecEnv(game, 3)
    assert isinstance(env, VecEnv)
    assert env.get_attr("game") == [game] * 3
    assert env.get_attr("game", indices=1) == [game]
    assert env.get_attr("render_mode", indices=[0, 2]) == [None, None]
    assert env.has_attr("action_masks")
    assert not env.has_attr("colour")
    with pytest.raises(AttributeError):
        env.get_attr("colour")
    with pytest.raises(AttributeError):
        env.env_method("colour")
    env.set_attr("colour", "red")
    assert env.get_attr("colour") == ["red"] * 3
    env.set_attr("colour", "blue", indices=range(3))
    with pytest.raises(ValueError, match="indices"):
        env.set_attr("colour", "red", indices=0)
    assert env.colour == "blue"
    assert env.env_is_wrapped(Monitor) == [False] * 3
    assert env.env_is_wrapped(Monitor, indices=[1]) == [False]
    opponent = RandomAgent()
    assert env.env_method("set_opponents", opponent) == [None] * 3
    assert env.env_method("set_opponents", opponent, weights=[2], indices=1) == [None]
    assert env.unwrapped is env
    env.close()


@defaults
def test_seed_and_reset_give_the_same_games(game: Game) -> None:
    env = SeatVecEnv(game, 3, seed=4)
    first = env.reset()
    steps = play_on(env, 20)
    assert env.seed(4) == [4, 5, 6]
    np.testing.assert_array_equal(env.reset(), first)
    assert play_on(env, 20) == steps
    second = env.reset()
    assert (second != first).any()
    env.seed(4)
    env.reset()
    play_on(env, 20)
    np.testing.assert_array_equal(env.reset(), second)
    assert env.reset_infos == [{}, {}, {}]
    env.seed(5)
    assert (env.reset() != first).any()


@defaults
def test_all_games_can_start_from_a_position_once(game: Game) -> None:
    state = game.new_states(1, seed=2)
    env = SeatVecEnv(game, 3, seat=int(game.current_players(state)[0]))
    for given in (state, state[0], game.to_dict(state)):
        env.set_options({"state": given})
        observations = env.reset()
        assert env.tables.states.tobytes() == game.position(given).tobytes() * 3
        np.testing.assert_array_equal(observations, game.observations(env.tables.states))
        play_on(env, 5)
        env.reset()
        assert len({row.tobytes() for row in env.tables.states}) == 3
    env.set_options({"state": state})
    env.seed(7)
    env.reset()
    assert env.tables.states[:1].tobytes() == game.position(state, seed=7).tobytes()
    env.set_options({"state": {}})
    before = env.tables.states.tobytes()
    with pytest.raises(ValueError, match="the position"):
        env.reset()
    assert env.tables.states.tobytes() == before
    env.set_options()
    env.reset()


@defaults
def test_a_new_game_counts_its_steps_from_nothing_after_a_reset(game: Game) -> None:
    env = SeatVecEnv(game, 2, seed=1)
    env.reset()
    play_on(env, 5)
    env.reset()
    steps = play_on(env, steps_of(game))
    dones = np.array([dones for _, _, dones, _ in steps])
    assert dones.any()
    for i in np.flatnonzero(dones.any(axis=0)):
        first = int(dones[:, i].argmax())
        assert steps[first][3][i]["episode"]["l"] == first + 1


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["deepcopy", "pickle"]
)
@defaults
def test_a_copy_plays_on_identically_and_for_itself(game: Game, copied: Any) -> None:
    env = SeatVecEnv(game, 3, [RandomAgent(), RandomAgent()], seed=1)
    env.reset()
    play_on(env, 5)
    before = env.tables.states.tobytes()
    other = copied(env)
    future = play_on(other, steps_of(game))
    assert env.tables.states.tobytes() == before
    assert play_on(env, steps_of(game)) == future
    np.testing.assert_array_equal(env.reset(), other.reset())
    unused = copied(SeatVecEnv(game, 3, [RandomAgent(), RandomAgent()], seed=1))
    unused.reset()
    play_on(unused, 5)
    assert play_on(unused, steps_of(game)) == future


# --- learning ------------------------------------------------------------------------------------------


@names
def test_maskable_ppo_learns_and_predicts_legal_actions(name: str) -> None:
    env = SeatVecEnv(trick_envs.make_game(name), 8, seed=1)
    settings = {"n_steps": 32, "batch_size": 64, "n_epochs": 1, "seed": 1, "device": "cpu"}
    model = sb3_contrib.MaskablePPO("MlpPolicy", env, policy_kwargs={"net_arch": [16]}, **settings)
    model.learn(2 * 8 * 32)
    assert model.num_timesteps == 2 * 8 * 32
    assert not env.tables.illegal.any()
    assert model.ep_info_buffer
    observations = env.reset()
    for _ in range(10):
        masks = env.action_masks()
        actions, _ = model.predict(observations, action_masks=masks)
        assert masks[np.arange(8), actions].all()
        observations, *_ = env.step(actions)
        assert not env.tables.illegal.any()


@names
def test_stable_baselines3s_monitor_and_evaluation_work(name: str) -> None:
    game = trick_envs.make_game(name, reward="score")
    env = SeatVecEnv(game, 2)
    settings = {"n_steps": 8, "batch_size": 16, "seed": 1, "device": "cpu"}
    model = sb3_contrib.MaskablePPO("MlpPolicy", env, policy_kwargs={"net_arch": [4]}, **settings)
    settings = {"n_eval_episodes": 3, "return_episode_rewards": True}
    rewards, lengths = evaluate_policy(model, SeatVecEnv(game, 2, seed=1), warn=False, **settings)
    assert len(rewards) == len(lengths) == 3
    # The monitor's own sums of rewards are those that the loop adds up.
    monitored = VecMonitor(SeatVecEnv(game, 2, seed=1))
    sums, counts = evaluate_policy(model, monitored, **settings)
    assert sums == pytest.approx(rewards, abs=1e-4)
    assert counts == lengths


@names
def test_stable_baselines3_makes_environments_by_name(name: str) -> None:
    """It tries render modes, and takes them back for a `TypeError` only."""
    env_id = gymnasium_id(name)
    env = make_vec_env(env_id, n_envs=2, seed=1)
    assert env.reset().shape == (2, trick_envs.make_game(name).observation_size)
    _, rewards, _, infos = env.step(np.zeros(2, np.int64))
    assert rewards.shape == (2,)
    assert all("illegal_action" in info for info in infos)
    settings = {"n_steps": 16, "batch_size": 8, "n_epochs": 1, "seed": 1, "device": "cpu"}
    model = stable_baselines3.PPO("MlpPolicy", env_id, policy_kwargs={"net_arch": [4]}, **settings)
    assert model.learn(16).num_timesteps == 16
