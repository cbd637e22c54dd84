"""`check_game` and `check_agent` find faults, and name the clause that is broken."""

import json
import pickle
import re
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trick_agents
from trick_envs import Agent, RandomAgent, game_class, make_game, testing
from trick_envs.core.game import Game
from trick_envs.core.kernel import COMPILED
from trick_envs.testing import (
    AGENT_CLAUSES,
    GAME_CLAUSES,
    ContractError,
    check_agent,
    check_game,
    variants_of,
)

GummiTrick: Any = game_class("gummi_trick")


def left_hands(game: Game, states: Any, seats: Any) -> Any:
    """The hand size of nobody's business: how many even cards the left neighbour holds, (N,)."""
    left = (np.asarray(seats) + 1) % game.num_players
    hands = states["hands"][np.arange(len(states)), left]
    return ((hands >= 0) & (hands % 2 == 0)).sum(axis=1)


# --- games with faults --------------------------------------------------------------------------------


class LeakingObservation(GummiTrick):
    def observations(self, states, seats=None, out=None):
        seen = super().observations(states, seats, out)
        observers = np.maximum(states["current_player"], 0) if seats is None else seats
        seen[:, -1] = left_hands(self, states, observers) % 2
        return seen


class FeatureOfTwo(GummiTrick):
    def observations(self, states, seats=None, out=None):
        seen = super().observations(states, seats, out)
        seen *= 2
        return seen


class StaleMask(GummiTrick):
    """Keeps the masks that it has made, and gives them again when the same seats are to decide."""

    def action_masks(self, states, out=None):
        kept = self.__dict__.setdefault("kept", {})
        masks = super().action_masks(states, out)
        masks[:] = kept.setdefault(states["current_player"].tobytes(), masks.copy())
        return masks


class MaskAfterTheEnd(GummiTrick):
    def action_masks(self, states, out=None):
        masks = super().action_masks(states, out)
        masks[:, 0] |= ~masks.any(axis=1)
        return masks


class ResampledOwnHand(GummiTrick):
    def resample(self, states, seats, seed=None):
        others = (np.broadcast_to(seats, states.shape) + 1) % self.num_players
        return super().resample(states, others, seed)


class ResampledToTheTruth(GummiTrick):
    def resample(self, states, seats, seed=None):
        worlds = super().resample(states, seats, seed)
        worlds["hands"] = states["hands"]
        return worlds


class ResampledByTheTruth(GummiTrick):
    def resample(self, states, seats, seed=None):
        seeds = left_hands(self, states, seats).astype(np.uint64) + np.uint64(seed or 0)
        return super().resample(states, seats, seeds)


class ResampledInPlace(GummiTrick):
    def resample(self, states, seats, seed=None):
        states[:] = super().resample(states, seats, seed)
        return states


class DoubledRewards(GummiTrick):
    def step(self, states, actions, out=None):
        rewards = super().step(states, actions, out)
        rewards *= 2
        return rewards


class ForgottenReward(GummiTrick):
    """The last seat never gets anything, as where it has left before the others."""

    def step(self, states, actions, out=None):
        rewards = super().step(states, actions, out)
        rewards[:, -1] = 0
        return rewards


class ShortGame(GummiTrick):
    """Says that it is over a decision earlier than it is."""

    def _set_sizes(self, s):
        super()._set_sizes(s)
        self.max_game_length -= 1


class ReturnsOfScores(GummiTrick):
    def returns(self, states, out=None):
        returns = super().returns(states, out)
        returns[:] = self.scores(states)
        return returns


class BatchedRewards(GummiTrick):
    def step(self, states, actions, out=None):
        rewards = super().step(states, actions, out)
        rewards += len(states) - 4
        return rewards


class EndlessChance(GummiTrick):
    def step(self, states, actions, out=None):
        states["rng"] += 1
        return super().step(states, actions, out)


class ForgetfulDict(GummiTrick):
    def to_dict(self, state):
        d = super().to_dict(state)
        return {**d, "known_voids": [[] for _ in d["known_voids"]]}


class DictWithoutTricks(GummiTrick):
    def to_dict(self, state):
        return {key: value for key, value in super().to_dict(state).items() if key != "trick"}


class ForgivingReader(GummiTrick):
    def from_dict(self, d, seed=0):
        return super().from_dict({"winners": [], **d} if isinstance(d, dict) else d, seed)


class CrashingReader(GummiTrick):
    def from_dict(self, d, seed=0):
        if isinstance(d, dict):
            sorted(d.get("leader"), key=len) if isinstance(d.get("leader"), list) else None
            assert json.dumps(d["scores"])[1]
        return super().from_dict(d, seed)


class InformationOfEverybody(GummiTrick):
    def information_state_string(self, state, seat):
        return super().information_state_string(state, seat) + str(self.to_dict(state)["hands"])


class InformationOfNobody(GummiTrick):
    def information_state_string(self, state, seat):
        return super().information_state_string(state, 0)


class OpenPicture(GummiTrick):
    def render(self, state, seat=None):
        return super().render(state)


class SeedOfItsOwn(GummiTrick):
    def new_states(self, num_states, seed=None):
        return super().new_states(num_states, None)


class OneSeedForAll(GummiTrick):
    def new_states(self, num_states, seed=None):
        return super().new_states(num_states, 5)


class TwoActionsOfOneText(GummiTrick):
    def _action_texts(self):
        texts = super()._action_texts()
        return [*texts[:-1], texts[0]]


class LayoutTooShort(GummiTrick):
    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.observation_size += 1


class RestlessFile(GummiTrick):
    saved = 0

    def serialize(self, states):
        self.saved += 1
        return super().serialize(states) + bytes([self.saved % 256])

    def deserialize(self, data):
        return super().deserialize(data[:-1])


class FileWithoutChance(GummiTrick):
    def serialize(self, states):
        states = states.copy()
        states["rng"] = 0
        return super().serialize(states)


class IgnoredOut(GummiTrick):
    def returns(self, states, out=None):
        return super().returns(states)


class HugeMini(GummiTrick):
    @classmethod
    def presets_for(cls, num_players):
        return {"mini": {"num_ranks": 9}}


class NoMini(GummiTrick):
    @classmethod
    def presets_for(cls, num_players):
        return {"tiny": {"num_ranks": 9}}


class VagueRefusal(GummiTrick):
    def _set_sizes(self, s):
        try:
            super()._set_sizes(s)
        except ValueError:
            raise ValueError("these sizes are not allowed; try others") from None


class OtherHandSize(GummiTrick):
    def new_states(self, num_states, seed=None):
        states = super().new_states(num_states, seed)
        states["hand_sizes"] -= 1
        states["hands"][:, :, -1] = -1
        return states


class ForgottenLeaders(GummiTrick):
    """Observations that don't say who led earlier tricks."""

    def observations(self, states, seats=None, out=None):
        features = super().observations(states, seats, out)
        features[:, self.observation_layout["leader_in"].slice] = 0
        return features


class InformationOfTheHand(GummiTrick):
    """A text that forgets what has been played."""

    def information_state_string(self, state, seat):
        return f"seat {seat}: {self.view(state, seat)['hands'][seat]}"


GAME_FAULTS = {
    ForgottenLeaders: "observations_and_information_agree",
    InformationOfTheHand: "observations_and_information_agree",
    LeakingObservation: "resampling_keeps_what_the_seat_knows",
    FeatureOfTwo: "observations_are_zeros_and_ones",
    StaleMask: "legal_cards_are_in_hand",
    MaskAfterTheEnd: "masks_tell_who_can_move",
    ResampledOwnHand: "resampled_worlds_are_possible",
    ResampledToTheTruth: "resampling_draws_what_is_hidden",
    ResampledByTheTruth: "resampling_does_not_leak",
    ResampledInPlace: "resampled_worlds_play_on",
    DoubledRewards: "rewards_sum_to_returns",
    ForgottenReward: "rewards_are_zero_sum",
    ShortGame: "games_keep_to_their_bounds",
    ReturnsOfScores: "returns_follow_the_option",
    BatchedRewards: "batches_play_as_single_games_do",
    EndlessChance: "finished_games_do_not_change",
    ForgetfulDict: "dicts_give_the_state_back",
    DictWithoutTricks: "dicts_say_what_the_methods_say",
    ForgivingReader: "positions_without_a_key_are_refused",
    CrashingReader: "junk_is_refused",
    InformationOfEverybody: "resampling_keeps_what_the_seat_knows",
    InformationOfNobody: "every_seat_has_a_picture_and_information",
    OpenPicture: "resampling_keeps_what_the_seat_knows",
    SeedOfItsOwn: "a_seed_gives_the_same_games",
    OneSeedForAll: "other_seeds_give_other_games",
    TwoActionsOfOneText: "actions_have_texts_of_their_own",
    LayoutTooShort: "layouts_have_no_gaps",
    RestlessFile: "saved_states_are_the_same_bytes",
    FileWithoutChance: "copies_play_on_as_the_original",
    IgnoredOut: "out_arrays_get_the_results",
    HugeMini: "a_mini_game_is_small_and_still_a_game",
    NoMini: "presets_stand_for_their_options",
    VagueRefusal: "sizes_that_clash_are_named",
    OtherHandSize: "games_of_any_sizes_are_whole_games",
}
"""Games, each with a fault, and a clause that it breaks."""

SMALL = {"num_ranks": 5, "hand_size": 3, "num_face_down": 2}


@pytest.mark.parametrize(("kind", "clause"), GAME_FAULTS.items(), ids=lambda x: getattr(x, "__name__", None))
def test_a_game_with_a_fault_is_refused_by_the_clause_that_it_breaks(kind: type[Game], clause: str) -> None:
    if clause == "a_mini_game_is_small_and_still_a_game" and not COMPILED:
        pytest.skip("plain Python takes too long to count")
    game = kind(3, **SMALL)
    with pytest.raises(ContractError) as caught:
        check_game(game, clauses=[clause])
    assert caught.value.clause == clause
    message = str(caught.value)
    assert message.startswith(f"{clause}: {GAME_CLAUSES[clause].sentence} Not so for {game!r} with seed ")
    with pytest.raises(ContractError):
        check_game(game)


def test_a_game_without_a_fault_passes() -> None:
    check_game(make_game("gummi_trick", num_players=3, **SMALL))


def test_what_a_clause_says_can_be_found_and_sent_elsewhere() -> None:
    for clauses in (GAME_CLAUSES, AGENT_CLAUSES):
        for name, clause in clauses.items():
            assert clause.name == name
            assert re.fullmatch(r'[A-Z"`].*\.', clause.sentence), name
    error = pickle.loads(pickle.dumps(ContractError("so it is", "clause")))
    assert (str(error), error.clause) == ("so it is", "clause")


def test_faults_are_found_without_assertions() -> None:
    """`python -O` takes assertions away; the checks have none."""
    for file in Path(testing.__file__).parent.glob("*.py"):
        assert not re.search(r"^\s*assert ", file.read_text(encoding="utf-8"), re.MULTILINE), file


def test_the_variants_of_a_game_are_all_different() -> None:
    for name in ("gummi_trick", "oracle_land"):
        games = variants_of(name)
        assert len(set(games)) == len(games)
        assert {game.num_players for game in games} == set(game_class(name).player_counts)
        assert {game.options["reward"] for game in games} == {"outcome", "score", "relative_score"}


# --- agents with faults -------------------------------------------------------------------------------


def lowest(game: Game, states: Any) -> Any:
    return game.action_masks(states).argmax(axis=1).astype(np.int32)


def highest(game: Game, states: Any) -> Any:
    return (game.num_actions - 1 - game.action_masks(states)[:, ::-1].argmax(axis=1)).astype(np.int32)


class Peeping:
    def act(self, game, states, rng):
        many = left_hands(game, states, game.current_players(states)) > 1
        return np.where(many, lowest(game, states), highest(game, states))


class Moody:
    mood = False

    def act(self, game, states, rng):
        self.mood = not self.mood
        return (lowest if self.mood else highest)(game, states)


class Remembering:
    last = 0

    def act(self, game, states, rng):
        wanted, self.last = self.last, int(states["hands"].max(initial=0) + len(states))
        return (lowest if wanted % 2 else highest)(game, states)


class OwnChance:
    def act(self, game, states, rng):
        return RandomAgent().act(game, states, type(rng)(len(states)))


class Stepping:
    def act(self, game, states, rng):
        actions = lowest(game, states)
        game.step(states, actions)
        return actions


class Illegal:
    def act(self, game, states, rng):
        return np.zeros(len(states), np.int32)


class WideNumbers:
    def act(self, game, states, rng):
        return lowest(game, states).astype(np.int64)


class SingleAction:
    def act(self, game, states, rng):
        return lowest(game, states)[:1]


class FirstStreamForAll:
    def act(self, game, states, rng):
        draws = rng.random()
        draws[:] = draws[:1]
        return np.where(draws < 0.5, lowest(game, states), highest(game, states))


class OneDesk:
    desk: Any = None

    def act(self, game, states, rng):
        self.desk = lowest(game, states)
        time.sleep(0.005)
        return self.desk


class NeverIdle:
    def act(self, game, states, rng):
        assert game.action_masks(states).max() == 1
        return lowest(game, states)


AGENT_FAULTS = {
    Peeping: "it_decides_by_what_the_current_player_knows",
    Moody: "its_streams_decide",
    Remembering: "its_streams_decide",
    OwnChance: "its_streams_decide",
    Stepping: "it_leaves_states_alone",
    Illegal: "its_actions_are_legal",
    WideNumbers: "its_actions_are_legal",
    SingleAction: "its_actions_are_legal",
    FirstStreamForAll: "it_acts_in_a_batch_as_in_each_game_alone",
    OneDesk: "it_acts_in_several_threads",
    NeverIdle: "it_acts_in_no_games",
}
"""Agents, each with a fault, and a clause that it breaks."""


@pytest.mark.parametrize(("kind", "clause"), AGENT_FAULTS.items(), ids=lambda x: getattr(x, "__name__", None))
def test_an_agent_with_a_fault_is_refused_by_the_clause_that_it_breaks(kind: Any, clause: str) -> None:
    game = make_game("gummi_trick", num_players=3, **SMALL)
    with pytest.raises(ContractError, match=f"^{clause}: .* in {re.escape(repr(game))} with seed") as caught:
        check_agent(kind(), game, clauses=[clause])
    assert caught.value.clause == clause
    with pytest.raises(ContractError):
        check_agent(kind(), game)


@pytest.mark.parametrize("spec", ["random", "rules", "search:worlds=3"])
def test_an_agent_without_a_fault_passes(spec: str) -> None:
    game = make_game("gummi_trick", num_players=3, **SMALL)
    agent: Agent = trick_agents.make(spec, game)
    check_agent(agent, game)


# --- what is asked ------------------------------------------------------------------------------------


def test_what_can_not_be_checked_is_refused() -> None:
    game = make_game("gummi_trick", num_players=3, **SMALL)
    with pytest.raises(ValueError, match="unknown clause 'no_such_clause'; choose from masks_tell_who_can"):
        check_game(game, clauses=["no_such_clause"])
    with pytest.raises(ValueError, match="seeds must have at least one seed, got none"):
        check_game(game, seeds=[])
    with pytest.raises(ValueError, match="num_games must be at least 1, got 0"):
        check_agent(RandomAgent(), game, num_games=0)


def test_one_random_game_is_enough_to_ask_for() -> None:
    game = make_game("gummi_trick", num_players=3, **SMALL)
    check_game(game, seeds=[3], num_games=1)
    check_agent(RandomAgent(), game, seeds=iter([3]), num_games=1)
