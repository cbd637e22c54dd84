"""One learning seat against agents, for all games."""

import copy
import pickle
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import vector as vector_wrappers
from numpy.typing import NDArray

import trick_envs
from tests.helpers import DEFAULTS, VARIANTS, gymnasium_id, play, reached_states, variants_of, without_chance
from trick_envs.core.agent import RandomAgent
from trick_envs.core.game import Game, States
from trick_envs.core.random import Streams, seeds_for
from trick_envs.envs.seat import SeatEnv, SeatTables, SeatVectorEnv, make_seat_env, make_seat_vector_env

variants = pytest.mark.parametrize("game", VARIANTS)
defaults = pytest.mark.parametrize("game", DEFAULTS)
names = pytest.mark.parametrize("name", trick_envs.GAMES)
copiers = pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["deepcopy", "pickle"]
)


class LowestAgent:
    """Plays the legal action with the lowest number."""

    def act(self, game: Game, states: States, rng: Streams) -> NDArray[np.int32]:
        return game.action_masks(states).argmax(axis=1).astype(np.int32)


class Scripted(LowestAgent):
    """Plays a certain action in a certain state."""

    def __init__(self, state: States, action: int) -> None:
        self.state = state.tobytes()
        self.action = action

    def act(self, game: Game, states: States, rng: Streams) -> NDArray[np.int32]:
        actions = super().act(game, states, rng)
        for i in range(len(states)):
            if states[i].tobytes() == self.state:
                actions[i] = self.action
        return actions


class Drawer(RandomAgent):
    """Plays at random and keeps the states and its next random numbers."""

    def __init__(self) -> None:
        self.states: list[States] = []
        self.bits: list[NDArray[np.uint64]] = []

    def act(self, game: Game, states: States, rng: Streams) -> NDArray[np.int32]:
        self.states.append(states.copy())
        self.bits.append(copy.deepcopy(rng).bits())
        return super().act(game, states, rng)


class Recorder:
    """Plays at random and keeps what it was asked and did."""

    def __init__(self, check: Callable[[States], None] | None = None) -> None:
        self.check = check
        self.current_players: list[int] = []
        self.actions: list[int] = []

    def act(self, game: Game, states: States, rng: Streams) -> NDArray[np.int32]:
        assert len(states) == len(rng) > 0
        if self.check:
            self.check(states)
        actions = RandomAgent().act(game, states, rng)
        self.current_players += game.current_players(states).tolist()
        self.actions += actions.tolist()
        return actions


def choose(masks: NDArray[np.int8], number: int) -> NDArray[np.int64]:
    """A legal action in each game that depends on nothing but its row and a number."""
    return np.array([np.flatnonzero(mask)[number % mask.sum()] for mask in masks])


def choose_one(env: Any, number: int) -> int:
    return int(choose(env.unwrapped.action_masks()[None], number)[0])


def play_episode(env: Any, number: int = 3) -> list[Any]:
    """A game to its end; what each step returned."""
    steps = []
    is_over = False
    while not is_over:
        result = env.step(choose_one(env, number + len(steps)))
        steps.append(flat(result))
        is_over = result[2]
    return steps


def flat(result: Any) -> Any:
    """The arrays of a result as lists, to compare it."""
    if isinstance(result, dict):
        return {key: flat(value) for key, value in result.items()}
    if isinstance(result, tuple | list):
        return [flat(each) for each in result]
    return flat(result.tolist()) if isinstance(result, np.ndarray) else result


def play_vector(env: SeatVectorEnv, num_steps: int) -> list[Any]:
    return [flat(env.step(choose(env.action_masks(), number))) for number in range(num_steps)]


def steps_of(game: Game) -> int:
    """More learner's steps than a game usually takes."""
    states = game.new_states(8, seed=1)
    return int(game.play_randomly(states) / 8 / game.num_players * 1.5) + 10


# --- the suites of others ------------------------------------------------------------------------------


def check_with_gymnasium(env: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env)


@defaults
def test_gymnasiums_env_checker_passes(game: Game) -> None:
    check_with_gymnasium(gymnasium.make(gymnasium_id(game.name), num_players=game.num_players).unwrapped)


@names
def test_gymnasium_makes_environments(name: str) -> None:
    env = gymnasium.make(gymnasium_id(name))
    assert isinstance(env.unwrapped, SeatEnv)
    assert env.unwrapped.game == trick_envs.make_game(name)
    check_with_gymnasium(env.unwrapped)
    settings = {
        "num_players": max(trick_envs.game_class(name).player_counts),
        "opponents": [LowestAgent(), RandomAgent()],
        "weights": [1, 2],
        "seat": 1,
        "reward": "score",
    }
    env = gymnasium.make(gymnasium_id(name), render_mode="ansi", **settings)
    assert env.unwrapped.game.options["reward"] == "score"
    assert env.reset(seed=1)[1]["seat"] == 1
    assert play_episode(env)[-1][4]["seat"] == 1
    check_with_gymnasium(env.unwrapped)


@names
def test_gymnasium_makes_vector_environments(name: str) -> None:
    settings = {"opponents": LowestAgent(), "seat": 1, "reward": "relative_score"}
    for given in ({}, settings):
        env = gymnasium.make_vec(gymnasium_id(name), 5, **given)
        assert isinstance(env.unwrapped, SeatVectorEnv)
        assert env.unwrapped.game.options["reward"] == given.get("reward", "outcome")
        observations, _ = env.reset(seed=1)
        assert env.observation_space.contains(observations)
        assert env.action_space.contains(choose(env.unwrapped.action_masks(), 1))
        observations, *_ = env.step(env.action_space.sample())
        assert env.observation_space.contains(observations)
        env.close()
    env = gymnasium.make_vec(gymnasium_id(name), 2, vectorization_mode="sync", **settings)
    assert isinstance(env.unwrapped, SyncVectorEnv)
    env.reset(seed=1)
    env.step(env.action_space.sample())
    env.close()


@defaults
def test_stable_baselines3s_env_checker_passes(game: Game) -> None:
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    for env in (SeatEnv(game), SeatEnv(game, RandomAgent(), seat=0, render_mode="ansi")):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            checker.check_env(env)


# --- rewards and ends ----------------------------------------------------------------------------------


@variants
def test_rewards_are_all_that_came_to_the_seat_since_its_last_decision(game: Game) -> None:
    """Against a replay of every seat's actions by the rules alone."""
    for seat in range(game.num_players):
        start = game.new_states(1, seed=seat)
        opponent = Recorder()
        env = SeatEnv(game, opponent, seat=seat)
        env.reset(options={"state": start})
        rewards, actions = [], []
        is_over = False
        while not is_over:
            actions.append(choose_one(env, len(actions)))
            _, reward, is_over, _, info = env.step(actions[-1])
            rewards.append(reward)
        state, own, others = start.copy(), iter(actions), iter(opponent.actions)
        expected, early = [], 0.0
        while (current_player := game.current_players(state)[0]) >= 0:
            if current_player == seat:
                expected.append(0.0)
            gained = game.step(state, [next(own if current_player == seat else others)])[0, seat]
            if expected:
                expected[-1] += gained
            else:
                early += gained
        expected[0] += early  # what came before the first decision is paid with the first step
        assert next(own, None) is None
        np.testing.assert_allclose(rewards, expected, atol=1e-5)
        np.testing.assert_allclose(sum(rewards), game.returns(state)[0, seat], atol=1e-5)
        assert env.tables.final_states.tobytes() == state.tobytes()
        assert info["seat"] == seat
        assert info["return"] == pytest.approx(game.returns(state)[0, seat])
        assert info["score"] == game.scores(state)[0, seat]
        assert info["win"] == game.winners(state)[0, seat]


@variants
def test_rewards_of_an_episode_add_up_to_the_return_also_when_another_seat_moves_last(
    game: Game,
) -> None:
    opponent = Recorder()
    env = SeatEnv(game, opponent)
    last_movers = set()
    for seed in range(8):
        _, info = env.reset(seed=seed)
        seat = info["seat"]
        total = 0.0
        is_over = False
        while not is_over:
            opponent.current_players.clear()
            _, reward, is_over, is_truncated, info = env.step(choose_one(env, seed))
            assert not is_truncated
            total += reward
        tables = env.tables
        assert total == pytest.approx(game.returns(tables.final_states)[0, seat], abs=1e-5)
        assert info["seat"] == tables.final_seats[0] == seat
        last_movers.add(bool(opponent.current_players))
    assert True in last_movers


def test_what_comes_before_the_first_decision_is_paid_and_to_this_game_only() -> None:
    """From positions in which another seat brings the learner something just before its turn."""
    num_found = 0
    for name in trick_envs.GAMES:
        game = trick_envs.make_game(name, reward="score")
        for state, actions, rewards in play(game, 1, seed=1):
            after = state.copy()
            game.step(after, actions)
            seat = int(game.current_players(after)[0])
            if seat in (-1, game.current_players(state)[0]) or not rewards[0, seat]:
                continue
            num_found += 1
            env = SeatEnv(game, Scripted(state, int(actions[0])), seat=seat)
            env.reset(options={"state": state})
            total = sum(step[1] for step in play_episode(env))
            gained = game.returns(env.tables.final_states) - game.returns(state)
            assert total == pytest.approx(gained[0, seat], abs=1e-5)
            env.reset(options={"state": state})
            env.reset(seed=1)
            total = sum(step[1] for step in play_episode(env))
            assert total == pytest.approx(game.returns(env.tables.final_states)[0, seat], abs=1e-5)
    assert num_found > 0


@variants
def test_the_last_observation_is_the_finished_games_as_the_learner_sees_it(game: Game) -> None:
    env = SeatEnv(game, [RandomAgent(), LowestAgent()])
    for seed in range(4):
        env.reset(seed=seed)
        observation = play_episode(env)[-1][0]
        tables = env.tables
        assert game.current_players(tables.final_states)[0] == -1
        expected = game.observations(tables.final_states, tables.final_seats)[0]
        np.testing.assert_array_equal(observation, expected)


@variants
def test_a_vector_environment_reports_each_ended_games_observation_and_outcome(game: Game) -> None:
    n = 6
    env = SeatVectorEnv(game, n)
    env.reset(seed=1)
    totals = np.zeros(n)
    num_ended = 0
    for number in range(steps_of(game)):
        seats = env.tables.seats.copy()
        actions = choose(env.action_masks(), number)
        observations, rewards, terminations, truncations, info = env.step(actions)
        assert not truncations.any()
        states = env.tables.states
        np.testing.assert_array_equal(observations, game.observations(states, env.tables.seats))
        np.testing.assert_array_equal(info["action_mask"], game.action_masks(states))
        np.testing.assert_array_equal(game.current_players(states), env.tables.seats)
        totals += rewards
        assert ("final_obs" in info) == ("final_info" in info) == terminations.any()
        for i in np.flatnonzero(terminations):
            num_ended += 1
            state = env.tables.final_states[i : i + 1]
            assert game.current_players(state)[0] == -1
            seen = game.observations(state, int(seats[i]))[0]
            np.testing.assert_array_equal(info["final_obs"][i], seen)
            final = info["final_info"]
            assert final["seat"][i] == seats[i]
            assert totals[i] == pytest.approx(game.returns(state)[0, seats[i]], abs=1e-5)
            assert final["return"][i] == pytest.approx(totals[i], abs=1e-5)
            assert final["score"][i] == game.scores(state)[0, seats[i]]
            assert final["win"][i] == game.winners(state)[0, seats[i]]
        if terminations.any():
            for key in ("_final_obs", "_final_info"):
                np.testing.assert_array_equal(info[key], terminations)
            for key in ("seat", "return", "score", "win"):
                np.testing.assert_array_equal(info["final_info"][f"_{key}"], terminations)
            assert all(info["final_obs"][i] is None for i in np.flatnonzero(~terminations))
        np.testing.assert_array_equal(env.tables.seats[~terminations], seats[~terminations])
        totals[terminations] = 0
    assert num_ended > 0


def episodes(env: SeatVectorEnv, num_steps: int) -> list[list[list[Any]]]:
    """For each game, its episodes: observation, mask, action and reward of each decision, then the end."""
    observations, info = env.reset(seed=5)
    told: list[list[list[Any]]] = [[[]] for _ in range(env.num_envs)]
    resets = np.zeros(env.num_envs, np.bool_)
    for _ in range(num_steps):
        masks = info["action_mask"]
        actions = np.array(
            [np.flatnonzero(masks[i])[-1 - len(told[i][-1]) % masks[i].sum()] for i in range(len(masks))]
        )
        given = np.where(resets, -7, actions)  # whatever is given where the next step deals anew
        seen, rewards, ended, _, info = env.step(given)
        for i in np.flatnonzero(~resets):
            told[i][-1].append([observations[i].tobytes(), masks[i].tobytes(), actions[i], float(rewards[i])])
        for i in np.flatnonzero(ended):
            final = info if env.autoreset_mode == AutoresetMode.NEXT_STEP else info["final_info"]
            last = seen[i] if final is info else info["final_obs"][i]
            told[i][-1].append(
                [last.tobytes(), *(final[key][i] for key in ("seat", "return", "score", "win"))]
            )
            told[i].append([])
        assert not info["illegal_action"].any()
        assert not rewards[resets].any()
        if env.autoreset_mode == AutoresetMode.NEXT_STEP:
            assert ("win" in info) == ended.any()
            assert info["action_mask"][ended].all()
            resets = ended
        observations = seen
    return told


@variants
def test_a_game_is_the_same_whether_it_is_dealt_in_the_same_step_or_the_next(game: Game) -> None:
    num_steps = 2 * steps_of(game)
    same = episodes(SeatVectorEnv(game, 3), num_steps)
    following = episodes(SeatVectorEnv(game, 3, autoreset_mode="NextStep"), num_steps)
    for i in range(3):
        num_whole = len(following[i]) - 1
        assert num_whole > 0
        assert same[i][:num_whole] == following[i][:num_whole]
        assert same[i][num_whole][: len(following[i][-1])] == following[i][-1]


@names
def test_gymnasiums_vector_wrappers_take_the_mode_that_they_need(name: str) -> None:
    for mode in AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP:
        env = gymnasium.make_vec(gymnasium_id(name), 4, autoreset_mode=mode)
        assert env.unwrapped.autoreset_mode == env.metadata["autoreset_mode"] == mode
    wrapped = vector_wrappers.RecordEpisodeStatistics(vector_wrappers.NormalizeObservation(env))
    _, info = wrapped.reset(seed=1)
    num_ended = 0
    while not num_ended:
        observations, _, ended, _, info = wrapped.step(info["action_mask"].argmax(axis=1))
        assert np.isfinite(observations).all()
        for i in np.flatnonzero(ended):
            assert info["episode"]["r"][i] == pytest.approx(info["return"][i], abs=1e-5)
            num_ended += 1


@names
def test_what_an_environment_tells_can_be_put_side_by_side(name: str) -> None:
    """Vectorising wrappers make object arrays of everything else."""
    env = SyncVectorEnv([lambda: SeatEnv(trick_envs.make_game(name))] * 2)
    _, info = env.reset(seed=1)
    keys = set(info)
    ended = np.zeros(2, np.bool_)
    while not ended.any():
        _, _, ended, _, info = env.step(info["action_mask"].argmax(axis=1))
        keys |= set(info)
        assert all(info[key].dtype != object for key in info)
    assert {"action_mask", "seat", "illegal_action", "return", "score", "win"} <= keys


@defaults
def test_masks_are_the_learners_and_all_ones_once_the_game_is_over(game: Game) -> None:
    env = SeatEnv(game)
    assert env.action_masks().all()
    for seed in range(2):
        _, info = env.reset(seed=seed)
        is_over = False
        while not is_over:
            np.testing.assert_array_equal(env.action_masks(), game.action_masks(env.tables.states)[0])
            np.testing.assert_array_equal(info["action_mask"], env.action_masks())
            assert game.current_players(env.tables.states)[0] == env.tables.seats[0]
            _, _, is_over, _, info = env.step(choose_one(env, 1))
        assert env.action_masks().all()
        assert info["action_mask"].all()
        assert env.action_masks().shape == (game.num_actions,)


# --- actions -------------------------------------------------------------------------------------------


@defaults
def test_the_first_legal_action_is_played_instead_of_an_illegal_one(game: Game) -> None:
    env = SeatEnv(game)
    _, info = env.reset(seed=2)
    is_over = False
    number = 0
    while not is_over:
        mask = env.action_masks()
        other = copy.deepcopy(env)
        expected = other.step(int(mask.argmax()))
        assert not expected[4].pop("illegal_action")
        actions = (int(mask.argmin()), -1, game.num_actions, 2**40, np.int64(-5))
        result = env.step(actions[number % len(actions)])
        assert result[4].pop("illegal_action")
        assert flat(result) == flat(expected)
        assert env.tables.states.tobytes() == other.tables.states.tobytes()
        is_over = result[2]
        number += 1
    _, info = env.reset()
    assert not info["illegal_action"]


@defaults
def test_illegal_actions_are_replaced_in_their_games_only(game: Game) -> None:
    env, other = SeatVectorEnv(game, 4), SeatVectorEnv(game, 4)
    env.reset(seed=3)
    other.reset(seed=3)
    for number in range(steps_of(game)):
        masks = env.action_masks()
        actions, replaced = choose(masks, number), choose(masks, number)
        is_bad = np.arange(4) == number % 5
        actions[is_bad] = masks.argmin(axis=1)[is_bad]
        replaced[is_bad] = masks.argmax(axis=1)[is_bad]
        result, expected = env.step(actions), other.step(replaced)
        np.testing.assert_array_equal(result[4].pop("illegal_action"), is_bad)
        assert result[4]["_illegal_action"].all()
        assert not expected[4].pop("illegal_action").any()
        assert flat(result) == flat(expected)


@names
def test_actions_that_are_no_whole_numbers_are_refused(name: str) -> None:
    game = trick_envs.make_game(name)
    env, vector = SeatEnv(game), SeatVectorEnv(game, 3)
    env.reset(seed=1)
    vector.reset(seed=1)
    before = env.tables.states.tobytes(), vector.tables.states.tobytes()
    for action in (1.5, 1.0, "0", None, [1, 2], [], True, np.float32(0)):
        with pytest.raises(ValueError):  # noqa: PT011
            env.step(action)
    for actions in ([1, 2], 1, [[1, 2, 3]], [1.0, 2.0, 3.0], ["0"] * 3, [None] * 3, None):
        with pytest.raises(ValueError, match="actions has shape"):
            vector.step(actions)
    assert (env.tables.states.tobytes(), vector.tables.states.tobytes()) == before
    action = int(env.action_masks().argmax())
    kinds = (int, np.int32, np.array, np.uint8)
    results = [flat(copy.deepcopy(env).step(kind(action))) for kind in kinds]
    assert all(result == results[0] for result in results)


@defaults
def test_there_is_no_step_without_a_game(game: Game) -> None:
    env, vector = SeatEnv(game), SeatVectorEnv(game, 2)
    for each, actions in ((env, 0), (vector, [0, 0])):
        with pytest.raises(ValueError, match=r"call reset\(\)"):
            each.step(actions)
    env.reset(seed=1)
    play_episode(env)
    with pytest.raises(ValueError, match=r"call reset\(\)"):
        env.step(0)


# --- chance --------------------------------------------------------------------------------------------


@variants
def test_a_game_is_the_same_however_many_there_are(game: Game) -> None:
    settings = {"opponents": [RandomAgent(), LowestAgent()], "weights": [2, 1]}
    num_steps = steps_of(game)
    many = SeatVectorEnv(game, 8, **settings)
    for n in (1, 3):
        fewer = SeatVectorEnv(game, n, **settings)
        first, _ = many.reset(seed=5)
        np.testing.assert_array_equal(fewer.reset(seed=5)[0], first[:n])
        for number in range(num_steps):
            observations, rewards, terminations, _, info = many.step(choose(many.action_masks(), number))
            seen, gained, ended, _, told = fewer.step(choose(fewer.action_masks(), number))
            np.testing.assert_array_equal(seen, observations[:n])
            np.testing.assert_array_equal(gained, rewards[:n])
            np.testing.assert_array_equal(ended, terminations[:n])
            np.testing.assert_array_equal(told["seat"], info["seat"][:n])
    single = SeatEnv(game, **settings)
    observation, _ = single.reset(seed=5)
    np.testing.assert_array_equal(observation, first[0])


@defaults
def test_a_seed_gives_the_same_games_whatever_came_before(game: Game) -> None:
    def games(env: SeatEnv) -> list[Any]:
        first = flat(env.reset(seed=6))
        episodes = [play_episode(env)]
        for _ in range(2):
            episodes.append(flat(env.reset()))
            episodes.append(play_episode(env))
        return [first, *episodes]

    env = SeatEnv(game, [RandomAgent(), LowestAgent()])
    expected = games(env)
    assert games(env) == expected
    env.reset()
    env.step(0)
    assert games(env) == expected
    starts = [flat(env.reset(seed=seed)[0]) for seed in range(8)]
    starts += [flat(env.reset()[0]) for _ in range(4)]
    starts += [flat(SeatEnv(game).reset()[0]) for _ in range(4)]
    assert all(starts.count(start) == 1 for start in starts)


@names
def test_agents_do_not_draw_the_numbers_that_the_cards_were_dealt_with(name: str) -> None:
    game = trick_envs.make_game(name)
    for seed in (3, np.random.SeedSequence(3), seeds_for(8, 3)):
        agent = Drawer()
        SeatTables(game, 8, agent).reset(seed)
        deals = agent.states[0]
        others = game.new_states(len(deals), agent.bits[0])
        for i in range(len(deals)):
            assert without_chance(deals[i : i + 1]) != without_chance(others[i : i + 1])


@defaults
def test_each_game_has_a_stream_of_random_numbers_of_its_own_that_moves_on(game: Game) -> None:
    seeds = seeds_for(4, 5)
    agent = Drawer()
    tables = SeatTables(game, 4, agent)
    tables.reset(seeds)
    singles = []
    for i in range(4):
        singles.append(SeatTables(game, 1, RandomAgent()))
        singles[i].reset(seeds[i : i + 1])
    for number in range(20):
        actions = choose(tables.masks, number)
        tables.step(actions)
        for i, single in enumerate(singles):
            single.step(actions[i : i + 1])
            assert single.states.tobytes() == tables.states[i : i + 1].tobytes()
    bits = np.concatenate(agent.bits)
    assert len(set(bits.tolist())) == len(bits)


@defaults
def test_the_seat_is_the_given_one_or_drawn_for_each_game(game: Game) -> None:
    env = SeatEnv(game)
    drawn = Counter(env.reset(seed=seed)[1]["seat"] for seed in range(100))
    assert sorted(drawn) == list(range(game.num_players))
    vector = SeatVectorEnv(game, 400)
    counts = np.bincount(vector.reset(seed=1)[1]["seat"], minlength=game.num_players)
    assert (counts > 400 / game.num_players * 0.7).all()
    for seat in range(game.num_players):
        assert {SeatEnv(game, seat=seat).reset()[1]["seat"] for _ in range(3)} == {seat}
        assert set(SeatVectorEnv(game, 5, seat=seat).reset()[1]["seat"]) == {seat}


@defaults
def test_seats_are_drawn_anew_when_a_vector_environment_deals_anew(game: Game) -> None:
    env = SeatVectorEnv(game, 12)
    _, info = env.reset(seed=1)
    first = info["seat"]
    for number in range(steps_of(game)):
        _, _, _, _, info = env.step(choose(env.action_masks(), number))
    assert (info["seat"] != first).any()


# --- opponents -----------------------------------------------------------------------------------------


@defaults
def test_opponents_decide_for_the_other_seats_only(game: Game) -> None:
    env = SeatEnv(game)

    def check(states: States) -> None:
        current_players = game.current_players(states)
        assert (current_players >= 0).all()
        assert (current_players != env.tables.seats).all()

    opponent = Recorder(check)
    env.tables.set_opponents(opponent)
    for seed in range(game.num_players + 2):
        env.reset(seed=seed)
        play_episode(env)
    for seat in (0, game.num_players - 1):
        opponent = Recorder()
        vector = SeatVectorEnv(game, 3, opponent, seat=seat)
        vector.reset(seed=1)
        play_vector(vector, steps_of(game))
        assert set(opponent.current_players) == set(range(game.num_players)) - {seat}


@defaults
def test_one_agent_is_drawn_for_each_seat_and_stays_for_the_game(game: Game) -> None:
    agents = [Recorder(), Recorder(), Recorder()]
    env = SeatEnv(game, agents, seat=0)
    found = Counter()
    for seed in range(25):
        for agent in agents:
            agent.current_players.clear()
        env.reset(seed=seed)
        seats = [set(agent.current_players) for agent in agents]
        # The last step deals another game already, for which agents are drawn anew.
        while not env.step(int(env.action_masks().argmax()))[2]:
            seats = [set(agent.current_players) for agent in agents]
        for number, played in enumerate(seats):
            found.update((number, seat) for seat in played)
        assert sum(map(len, seats)) == game.num_players - 1
    assert len(found) == 3 * (game.num_players - 1)


@defaults
def test_agents_are_drawn_by_their_weights(game: Game) -> None:
    agents = [Recorder(), Recorder(), Recorder()]
    env = SeatVectorEnv(game, 500, agents, weights=[3, 1, 0])
    for seed in range(3):
        env.reset(seed=seed)
        for number in range(4):
            env.step(choose(env.action_masks(), number))
    counts = np.array([len(agent.actions) for agent in agents])
    assert counts[2] == 0
    assert counts[0] / counts.sum() == pytest.approx(0.75, abs=0.05)


@defaults
def test_opponents_can_be_changed_in_the_middle_of_a_game(game: Game) -> None:
    first, second = Recorder(), Recorder()
    env = SeatEnv(game, first)
    env.reset(seed=1)
    while len(first.actions) < 3:  # a seat may have several decisions in a row
        env.step(int(env.action_masks().argmax()))
    states, num_calls = env.tables.states.tobytes(), len(first.actions)
    for bad in ([], "random", [first, None], 5, {}):
        with pytest.raises(ValueError, match="allowed"):
            env.tables.set_opponents(bad)
    with pytest.raises(ValueError, match="weights"):
        env.tables.set_opponents(second, weights=[-1])
    env.tables.set_opponents(second)
    assert env.tables.states.tobytes() == states
    play_episode(env)
    assert len(first.actions) == num_calls > 0
    assert len(second.actions) > 0
    env.reset()
    num_calls = len(second.actions)
    env.tables.set_opponents([second, first], weights=[0, 1])
    env.step(int(env.action_masks().argmax()))
    assert len(second.actions) == num_calls


@names
def test_an_agent_that_writes_into_the_states_does_no_harm(name: str) -> None:
    class Vandal(RandomAgent):
        def act(self, game: Game, states: States, rng: Streams) -> NDArray[np.int32]:
            actions = super().act(game, states, rng)
            states.view(np.uint8)[:] = 0
            return actions

    game = trick_envs.make_game(name)
    env, other = SeatVectorEnv(game, 3, Vandal()), SeatVectorEnv(game, 3)
    assert flat(env.reset(seed=1)) == flat(other.reset(seed=1))
    assert play_vector(env, 20) == play_vector(other, 20)


# --- positions -----------------------------------------------------------------------------------------


@defaults
def test_a_game_can_start_from_any_position(game: Game) -> None:
    for state in reached_states(game, 6, seed=3)[:-1]:
        current_player = int(game.current_players(state.reshape(1))[0])
        if current_player < 0:
            continue
        env, vector = SeatEnv(game, seat=current_player), SeatVectorEnv(game, 3, seat=current_player)
        for given in (state, state.reshape(1), game.to_dict(state)):
            expected = game.position(given)
            observation, _ = env.reset(options={"state": given, "colour": "red"})
            assert env.tables.states.tobytes() == expected.tobytes()
            np.testing.assert_array_equal(observation, game.observations(expected)[0])
            vector.reset(options={"state": given})
            assert vector.tables.states.tobytes() == expected.tobytes() * 3
        play_episode(env)
        play_vector(vector, 3)


@defaults
def test_others_play_from_the_position_until_the_learner_decides(game: Game) -> None:
    start = game.new_states(1, seed=4)
    for seat in range(game.num_players):
        opponent = Recorder()
        env = SeatEnv(game, opponent, seat=seat)
        env.reset(options={"state": start})
        state = start.copy()
        for action in opponent.actions:
            assert game.current_players(state)[0] != seat
            game.step(state, [action])
        assert game.current_players(state)[0] == seat
        assert env.tables.states.tobytes() == state.tobytes()


@defaults
def test_a_position_with_a_seed_takes_all_future_chance_from_the_seed(game: Game) -> None:
    state = game.new_states(1, seed=4)
    seat = int(game.current_players(state)[0])
    env, vector = SeatEnv(game, seat=seat), SeatVectorEnv(game, 4, seat=seat)
    first, again, other = (
        [flat(env.reset(seed=seed, options={"state": state})), *play_episode(env)] for seed in (1, 1, 2)
    )
    assert first == again != other
    vector.reset(seed=1, options={"state": state})
    assert vector.tables.states[:1].tobytes() == game.position(state, seed=1).tobytes()
    assert len(set(vector.tables.states["rng"].tolist())) == 4
    for i in range(4):
        assert without_chance(vector.tables.states[i : i + 1]) == without_chance(state)


@defaults
def test_a_bad_position_is_refused_and_the_game_goes_on(game: Game) -> None:
    others = [other.new_states(1, 1) for other in variants_of(game.name) if other != game]
    bad = [5, "x", {}, game.new_states(2, 1), {**game.to_dict(game.new_states(1)), "mover": 99}, *others]
    for env, actions in ((SeatEnv(game), 0), (SeatVectorEnv(game, 2), [0, 0])):
        env.reset(seed=1)
        before = env.tables.states.tobytes()
        for state in bad:
            with pytest.raises(ValueError):  # noqa: PT011
                env.reset(options={"state": state})
            assert env.tables.states.tobytes() == before
        env.step(actions)


@defaults
def test_a_position_without_a_decision_for_the_learner_is_refused(game: Game) -> None:
    *_, (last, actions, _), (over, _, _) = play(game, 1, seed=1)
    seat = (int(game.current_players(last)[0]) + 1) % game.num_players
    ending = Scripted(last, int(actions[0]))
    for env in (SeatEnv(game, ending, seat=seat), SeatVectorEnv(game, 2, ending, seat=seat)):
        for state in (over, last):
            env.reset(seed=1)
            with pytest.raises(ValueError, match="the position is over, or ends before"):
                env.reset(options={"state": state})
            with pytest.raises(ValueError, match=r"call reset\(\)"):
                env.step(0 if isinstance(env, SeatEnv) else [0, 0])
        env.reset(seed=1)
        env.step(0 if isinstance(env, SeatEnv) else [0, 0])


# --- copies --------------------------------------------------------------------------------------------


@copiers
@defaults
def test_a_copy_plays_on_identically_and_for_itself(game: Game, copied: Any) -> None:
    def future(env: SeatEnv) -> list[Any]:
        steps = play_episode(env)
        for _ in range(2):
            steps += [flat(env.reset()), *play_episode(env)]
        return steps

    env = SeatEnv(game, [RandomAgent(), LowestAgent()], weights=[1, 2])
    unused = copied(env)
    assert flat(env.reset()) == flat(unused.reset())
    env.reset(seed=1)
    for _ in range(4):
        env.step(int(env.action_masks().argmax()))
    before = env.tables.states.tobytes()
    other = copied(env)
    expected = future(other)
    assert env.tables.states.tobytes() == before
    assert future(env) == expected


@copiers
@defaults
def test_a_copied_vector_environment_plays_on_identically(game: Game, copied: Any) -> None:
    env = SeatVectorEnv(game, 3, [RandomAgent(), LowestAgent()])
    env.reset(seed=1)
    play_vector(env, 4)
    before = env.tables.states.tobytes()
    other = copied(env)
    expected = play_vector(other, steps_of(game))
    assert env.tables.states.tobytes() == before
    assert play_vector(env, steps_of(game)) == expected
    assert flat(env.reset()) == flat(other.reset())


# --- settings and rendering ----------------------------------------------------------------------------


@names
def test_bad_settings_are_refused(name: str) -> None:
    agent = RandomAgent()
    most = max(trick_envs.game_class(name).player_counts)
    bad = [
        {"opponents": []},
        {"opponents": "random"},
        {"opponents": [agent, 5]},
        {"opponents": {"a": agent}},
        {"opponents": [agent, agent], "weights": [1]},
        {"opponents": [agent, agent], "weights": [1, -1]},
        {"opponents": [agent, agent], "weights": [0, 0]},
        {"opponents": [agent, agent], "weights": [[1, 1]]},
        {"opponents": [agent, agent], "weights": [1, np.nan]},
        {"opponents": [agent, agent], "weights": [1, np.inf]},
        {"opponents": [agent, agent], "weights": 1},
        {"weights": [0]},
        {"seat": -1},
        {"seat": most, "num_players": most},
        {"seat": 1.0},
        {"seat": True},
        {"seat": "0"},
        {"num_players": 99},
        {"colour": "red"},
        {"reward": "money"},
    ]
    for settings in bad:
        for make in (make_seat_env, make_seat_vector_env):
            with pytest.raises(ValueError, match=r"allowed|choose from"):
                make(name, **settings)
    for mode in (AutoresetMode.DISABLED, "Disabled", "same", None):
        with pytest.raises(ValueError, match=r"autoreset_mode is .*; allowed are 'SameStep', 'NextStep'"):
            make_seat_vector_env(name, 2, autoreset_mode=mode)
    for num_envs in (0, -1, 1.5, "3", True):
        with pytest.raises(ValueError, match=r"num_envs is .*; allowed are whole numbers from 1"):
            make_seat_vector_env(name, num_envs)
    for kind in (ValueError, TypeError):
        with pytest.raises(kind, match="render_mode is 'rgb_array'; allowed are None, 'ansi', 'human'"):
            make_seat_env(name, render_mode="rgb_array")


@defaults
def test_an_environment_can_be_made_from_a_game(game: Game) -> None:
    assert make_seat_env(game).game is game
    assert make_seat_vector_env(game, 2).game is game


@names
def test_bad_seeds_are_refused_as_gymnasium_does(name: str) -> None:
    for env in (make_seat_env(name), make_seat_vector_env(name, 2)):
        for seed in (-1, 1.5, "1"):
            with pytest.raises(gymnasium.error.Error):
                env.reset(seed=seed)


@variants
def test_text_rendering_shows_what_the_learner_sees(game: Game) -> None:
    env = SeatEnv(game, render_mode="ansi")
    with pytest.raises(ValueError, match=r"call reset\(\)"):
        env.render()
    env.reset(seed=1)
    is_over = False
    while not is_over:
        assert env.render() == game.render(env.tables.states, int(env.tables.seats[0]))
        _, _, is_over, _, info = env.step(int(env.action_masks().argmax()))
    assert env.render() == game.render(env.tables.final_states, info["seat"])


@defaults
def test_human_rendering_prints_after_reset_and_after_each_step(
    game: Game, capsys: pytest.CaptureFixture[str]
) -> None:
    env = SeatEnv(game, render_mode="human")
    env.reset(seed=1)
    for _ in range(4):
        expected = game.render(env.tables.states, int(env.tables.seats[0])) + "\n\n"
        assert capsys.readouterr().out == expected
        env.step(int(env.action_masks().argmax()))
    capsys.readouterr()
    assert env.render() is None
    assert capsys.readouterr().out


@names
def test_rendering_without_a_mode_warns(name: str) -> None:
    env = make_seat_env(name)
    env.reset(seed=1)
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None
