"""The PettingZoo environment, for all games."""

import copy
import functools
import pickle
import warnings
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, render_test, seed_test
from pettingzoo.utils.env_logger import EnvLogger

import trick_envs
from tests.helpers import DEFAULTS, VARIANTS, module_of, reached_states, variants_of, without_chance
from trick_envs.core.game import Game
from trick_envs.envs.aec import TrickTakingEnv

variants = pytest.mark.parametrize("game", VARIANTS)
defaults = pytest.mark.parametrize("game", DEFAULTS)
names = pytest.mark.parametrize("name", trick_envs.GAMES)
copiers = pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["deepcopy", "pickle"]
)


def env_of(game: Game, **settings: Any) -> Any:
    return module_of(game).env(game.num_players, **game.options, **settings)


def draw(env: Any, rng: np.random.Generator) -> int:
    return int(rng.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])))


def advance(env: Any, num_steps: int, rng: np.random.Generator) -> None:
    for _ in range(num_steps):
        env.step(draw(env, rng))


def play_to_the_end(env: Any, rng: np.random.Generator) -> dict[str, float]:
    """The usual loop; what each agent was told that it got."""
    totals = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        totals[agent] += reward
        is_dead = termination or truncation
        assert info["action_mask"].any() != is_dead
        env.step(None if is_dead else int(rng.choice(np.flatnonzero(observation["action_mask"]))))
    return totals


def all_of(env: Any) -> tuple[Any, ...]:
    """All that can be seen of an environment in the middle of a game, or after it."""
    return (
        env.states.tobytes(),
        env.agents[:],
        env.agent_selection,
        dict(env.rewards),
        dict(env._cumulative_rewards),
        dict(env.terminations),
        dict(env.truncations),
        {agent: info["action_mask"].tolist() for agent, info in env.infos.items()},
        {agent: env.observe(agent)["action_mask"].tolist() for agent in env.possible_agents},
    )


def future_of(env: Any) -> list[Any]:
    """How a game goes on by drawn actions, and the two games after it."""
    rng = np.random.default_rng(7)
    steps = []
    for _ in range(3):
        steps.append(all_of(env))
        while not all(env.terminations.values()):
            env.step(draw(env, rng))
            steps.append((env.states.tobytes(), env.agent_selection, dict(env.rewards)))
        steps.append(all_of(env))
        env.reset()
    return steps


def illegal_action(env: Any) -> int:
    return int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"] == 0)[0])


# --- PettingZoo's own tests ----------------------------------------------------------------------------


def check_api(env: Any, num_cycles: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # PettingZoo knows of its own games only that their observations are dicts.
        warnings.filterwarnings("ignore", message="Observation space for each agent probably should be")
        warnings.filterwarnings("ignore", message="Observation is not a NumPy array")
        api_test(env, num_cycles=num_cycles)


@defaults
def test_pettingzoos_api_test_passes(game: Game) -> None:
    check_api(env_of(game), num_cycles=300)


@names
@pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="PettingZoo before 1.27 makes nothing by name")
def test_pettingzoos_api_test_passes_for_what_pettingzoo_makes(name: str) -> None:
    env = pettingzoo.make("aec", f"trick_envs/{name}_v0", reward="score")
    assert env.unwrapped.game == trick_envs.make_game(name, reward="score")
    check_api(env, num_cycles=100)


@names
def test_pettingzoos_api_test_passes_with_a_reward_for_illegal_actions(name: str) -> None:
    check_api(env_of(trick_envs.make_game(name), illegal_reward=-1.0), num_cycles=100)


@defaults
def test_pettingzoos_seed_test_passes(game: Game) -> None:
    seed_test(lambda: env_of(game), num_cycles=100)


@defaults
def test_pettingzoos_render_test_passes(game: Game) -> None:
    render_test(lambda render_mode: env_of(game, render_mode=render_mode))


# --- what agents see -----------------------------------------------------------------------------------


@variants
def test_masks_and_observations_are_never_stale(game: Game) -> None:
    env = env_of(game)
    env.reset(seed=3)
    rng = np.random.default_rng(3)
    while True:
        mask, current_player = game.action_masks(env.states)[0], game.current_players(env.states)[0]
        is_over = current_player < 0
        assert is_over or env.agent_selection == f"player_{current_player}"
        assert set(env.terminations.values()) == {is_over}
        assert set(env.truncations.values()) == {False}
        for seat, agent in enumerate(env.possible_agents):
            view = env.observe(agent)
            np.testing.assert_array_equal(view["observation"], game.observations(env.states, seat)[0])
            np.testing.assert_array_equal(view["action_mask"], mask if seat == current_player else 0 * mask)
            np.testing.assert_array_equal(env.infos[agent]["action_mask"], view["action_mask"])
        if is_over:
            return
        env.step(draw(env, rng))


@defaults
def test_spaces_stay_the_same_objects_and_contain_all_observations(game: Game) -> None:
    env = env_of(game)
    spaces = [(env.observation_space(agent), env.action_space(agent)) for agent in env.possible_agents]
    assert env.possible_agents == [f"player_{seat}" for seat in range(game.num_players)]
    rng = np.random.default_rng(1)
    env.reset(seed=1)
    while not all(env.terminations.values()):
        for agent, (observations, actions) in zip(env.possible_agents, spaces, strict=True):
            assert env.observation_space(agent) is observations
            assert env.action_space(agent) is actions
            assert observations.contains(env.observe(agent))
            assert actions.n == game.num_actions
        env.step(draw(env, rng))
    for agent in env.agents:
        assert env.observation_space(agent).contains(env.observe(agent))


@defaults
def test_the_state_is_all_agents_observations_one_after_another(game: Game) -> None:
    env = env_of(game)
    rng = np.random.default_rng(2)
    env.reset(seed=2)
    while not all(env.terminations.values()):
        state = env.state()
        assert env.state_space.contains(state)
        views = [env.observe(agent)["observation"] for agent in env.possible_agents]
        np.testing.assert_array_equal(state, np.concatenate(views))
        env.step(draw(env, rng))
    assert env.state_space.contains(env.state())


@defaults
def test_writing_into_a_mask_does_not_make_an_action_legal(game: Game) -> None:
    env = env_of(game)
    env.reset(seed=1)
    action = illegal_action(env)
    env.infos[env.agent_selection]["action_mask"][:] = 1
    env.observe(env.agent_selection)["action_mask"][:] = 1
    with pytest.raises(trick_envs.IllegalActionError, match="may play"):
        env.step(action)


# --- rewards -------------------------------------------------------------------------------------------


@variants
def test_every_seat_is_told_all_its_rewards_also_the_last_one(game: Game) -> None:
    env = env_of(game)
    for seed in range(3):
        env.reset(seed=seed)
        totals = play_to_the_end(env, np.random.default_rng(seed))
        assert env.agents == []
        np.testing.assert_allclose(list(totals.values()), game.returns(env.states)[0], atol=1e-5)


@variants
def test_rewards_are_those_of_the_last_step(game: Game) -> None:
    env = env_of(game)
    env.reset(seed=4)
    rng = np.random.default_rng(4)
    assert set(env.rewards.values()) == {0.0}
    while not all(env.terminations.values()):
        action = draw(env, rng)
        rewards = game.step(env.states.copy(), [action])[0]
        env.step(action)
        assert list(env.rewards) == env.possible_agents
        np.testing.assert_array_equal(list(env.rewards.values()), rewards)


# --- actions -------------------------------------------------------------------------------------------


@defaults
def test_a_bad_action_is_named_and_changes_nothing(game: Game) -> None:
    env = env_of(game)
    env.reset(seed=5)
    rng = np.random.default_rng(5)
    no_numbers = ("0", None, [], np.arange(2))
    bad = (-1, game.num_actions, 10**30, 1.5, np.float32(0.5), np.inf, np.nan, *no_numbers)
    for _ in range(game.num_players + 2):
        before = all_of(env)
        for action in (illegal_action(env), np.int64(illegal_action(env)), *bad):
            with pytest.raises(
                trick_envs.IllegalActionError, match=r"action is .*; player_\d may play"
            ) as error:
                env.step(action)
            assert repr(action) in str(error.value)
            assert all_of(env) == before
        env.step(draw(env, rng))


@defaults
def test_the_message_says_an_illegal_actions_text_and_the_legal_ones(game: Game) -> None:
    env = env_of(game)
    env.reset(seed=5)
    action = illegal_action(env)
    legal = np.flatnonzero(game.action_masks(env.states)[0])
    with pytest.raises(trick_envs.IllegalActionError, match="may play") as error:
        env.step(action)
    assert f"({game.action_to_string(action)})" in str(error.value)
    assert str(error.value).endswith(", ".join(game.action_to_string(action) for action in legal))


@pytest.mark.parametrize("kind", [np.int8, np.int32, np.int64, np.uint8, np.array, lambda a: np.array([a])])
@names
def test_an_action_may_be_any_kind_of_whole_number(name: str, kind: Any) -> None:
    env, other = env_of(trick_envs.make_game(name)), env_of(trick_envs.make_game(name))
    env.reset(seed=6)
    other.reset(seed=6)
    action = draw(env, np.random.default_rng(6))
    env.step(action)
    other.step(kind(action))
    assert all_of(env) == all_of(other)


@names
def test_an_action_that_is_no_whole_number_is_refused(name: str) -> None:
    env = env_of(trick_envs.make_game(name))
    env.reset(seed=6)
    before, action = all_of(env), draw(env, np.random.default_rng(6))
    for wrong in (float(action), action + 0.5, True, str(action), None, [action, action], [], 2**70):
        with pytest.raises(trick_envs.IllegalActionError, match="may play"):
            env.step(wrong)
        assert all_of(env) == before


@names
def test_an_end_from_outside_leaves_no_mask(name: str) -> None:
    """As by PettingZoo's wrapper for illegal actions, or one that truncates."""
    module = module_of(trick_envs.make_game(name))
    env = module.env(illegal_reward=-1)
    env.reset(seed=1)
    culprit = env.agent_selection
    illegal = int(env.infos[culprit]["action_mask"].argmin())
    env.step(illegal)
    for agent in env.agents:
        assert not env.infos[agent]["action_mask"].any()
        assert not env.observe(agent)["action_mask"].any()
    observation, _, termination, truncation, info = env.last()
    assert termination or truncation
    assert not observation["action_mask"].any()
    assert not info["action_mask"].any()
    raw = module.raw_env()
    raw.reset(seed=1)
    raw.truncations[raw.agent_selection] = True
    observation, _, _, truncation, info = raw.last()
    assert truncation
    assert not observation["action_mask"].any()
    assert not info["action_mask"].any()
    raw.reset(seed=1)
    assert raw.infos[raw.agent_selection]["action_mask"].any()


@names
def test_use_before_reset_says_what_to_do(name: str) -> None:
    env = module_of(trick_envs.make_game(name)).raw_env()
    for use in (env.last, lambda: next(iter(env.agent_iter())), lambda: env.agents, lambda: env.rewards):
        with pytest.raises(AttributeError, match=r"before reset\(\); call that first"):
            use()
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = env.nonsense
    env.reset(seed=1)
    for ask in (env.observe, env.observation_space, env.action_space):
        with pytest.raises(ValueError, match="unknown agent 'nobody'; choose from player_0, "):
            ask("nobody")


@defaults
def test_dead_agents_take_none_and_nothing_else(game: Game) -> None:
    env = env_of(game)
    env.reset(seed=8)
    rng = np.random.default_rng(8)
    while not all(env.terminations.values()):
        env.step(draw(env, rng))
    for seat in range(game.num_players):
        before = all_of(env)
        assert env.agent_selection == f"player_{seat}"
        with pytest.raises(ValueError, match="None"):
            env.step(0)
        assert all_of(env) == before
        env.step(None)
    assert env.agents == []


@names
def test_a_new_game_can_begin_while_agents_are_still_leaving(name: str) -> None:
    env, fresh = env_of(trick_envs.make_game(name)), env_of(trick_envs.make_game(name))
    env.reset(seed=8)
    rng = np.random.default_rng(8)
    while not all(env.terminations.values()):
        env.step(draw(env, rng))
    env.step(None)
    for each in (env, fresh):
        each.reset(seed=9)
    assert all_of(env) == all_of(fresh)
    for each in (env, fresh):
        play_to_the_end(each, np.random.default_rng(9))
    assert all_of(env) == all_of(fresh)


@defaults
def test_a_step_after_the_end_warns_and_changes_nothing(game: Game) -> None:
    env = env_of(game)
    env.reset(seed=8)
    play_to_the_end(env, np.random.default_rng(8))
    before = all_of(env)
    for action in (0, None):
        EnvLogger.flush()
        env.step(action)
        assert "step() called after all agents are terminated" in EnvLogger.mqueue[0]
        assert all_of(env) == before
    env.reset()
    assert env.agents == env.possible_agents


@names
def test_with_a_reward_for_it_an_illegal_action_ends_the_game(name: str) -> None:
    env = env_of(trick_envs.make_game(name), illegal_reward=-3.0)
    for num_steps in (0, 1, 6):
        env.reset(seed=1)
        advance(env, num_steps, np.random.default_rng(1))
        culprit, states = env.agent_selection, env.states.tobytes()
        env.step(illegal_action(env))
        assert env.states.tobytes() == states
        told = {}
        for agent in env.agent_iter():
            _, told[agent], termination, truncation, _ = env.last()
            assert termination
            assert truncation
            for each in env.agents:
                np.testing.assert_array_equal(
                    env.observe(each)["action_mask"], env.infos[each]["action_mask"]
                )
            env.step(None)
        assert told == {agent: -3.0 * (agent == culprit) for agent in env.possible_agents}
    env.reset(seed=1)
    assert set(play_to_the_end(env, np.random.default_rng(1))) == set(env.possible_agents)


# --- reset and its options -----------------------------------------------------------------------------


@names
def test_nothing_works_before_reset(name: str) -> None:
    env = env_of(trick_envs.make_game(name), render_mode="ansi")
    calls = [
        lambda: env.step(0),
        lambda: env.observe("player_0"),
        lambda: env.states,
        env.render,
        env.state,
    ]
    for call in calls:
        with pytest.raises(AssertionError, match=r"reset\(\) needs to be called before"):
            call()
    with pytest.raises(AttributeError):
        env.last()


@variants
def test_a_seed_gives_the_games_that_game_deals_and_changes_no_settings(game: Game) -> None:
    env = env_of(game)
    for seed in (0, 7, 2**40):
        env.reset(seed=seed)
        assert env.states.tobytes() == game.new_states(1, seed).tobytes()
        assert env.game == game


@defaults
def test_without_a_seed_every_reset_deals_another_game_by_the_last_seed(game: Game) -> None:
    def deals(env: Any, seed: int | None) -> list[bytes]:
        env.reset(seed=seed)
        found = [env.states.tobytes()]
        for num_steps in range(4):
            advance(env, num_steps, np.random.default_rng())
            env.reset()
            found.append(env.states.tobytes())
        return found

    env = env_of(game)
    first = deals(env, 1)
    assert deals(env, 1) == first == deals(env_of(game), 1)
    everything = [*first, *deals(env, 2), *deals(env_of(game), None), *deals(env_of(game), None)]
    assert len(set(everything)) == 20


@defaults
def test_a_bad_seed_is_refused_and_the_game_goes_on(game: Game) -> None:
    env = env_of(game)
    env.reset(seed=1)
    advance(env, 2, np.random.default_rng(1))
    before = all_of(env)
    for seed in (-1, 1.5, "1", True):
        for options in (None, {"state": game.new_states(1, 1)}):
            with pytest.raises(ValueError, match="seed is"):
                env.reset(seed=seed, options=options)
    assert all_of(env) == before


@variants
def test_a_game_can_start_from_any_position(game: Game) -> None:
    """From a record, an array of one or a dict; without a seed it plays on as the original."""
    env, other = env_of(game), env_of(game)
    for state in reached_states(game, 6, seed=2):
        kept = state.copy()
        from_dict = game.from_dict(game.to_dict(state))
        ways = ((state, state), (state.reshape(1), state), (game.to_dict(state), from_dict))
        for given, expected in ways:
            env.reset(options={"state": given})
            assert env.states.tobytes() == expected.tobytes()
            assert env.agents == env.possible_agents
            assert not any(env.rewards.values())
            assert not any(env.truncations.values())
            play_to_the_end(env, np.random.default_rng(1))
            assert state.tobytes() == kept.tobytes()
        env.reset(options={"state": state})
        other.reset(options={"state": kept})
        play_to_the_end(env, np.random.default_rng(1))
        play_to_the_end(other, np.random.default_rng(1))
        assert env.states.tobytes() == other.states.tobytes()


@defaults
def test_a_position_with_a_seed_takes_all_future_chance_from_the_seed(game: Game) -> None:
    env = env_of(game)
    state = reached_states(game, 2, seed=4)[0]
    ends = []
    for seed in (1, 1, 2):
        for given in (state, game.to_dict(state)):
            env.reset(seed=seed, options={"state": given})
            assert without_chance(env.states) == without_chance(state.reshape(1))
            ends.append(future_of(env))
    assert all(end == ends[0] for end in ends[:4])
    assert ends[4] == ends[5] != ends[0]


@defaults
def test_a_position_plays_on_as_the_environment_that_it_was_taken_from(game: Game) -> None:
    env, other = env_of(game), env_of(game)
    env.reset(seed=9)
    advance(env, game.num_players + 1, np.random.default_rng(9))
    other.reset(options={"state": env.states})
    totals = play_to_the_end(other, np.random.default_rng(1))
    assert totals == play_to_the_end(env, np.random.default_rng(1))
    assert other.states.tobytes() == env.states.tobytes()


@defaults
def test_a_finished_position_has_only_dead_agents(game: Game) -> None:
    over = reached_states(game, 2, seed=1)[-1]
    env = env_of(game)
    env.reset(options={"state": over})
    assert all(env.terminations.values())
    assert not any(play_to_the_end(env, np.random.default_rng(1)).values())


@defaults
def test_a_bad_position_is_refused_and_the_game_goes_on(game: Game) -> None:
    env = env_of(game)
    env.reset(seed=1)
    advance(env, 3, np.random.default_rng(1))
    before = all_of(env)
    good = game.to_dict(env.states)
    bad_dicts = [{}, {**good, "game": "whist"}, {**good, "mover": 99}]
    bad = [5, "x", game.new_states(2, 1), np.zeros(1), *bad_dicts]
    for state in bad:
        with pytest.raises(ValueError):  # noqa: PT011
            env.reset(seed=2, options={"state": state})
        assert all_of(env) == before
    play_to_the_end(env, np.random.default_rng(1))


@defaults
def test_a_state_of_another_variant_is_refused(game: Game) -> None:
    env = env_of(game)
    others = [other for other in variants_of(game.name) if other != game]
    assert len(others) >= 3
    for other in others:
        with pytest.raises(ValueError, match="made with other settings: "):
            env.reset(options={"state": other.new_states(1, 1)})
        if other.num_players != game.num_players:
            with pytest.raises(ValueError, match="num_players"):
                env.reset(options={"state": other.to_dict(other.new_states(1, 1))})


@names
def test_unknown_keys_of_the_reset_options_are_ignored(name: str) -> None:
    game = trick_envs.make_game(name)
    env = env_of(game)
    for options in ({}, {"colour": "red"}, {"state": None}):
        env.reset(seed=3, options=options)
        assert env.states.tobytes() == game.new_states(1, 3).tobytes()


# --- copies --------------------------------------------------------------------------------------------


@copiers
@defaults
def test_a_copy_plays_on_identically_and_for_itself(game: Game, copied: Any) -> None:
    env = env_of(game)
    env.reset(seed=11)
    for num_steps in (0, 5):
        advance(env, num_steps, np.random.default_rng(11))
        before = all_of(env)
        first, second = copied(env), copied(copied(env))
        assert all_of(first) == before
        future = future_of(first)
        assert all_of(env) == before
        assert future == future_of(second) == future_of(copied(env))
    assert future_of(env) == future


@copiers
@defaults
def test_a_copy_of_an_environment_in_which_agents_are_leaving_is_whole(game: Game, copied: Any) -> None:
    env = env_of(game)
    env.reset(seed=8)
    while not all(env.terminations.values()):
        env.step(draw(env, np.random.default_rng(8)))
    env.step(None)
    other = copied(env)
    for each in (env, other):
        play_to_the_end(each, np.random.default_rng(1))
    assert all_of(env) == all_of(other)
    env.reset()
    other.reset()
    assert all_of(env) == all_of(other)


@copiers
@names
def test_a_copy_made_before_reset_deals_the_same_games(name: str, copied: Any) -> None:
    env = env_of(trick_envs.make_game(name))
    other = copied(env)
    env.reset()
    other.reset()
    assert future_of(env) == future_of(other)


@copiers
@names
def test_a_wrapped_environment_can_be_copied_too(name: str, copied: Any) -> None:
    env = env_of(trick_envs.make_game(name), illegal_reward=-1.0)
    env.reset(seed=1)
    advance(env, 4, np.random.default_rng(1))
    other = copied(env)
    assert future_of(other) == future_of(env)


# --- settings and rendering ----------------------------------------------------------------------------


@names
def test_settings_that_do_not_exist_are_refused(name: str) -> None:
    bad = [
        {"render_mode": "rgb_array"},
        {"render_mode": 3},
        {"num_players": 99},
        {"num_players": "4"},
        {"no_such_option": 1},
        {"reward": "money"},
    ]
    module = module_of(trick_envs.make_game(name))
    ways = [module.env, module.raw_env]
    if hasattr(pettingzoo, "make"):  # since 1.27
        ways.append(functools.partial(pettingzoo.make, "aec", f"trick_envs/{name}_v0"))
    for settings in bad:
        for make in ways:
            with pytest.raises(ValueError, match=r"allowed|choose from"):
                make(**settings)


@names
def test_the_raw_environment_is_the_same_without_wrappers(name: str) -> None:
    module = module_of(trick_envs.make_game(name))
    raw, env = module.raw_env(reward="score"), module.env(reward="score")
    assert type(raw) is type(env) is TrickTakingEnv
    assert str(raw) == f"{name}_v0"
    assert isinstance(module.env(illegal_reward=-1.0).unwrapped, TrickTakingEnv)
    raw.reset(seed=1)
    env.reset(seed=1)
    assert future_of(raw) == future_of(env)


@defaults
def test_text_rendering_returns_the_whole_table(game: Game, capsys: pytest.CaptureFixture[str]) -> None:
    env = env_of(game, render_mode="ansi")
    env.reset(seed=1)
    rng = np.random.default_rng(1)
    while not all(env.terminations.values()):
        assert env.render() == game.render(env.states)
        env.step(draw(env, rng))
    assert env.render() == game.render(env.states)
    assert capsys.readouterr().out == ""


@defaults
def test_human_rendering_prints_the_table_after_reset_and_after_each_step(
    game: Game, capsys: pytest.CaptureFixture[str]
) -> None:
    env = env_of(game, render_mode="human")
    env.reset(seed=1)
    rng = np.random.default_rng(1)
    for _ in range(5):
        assert capsys.readouterr().out == game.render(env.states) + "\n\n"
        env.step(draw(env, rng))
    capsys.readouterr()
    assert env.render() is None
    assert capsys.readouterr().out == game.render(env.states) + "\n\n"


@names
def test_rendering_without_a_mode_warns(name: str) -> None:
    env = env_of(trick_envs.make_game(name))
    env.reset(seed=1)
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None
    env.close()


@names
def test_a_seats_rendering_shows_its_hand_and_no_other(name: str) -> None:
    game = trick_envs.make_game(name)
    module = module_of(game)
    for make in (module.env, module.raw_env):
        env = make(render_mode="ansi", render_seat=1)
        env.reset(seed=3)
        states = env.unwrapped.states
        assert env.render() == game.render(states, 1) != game.render(states)


@names
def test_the_current_players_rendering_follows_the_turn(name: str) -> None:
    env = env_of(trick_envs.make_game(name), render_mode="ansi", render_seat="current")
    env.reset(seed=3)
    rng = np.random.default_rng(3)
    while not all(env.terminations.values()):
        states = env.unwrapped.states
        seat = int(states["current_player"][0])
        assert env.render() == env.unwrapped.game.render(states, seat)
        legal = np.flatnonzero(env.last()[4]["action_mask"])
        env.step(int(rng.choice(legal)))
    assert env.render() == env.unwrapped.game.render(env.unwrapped.states)


@names
@pytest.mark.parametrize("seat", [-1, 99, "nobody", 1.0, True])
def test_a_seat_that_is_not_there_can_not_be_rendered(name: str, seat: Any) -> None:
    module = module_of(trick_envs.make_game(name))
    for make in (module.env, module.raw_env):
        with pytest.raises(ValueError, match=r"render_seat is .*; allowed are .* None or 'current'"):
            make(render_mode="ansi", render_seat=seat)
