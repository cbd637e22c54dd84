"""Self-play: every decision of every seat is learned from, with all that came to its seat."""

from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")

import torch

import trick_agents
from tests.agents.exact import action_values, by_chance, worlds_of
from tests.helpers import DEFAULTS
from trick_envs import GAMES, make_game
from trick_envs.core.game import Game
from trick_envs.core.kernel import COMPILED
from trick_envs.core.layout import Layout
from trick_envs.core.random import Streams
from trick_envs.envs.sb3 import SeatVecEnv
from trick_experiments.learning.policy_network import SuitPolicy, export, policy_settings
from trick_experiments.learning.self_play_buffer import SelfPlayBuffer
from trick_experiments.learning.self_play_env import SelfPlayVecEnv, spread_of_returns
from trick_experiments.learning.self_play_ppo import SelfPlayPPO

FIRST_GAME = next(iter(GAMES))
NUM_TABLES = 5

every_game = pytest.mark.parametrize("game", DEFAULTS)


@dataclass
class Decision:
    """One decision of a seat, and what came to the seat until its next one."""

    value: float
    reward: float = 0.0
    ended: bool = False


@dataclass
class Recorded:
    """Random self-play, and what a plain list for each seat of each table says about it."""

    buffer: SelfPlayBuffer
    decisions: dict[tuple[int, int], list[Decision]] = field(default_factory=lambda: defaultdict(list))
    rewards: NDArray[Any] = field(default_factory=lambda: np.zeros(0))


def with_reward(game: Game, reward: str) -> Game:
    return make_game(game.name, game.num_players, **(game.options | {"reward": reward}))


def make_buffer(game: Game, num_steps: int, gamma: float = 0.9, gae_lambda: float = 0.7) -> SelfPlayBuffer:
    sizes = (game.num_players, game.observation_size, game.num_actions)
    return SelfPlayBuffer(num_steps, NUM_TABLES, *sizes, gamma, gae_lambda, torch.device("cpu"))


def random_moves(env: SelfPlayVecEnv, rng: np.random.Generator) -> NDArray[np.int64]:
    masks = env.action_masks()
    return (rng.random(masks.shape) * masks).argmax(axis=1)


def record(env: SelfPlayVecEnv, recorded: Recorded, steps: range, seed: int) -> None:
    """Plays on at random; fills the buffer and the lists."""
    rng = np.random.default_rng(seed)
    buffer = recorded.buffer
    observations = env.game.observations(env.states, env.seats)
    buffer.reset()
    for step in steps:
        actions, seats = random_moves(env, rng), env.seats.copy()
        numbers = 7919 * (step * NUM_TABLES + np.arange(NUM_TABLES)) % 10007
        values = numbers.astype(np.float32) / 5000  # all different, so they name a decision
        log_probs = rng.random(NUM_TABLES).astype(np.float32)
        buffer.add(observations, env.action_masks(), actions, values, log_probs, seats)
        for table, seat in enumerate(seats):
            recorded.decisions[table, seat].append(Decision(float(values[table])))
        observations, _, _, _ = env.step(actions)
        buffer.add_rewards(env.seat_rewards, env.ended)
        for (table, seat), made in recorded.decisions.items():
            if made and not made[-1].ended:
                made[-1].reward += float(env.seat_rewards[table, seat])
                made[-1].ended = bool(env.ended[table])
    buffer.compute_returns()


def advantages_of(made: list[Decision], gamma: float, gae_lambda: float) -> list[float | None]:
    """One seat's advantages, from the definition; None where nothing is known yet."""
    found: list[float | None] = []
    for i, decision in enumerate(made):
        if i + 1 == len(made) and not decision.ended:
            found.append(None)
            continue
        total, weight = 0.0, 1.0
        for j in range(i, len(made)):
            now = made[j]
            goes_on = not now.ended
            if goes_on and j + 1 == len(made):
                break  # open: nothing is known beyond its value, which the one before has counted
            following = made[j + 1].value if goes_on else 0.0
            total += weight * (now.reward + gamma * following - now.value)
            weight *= gamma * gae_lambda
            if not goes_on:
                break
        found.append(total)
    return found


@every_game
@pytest.mark.parametrize("episode", ["round", "game"])
@pytest.mark.parametrize("reward", ["outcome", "relative_score"])
def test_advantages_are_those_of_each_seat_by_itself(game: Game, reward: str, episode: str) -> None:
    game = with_reward(game, reward)
    num_steps = 260 if COMPILED else 60
    env = SelfPlayVecEnv(game, NUM_TABLES, episode=episode, seed=3)
    env.reset()
    recorded = Recorded(make_buffer(game, num_steps))
    record(env, recorded, range(num_steps), seed=1)
    expected = {}
    for made in recorded.decisions.values():
        for decision, advantage in zip(made, advantages_of(made, 0.9, 0.7), strict=True):
            expected[decision.value] = advantage
    buffer = recorded.buffer
    known = {value: advantage for value, advantage in expected.items() if advantage is not None}
    assert sorted(buffer.values.tolist()) == sorted(known)
    for value, advantage in zip(buffer.values.tolist(), buffer.advantages[buffer.ready], strict=True):
        assert advantage == pytest.approx(known[value], abs=1e-4)
    assert buffer.returns == pytest.approx(buffer.advantages[buffer.ready] + buffer.values)
    assert len(buffer.ready) == num_steps * NUM_TABLES - (buffer.last >= 0).sum()


@every_game
def test_every_seat_gets_its_final_reward_whoever_moved_last(game: Game) -> None:
    env = SelfPlayVecEnv(game, NUM_TABLES, episode="game", seed=4)
    env.reset()
    num_steps = 500 if COMPILED else 300
    recorded = Recorded(make_buffer(game, num_steps, gamma=1.0))
    record(env, recorded, range(num_steps), seed=2)
    num_ended = 0
    for table in range(NUM_TABLES):
        by_seat = [
            [decision.reward for decision in recorded.decisions[table, seat] if decision.ended]
            for seat in range(game.num_players)
        ]
        # In the first game, which the tables begin at any moment of it, a seat may have been out before.
        lengths = [len(rewards) for rewards in by_seat]
        assert max(lengths) - min(lengths) <= 1
        for rewards in zip(*(reversed(rewards) for rewards in by_seat), strict=False):
            num_ended += 1
            assert sum(rewards) == pytest.approx(0, abs=1e-5)
            assert max(rewards) > 0 or rewards == (0,) * game.num_players
    assert num_ended > 0
    ends = recorded.buffer.rewards[recorded.buffer.ready]
    assert (ends != 0).sum() >= num_ended


@every_game
def test_open_decisions_are_learned_from_in_the_next_update(game: Game) -> None:
    env = SelfPlayVecEnv(game, NUM_TABLES, seed=5)
    env.reset()
    recorded = Recorded(make_buffer(game, 16))
    seen: list[float] = []
    for part in range(6):
        record(env, recorded, range(16 * part, 16 * part + 16), seed=10 + part)
        seen.extend(recorded.buffer.values.tolist())
    values = [decision.value for made in recorded.decisions.values() for decision in made]
    buffer = recorded.buffer
    still_open = buffer.all_values[buffer.last[buffer.last >= 0]].tolist()
    assert sorted([*seen, *still_open]) == sorted(values)
    assert len(still_open) <= NUM_TABLES * game.num_players


def test_what_is_open_is_restored_as_it_was() -> None:
    game = make_game(FIRST_GAME)
    env = SelfPlayVecEnv(game, NUM_TABLES, seed=5)
    env.reset()
    recorded = Recorded(make_buffer(game, 16))
    record(env, recorded, range(16), seed=10)
    other = make_buffer(game, 16)
    other.restore(recorded.buffer.open_decisions())
    recorded.buffer.reset()
    for name in ("observations", "masks", "actions", "all_values", "log_probs"):
        ours, theirs = (getattr(one, name)[: one.size] for one in (recorded.buffer, other))
        assert (ours == theirs).all()
    assert (other.last == recorded.buffer.last).all()
    assert (other.gained == recorded.buffer.gained).all()


# --- the tables ------------------------------------------------------------------------------------------


@every_game
def test_the_tables_play_the_games_that_the_rules_say(game: Game) -> None:
    env = SelfPlayVecEnv(game, NUM_TABLES, seed=6)
    observations = env.reset()
    rng = np.random.default_rng(1)
    lengths = np.zeros(NUM_TABLES, int)
    for _ in range(120):
        before = env.states.copy()
        current_players = game.current_players(before)
        assert (current_players == env.seats).all()
        assert (observations == game.observations(before)).all()
        assert (env.action_masks() == game.action_masks(before)).all()
        actions = random_moves(env, rng)
        observations, rewards, finished, infos = env.step(actions)
        gained = game.step(before, actions)
        assert (env.seat_rewards == gained).all()
        assert (rewards == gained[np.arange(NUM_TABLES), current_players]).all()
        assert (finished == (game.current_players(before) < 0)).all()
        assert (env.states[~finished] == before[~finished]).all()
        lengths += 1
        for i, info in enumerate(infos):
            assert ("episode" in info) == finished[i]
            if finished[i]:
                assert info["return"] == pytest.approx(game.returns(before[i : i + 1])[0].mean())
                assert (info["episode"]["r"], info["episode"]["l"]) == (info["return"], lengths[i])
        lengths[finished] = 0


@every_game
def test_with_opponents_the_learner_moves_for_one_seat_only(game: Game) -> None:
    env = SelfPlayVecEnv(game, 40, opponents=trick_agents.make("rules", game), pool_share=0.5, seed=7)
    env.reset()
    rng = np.random.default_rng(1)
    seats: list[set[int]] = [set() for _ in range(40)]
    games = np.zeros(40, np.int64)
    while games.min() < 2:
        for i in np.flatnonzero(games == 1):  # the first whole game
            seats[i].add(int(env.seats[i]))
        _, _, finished, _ = env.step(random_moves(env, rng))
        games += finished
    num_alone = sum(len(found) == 1 for found in seats)
    assert 8 <= num_alone <= 32
    assert all(len(found) in (1, game.num_players) for found in seats)


def test_a_seed_gives_the_same_tables_whatever_their_number() -> None:
    game = make_game(FIRST_GAME)
    plays = []
    for num_tables in (3, 8):
        env = SelfPlayVecEnv(game, num_tables, trick_agents.make("rules", game), pool_share=0.5, seed=9)
        seen = [env.reset()[:3]]
        seen += [env.step(env.action_masks().argmax(axis=1))[0][:3] for _ in range(100)]
        plays.append(np.stack(seen))
    assert (plays[0] == plays[1]).all()


@pytest.mark.parametrize("pool_share", [-0.1, 1.5, float("nan")])
def test_the_pool_has_a_share(pool_share: float) -> None:
    with pytest.raises(ValueError, match=r"pool_share is .*; allowed are numbers from 0 to 1"):
        SelfPlayVecEnv(make_game(FIRST_GAME), 2, pool_share=pool_share)


@every_game
def test_the_tables_begin_at_different_moments(game: Game) -> None:
    env = SelfPlayVecEnv(game, 64, seed=6)
    env.reset()
    fresh = game.new_states(64, seed=1)
    assert len({int(mask.sum()) for mask in env.action_masks()}) > 3
    assert (game.observations(env.states)[:, env.game.observation_layout["hand"].slice].sum(axis=1)).std() > (
        game.observations(fresh)[:, env.game.observation_layout["hand"].slice].sum(axis=1).std()
    )


@every_game
def test_an_open_table_adds_the_hands_of_the_others(game: Game) -> None:
    env = SelfPlayVecEnv(game, NUM_TABLES, privileged_critic=True, seed=8)
    observations = env.reset()
    rng = np.random.default_rng(1)
    hand = game.observation_layout["hand"]
    for _ in range(30):
        assert observations.shape == (NUM_TABLES, *env.observation_space.shape)
        own, others = np.split(observations, [game.observation_size], axis=1)
        assert (own == game.observations(env.states)).all()
        others = others.reshape(NUM_TABLES, game.num_players - 1, hand.size)
        for i in range(game.num_players - 1):
            seats = (env.seats + 1 + i) % game.num_players
            assert (others[:, i] == game.observations(env.states, seats)[:, hand.slice]).all()
        observations, _, _, _ = env.step(random_moves(env, rng))


def test_only_a_privileged_critic_needs_a_feature_group_hand() -> None:
    game = make_game("voodoo_prince")
    groups = [
        (name.replace("hand", "held"), of.axes, of.meaning) for name, of in game.observation_layout.items()
    ]
    game.observation_layout = Layout(groups)
    env = SelfPlayVecEnv(game, NUM_TABLES, seed=8)
    assert env.reset().shape == (NUM_TABLES, game.observation_size)
    with pytest.raises(ValueError, match="needs a feature group 'hand', which voodoo_prince doesn't have"):
        SelfPlayVecEnv(game, NUM_TABLES, privileged_critic=True)


@pytest.mark.parametrize("name", GAMES)
def test_meetings_and_defeats_are_counted_for_each_opponent(name: str) -> None:
    game = make_game(name, preset="mini")
    weak, strong = trick_agents.make("random", game), trick_agents.make("rules", game)
    env = SelfPlayVecEnv(game, 200, [weak, strong], [1, 3], pool_share=0.5, seed=7)
    env.reset()
    num_games = 0
    while num_games < 2000:
        _, _, finished, _ = env.step(env.decisions_of(weak))
        num_games += int(finished.sum())
    seats = env.games_against.sum()
    # In half of the games opponents sit at all seats but one; three in four of them are the strong one.
    assert seats == pytest.approx(num_games / 2 * (game.num_players - 1), rel=0.15)
    assert env.games_against[1] / seats == pytest.approx(0.75, abs=0.05)
    shares = env.losses_to / env.games_against
    assert shares[0] == pytest.approx(0.5, abs=0.1)
    assert shares[1] > shares[0]
    env.set_opponents([strong])
    assert env.games_against.tolist() == env.losses_to.tolist() == [0]
    while not env.games_against[0]:
        env.step(env.decisions_of(weak))


# --- learning --------------------------------------------------------------------------------------------


def make_model(game: Game, env: SelfPlayVecEnv | None = None, **settings: Any) -> SelfPlayPPO:
    env = env or SelfPlayVecEnv(game, 32, seed=1)
    given = {"n_steps": 16, "batch_size": 64, "n_epochs": 2, "seed": 0, "device": "cpu"} | settings
    kwargs = policy_settings(game, 16, 16, [])
    return SelfPlayPPO(SuitPolicy, env, policy_kwargs=kwargs, **given)


@every_game
def test_a_policy_learns_from_all_seats(game: Game) -> None:
    model = make_model(game)
    before = [parameter.clone() for parameter in model.policy.parameters()]
    model.learn(3 * 16 * 32)
    assert model.num_timesteps == 3 * 16 * 32
    after = list(model.policy.parameters())
    assert any((one != other).any() for one, other in zip(before, after, strict=True))
    assert all(parameter.isfinite().all() for parameter in after)


def test_what_is_learned_from_is_what_was_played() -> None:
    game = make_game(FIRST_GAME)
    model = make_model(game)
    model.learn(16 * 32)
    buffer = model.decisions
    minibatches = list(buffer.get(64))
    assert sum(len(minibatch.actions) for minibatch in minibatches) == len(buffer.ready)
    masks = torch.cat([minibatch.action_masks for minibatch in minibatches])
    actions = torch.cat([minibatch.actions for minibatch in minibatches])
    assert masks.gather(1, actions[:, None]).all()
    assert len(torch.cat([minibatch.old_values for minibatch in minibatches]).unique()) > 64


@pytest.mark.parametrize(("size", "rest"), [(64, 17), (64, 0), (64, 2), (64, 1), (512, 100), (512, 1)])
def test_every_decision_is_in_one_minibatch(size: int, rest: int) -> None:
    buffer = make_model(make_game(FIRST_GAME)).decisions
    num_ready = (0 if size == 512 else 3 * size) + rest
    buffer.ready = np.arange(num_ready)
    buffer.all_values[:num_ready] = np.arange(num_ready)
    generator = np.random.get_state()  # noqa: NPY002, Stable-Baselines3's generator
    minibatches = [minibatch.old_values.tolist() for minibatch in buffer.get(size)]
    np.random.set_state(generator)  # noqa: NPY002
    expected = np.random.permutation(num_ready).tolist()  # noqa: NPY002
    assert [value for minibatch in minibatches for value in minibatch] == expected
    lengths = [len(minibatch) for minibatch in minibatches]
    if rest == 1 and size == 64:  # alone, it couldn't be normalised
        assert lengths == [size, size, size + 1]
    else:
        assert lengths == [size] * (num_ready // size) + ([rest] if rest else [])


@pytest.mark.parametrize("imitation_steps", [0, 10_000])
@pytest.mark.parametrize(("num_tables", "num_steps"), [(8, 8), (2, 4), (1, 4), (1, 1)])
def test_a_minibatch_may_be_larger_than_what_there_is(
    num_tables: int, num_steps: int, imitation_steps: int
) -> None:
    game = make_game(FIRST_GAME)
    env = SelfPlayVecEnv(game, num_tables, seed=1)
    expert = trick_agents.make("rules", game) if imitation_steps else None
    model = make_model(
        game, env, expert=expert, imitation_steps=imitation_steps, n_steps=num_steps, batch_size=64
    )
    before = [parameter.clone() for parameter in model.policy.parameters()]
    model.learn(16 * num_tables * num_steps)
    after = list(model.policy.parameters())
    assert any((one != other).any() for one, other in zip(before, after, strict=True))
    assert all(parameter.isfinite().all() for parameter in after)
    assert model.normalize_advantage


def test_lessons_teach_what_the_teacher_does() -> None:
    game = make_game(FIRST_GAME, preset="mini")
    expert = trick_agents.make("rules", game)
    model = make_model(game, expert=expert, imitation_steps=40_000, learning_rate=3e-3)
    states = game.new_states(500, seed=5)
    states = states[game.action_masks(states).sum(axis=1) > 1]
    expected = expert.act(game, states, Streams(len(states), 0))

    def share() -> float:
        actions = export(model, game, greedy=True).act(game, states, Streams(len(states), 0))
        return float((actions == expected).mean())

    before = share()
    model.learn(40_000)
    assert share() > before + 0.3


def test_after_the_lessons_the_learner_learns_from_its_own_decisions() -> None:
    game = make_game(FIRST_GAME, preset="mini")
    model = make_model(game, expert=trick_agents.make("rules", game), imitation_steps=1024)
    model.learn(1024)
    imitated = model.decisions
    assert len(imitated.ready)
    model.learn(512, reset_num_timesteps=False)
    # None of the expert's decisions that were open has stayed.
    assert model.decisions.groups[0] == slice(0, 0)
    assert model.logger.name_to_value["train/clip_fraction"] >= 0


def test_a_model_that_is_loaded_without_tables_plays_and_learns_when_it_has_some(tmp_path: Path) -> None:
    game = make_game(FIRST_GAME)
    model = make_model(game)
    model.learn(512)
    model.save(tmp_path / "model.zip")
    loaded = SelfPlayPPO.load(tmp_path / "model.zip", device="cpu")
    for one, other in zip(model.policy.parameters(), loaded.policy.parameters(), strict=True):
        assert (one == other).all()
    env = SelfPlayVecEnv(game, 32, seed=2)
    observations = env.reset()
    actions, _ = loaded.predict(observations, action_masks=env.action_masks(), deterministic=True)
    assert (actions == export(model, game).act(game, env.states, Streams(32, 0))).all()
    assert "env" not in vars(loaded) or loaded.env is None
    with pytest.raises(ValueError, match=r"env is None; allowed is a SelfPlayVecEnv"):
        loaded.learn(512)
    loaded.set_env(env)
    loaded.learn(512, reset_num_timesteps=False)
    assert loaded.num_timesteps == 1024
    assert isinstance(loaded.rollout_buffer, SelfPlayBuffer)


def test_self_play_takes_no_other_tables() -> None:
    game = make_game(FIRST_GAME)
    other = SeatVecEnv(game, 32, seed=1)
    with pytest.raises(ValueError, match=r"env is SeatVecEnv; allowed is a SelfPlayVecEnv"):
        SelfPlayPPO(SuitPolicy, other, policy_kwargs=policy_settings(game, 8, 8, []))
    with pytest.raises(ValueError, match=r"env is SeatVecEnv; allowed is a SelfPlayVecEnv"):
        make_model(game).set_env(other)


def test_other_tables_leave_no_open_decisions_behind() -> None:
    game = make_game(FIRST_GAME)
    model = make_model(game)
    model.learn(512)
    assert (model.decisions.last >= 0).any()
    env = model.get_env()
    assert env is not None
    model.set_env(env, force_reset=False)
    assert (model.decisions.last >= 0).any()
    model.set_env(SelfPlayVecEnv(game, 32, seed=2))
    assert (model.decisions.last < 0).all()
    model.learn(512, reset_num_timesteps=False)


def test_the_critic_sees_the_open_table_and_the_actor_does_not() -> None:
    game = make_game(FIRST_GAME)
    env = SelfPlayVecEnv(game, 8, privileged_critic=True, seed=1)
    kwargs = policy_settings(game, 16, 16, [], privileged_critic=True)
    policy = SelfPlayPPO(SuitPolicy, env, n_steps=8, batch_size=64, policy_kwargs=kwargs, seed=0).policy
    seen = torch.as_tensor(env.reset())
    other = seen.clone()
    other[:, game.observation_size :] = 1 - other[:, game.observation_size :]
    assert (policy.predict_values(seen) != policy.predict_values(other)).any()
    chances = [policy.get_distribution(given).distribution.probs for given in (seen, other)]
    assert (chances[0] == chances[1]).all()


@every_game
def test_the_network_that_learns_is_the_one_that_is_played(game: Game) -> None:
    env = SelfPlayVecEnv(game, 32, seed=1)
    model = make_model(game, env)
    model.learn(16 * 32)  # so that no weights are near 0 any more
    observations, masks = model.decisions.observations[:200], model.decisions.masks[:200]
    expected = export(model, game).logits(observations)
    seen = torch.as_tensor(observations)
    with torch.no_grad():
        all_logits = model.policy.action_net(model.policy.features_extractor(seen))
        _, _, log_probs = model.policy(seen, deterministic=True, action_masks=masks)
    assert all_logits.numpy() == pytest.approx(expected, abs=1e-4)
    legal = np.where(masks == 1, expected, -np.inf)
    greatest = legal.max(axis=1)
    chances = np.exp(legal - greatest[:, None])
    assert log_probs.exp().numpy() == pytest.approx(1 / chances.sum(axis=1), abs=1e-4)


def test_actions_are_drawn_by_the_probabilities_that_are_learned_from() -> None:
    game = make_game(FIRST_GAME, preset="mini")
    policy = make_model(game).policy
    states = game.new_states(1, seed=5)
    observations = torch.as_tensor(game.observations(states)).expand(20_000, -1)
    masks = torch.as_tensor(game.action_masks(states)).expand(20_000, -1)
    with torch.no_grad():
        policy.action_net.suit_actions.bias.copy_(torch.randn(policy.action_net.suit_actions.bias.shape))
        actions, values, log_probs = policy(observations, action_masks=masks)
        again = policy.evaluate_actions(observations, actions, action_masks=masks)
        expected = policy.get_distribution(observations[:1], masks[:1].numpy()).distribution.probs[0]
        likeliest, _, _ = policy(observations[:1], deterministic=True, action_masks=masks[:1])
    torch.testing.assert_close(log_probs, again[1])
    torch.testing.assert_close(log_probs.exp(), expected[actions])
    assert (values == again[0]).all()
    shares = actions.bincount(minlength=game.num_actions) / len(actions)
    assert (shares[masks[0] == 0] == 0).all()
    torch.testing.assert_close(shares, expected, atol=0.015, rtol=0)
    assert likeliest == expected.argmax()


def test_rewards_are_scaled_by_what_random_play_gets() -> None:
    for reward, episode in (("relative_score", "round"), ("outcome", "game")):
        game = with_reward(make_game(FIRST_GAME, preset="mini"), reward)
        env = SelfPlayVecEnv(game, 200, episode=episode, seed=3)
        model = SelfPlayPPO(
            SuitPolicy,
            env,
            n_steps=200,
            batch_size=200,
            reward_scale=1 / spread_of_returns(game, episode),
            policy_kwargs=policy_settings(game, 8, 8, []),
            gae_lambda=1.0,
            gamma=1.0,
            learning_rate=0.0,
            n_epochs=1,
        )
        model.learn(200 * 200)
        assert model.decisions.returns.std() == pytest.approx(1, abs=0.3)


@pytest.mark.skipif(not COMPILED, reason="thousands of decisions are for compiled code")
def test_the_best_play_of_a_tiny_game_is_learned() -> None:
    # Two cards each: only the first card is a decision, and its value is a mean over all hands of the other.
    options = {"num_rounds": 1, "num_ranks": 3, "hand_size": 2, "goal": 1}
    game = make_game("voodoo_prince", 2, reward="relative_score", **options)
    states = game.new_states(40, seed=5)
    exact = []
    for i in range(len(states)):
        worlds = worlds_of(game, states[i : i + 1])
        assert worlds is not None
        exact.append(action_values(game, states[i : i + 1], worlds, by_chance))
    env = SelfPlayVecEnv(game, 64, pool_share=1.0, seed=1)  # against random play
    settings = {"n_epochs": 3, "batch_size": 256, "learning_rate": 3e-3, "ent_coef": 0.01, "gamma": 1.0}
    model = make_model(game, env=env, gae_lambda=1.0, **settings)
    model.reward_scale = 1 / spread_of_returns(game, episode="round")

    def regret() -> float:
        actions = export(model, game, greedy=True).act(game, states, Streams(len(states), 0))
        lost = [max(values.values()) - values[int(a)] for values, a in zip(exact, actions, strict=True)]
        return float(np.mean(lost))

    assert regret() > 0.002
    model.learn(60_000)
    assert regret() < 0.0005  # one position of the 40, in which the next best costs little
