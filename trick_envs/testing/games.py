"""The clauses that a game keeps.

Each is a plain function of a game, a seed and a number of random games; the first line of its docstring is
the clause.
"""

import copy
import itertools
import json
import pickle
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from trick_envs.core import batch
from trick_envs.core.game import Game, States
from trick_envs.core.random import seeds_for
from trick_envs.core.state import MAX_ACTIONS
from trick_envs.testing import settings
from trick_envs.testing.contract import (
    Clause,
    by_name,
    check_clauses,
    require,
    require_array,
    require_equal,
    require_equal_states,
    require_refusal,
)
from trick_envs.testing.play import (
    play,
    plays_of_a_deal,
    random_actions,
    reached_states,
    single,
    without_chance,
)

COMMON_KEYS = frozenset(
    {
        "game",
        "num_players",
        "phase",
        "mover",
        "leader",
        "round",
        "hands",
        "trick",
        "history",
        "scores",
        "winners",
    }
)
"""The keys that every game's positions have."""

OF_THE_PAST = ("history", "known_voids")
"""The keys that a position may be without."""

JUNK: tuple[Any, ...] = (True, -1, 2.5, "x", [], [None], {}, [[]], [[[]]], 10**30)
"""What no key of a position may fail at."""


def check_game(
    game: Game, seeds: Iterable[int] = (0, 1), num_games: int = 4, clauses: Iterable[str] | None = None
) -> None:
    """Checks that a game keeps the contract of `Game`: environments, agents and training rely on it.

    It can't know the game's rules; their examples want tests of their own.

    Args:
        game: The game, with a number of players and options; `variants_of` has all that are worth a check.
        seeds: Each gives other random games.
        num_games: How many random games are played for each clause and seed.
        clauses: Names from `GAME_CLAUSES`. Default: all.

    Raises:
        ContractError: A clause is broken; the message names it, the game and the seed.
        ValueError: An unknown clause, no seed, or no game.

    Examples:
        >>> from trick_envs import make_game
        >>> game = make_game("gummi_trick", num_players=3, preset="mini")
        >>> check_game(game, clauses=["rewards_sum_to_returns", "resampling_does_not_leak"])
    """
    check_clauses(GAME_CLAUSES, clauses, (game,), seeds, num_games)


# --- playing ------------------------------------------------------------------------------------------


def masks_tell_who_can_move(game: Game, seed: int, num_games: int) -> None:
    """The current player has a legal action until the game is over, and then there is a winner."""
    n = num_games
    for states, _, _ in play(game, n, seed):
        current_players, masks = game.current_players(states), game.action_masks(states)
        require_array(current_players, (n,), np.int8, "current_players")
        require_array(masks, (n, game.num_actions), np.int8, "action_masks")
        require(
            ((current_players >= -1) & (current_players < game.num_players)).all(),
            f"current players are {current_players}",
        )
        require(((masks == 0) | (masks == 1)).all(), "masks have other values than 0 and 1")
        require_equal(masks.any(axis=1), current_players >= 0, "whether there is a legal action")
        require((masks.sum(axis=1) <= MAX_ACTIONS).all(), f"more than {MAX_ACTIONS} actions are legal")
        require_equal(game.winners(states).any(axis=1), current_players < 0, "whether there is a winner")


def legal_cards_are_in_hand(game: Game, seed: int, num_games: int) -> None:
    """A legal action whose text is a card's is for one in the current player's hand."""
    cards = set(game.deck.all_texts())
    for states, _, _ in play(game, num_games, seed):
        for state, mask in zip(states, game.action_masks(states), strict=True):
            legal = cards.intersection(game.action_texts[action] for action in np.flatnonzero(mask))
            if legal:
                d = game.to_dict(state)
                hand = d["hands"][d["mover"]]
                require(legal <= set(hand), f"legal are {sorted(legal)}, in hand are {hand}")


def observations_are_zeros_and_ones(game: Game, seed: int, num_games: int) -> None:
    """Observations are features that are 0 or 1, by default those of the current player."""
    for states, _, _ in play(game, num_games, seed):
        seen = game.observations(states)
        require_array(seen, (num_games, game.observation_size), np.int8, "observations")
        require(((seen == 0) | (seen == 1)).all(), "features have other values than 0 and 1")
        seats = np.maximum(game.current_players(states), 0)
        require_equal(seen, game.observations(states, seats), "the default observation")


def no_card_is_in_two_places(game: Game, seed: int, num_games: int) -> None:
    """No card is in two hands, or in a hand and in the current trick, or twice in one of them."""
    for states, _, _ in play(game, num_games, seed):
        for state in states:
            _require_single_cards(game, game.to_dict(state))


def _require_single_cards(game: Game, d: Mapping[str, Any]) -> None:
    deck = set(game.deck.all_texts())
    cards = [card for hand in d["hands"] for card in hand]
    require(deck.issuperset(cards), f"hands are {d['hands']}, which aren't all cards of the deck")
    cards += [card for card in (_card_of(deck, text) for _, text, *_ in d["trick"]) if card is not None]
    require(len(cards) == len(set(cards)), f"hands are {d['hands']}, the trick is {d['trick']}")


def _card_of(deck: set[str], play: str) -> str | None:
    """The card of a play, whose text may go on to say how it is played; None if it isn't one of the deck."""
    return max((text for text in deck if play.startswith(text)), key=len, default=None)


def rewards_sum_to_returns(game: Game, seed: int, num_games: int) -> None:
    """Rewards add up to the returns, at every step and for every seat."""
    shape = (num_games, game.num_players)
    total = np.zeros(shape)
    for states, _, rewards in play(game, num_games, seed):
        returns = game.returns(states)
        require_array(returns, shape, np.float64, "returns")
        require_equal(returns, total, "the return", tolerance=1e-4)
        require_array(rewards, shape, np.float32, "rewards")
        total += rewards


def returns_follow_the_option(game: Game, seed: int, num_games: int) -> None:
    """Returns are what the option `reward` says: the outcome, the score or the relative score."""
    shape = (num_games, game.num_players)
    for states, _, _ in play(game, num_games, seed):
        scores, winners, returns = game.scores(states), game.winners(states), game.returns(states)
        require(scores.shape == winners.shape == shape, f"scores and winners aren't of shape {shape}")
        if game.options["reward"] == "outcome":
            num_winners = winners.sum(axis=1, keepdims=True)
            is_decided = (num_winners > 0) & (num_winners < game.num_players)
            losing = -1 / np.maximum(game.num_players - num_winners, 1)
            expected = np.where(winners, 1 / np.maximum(num_winners, 1), losing) * is_decided
        else:
            expected = scores / game.score_scale
            if game.options["reward"] == "relative_score":
                expected = expected - expected.mean(axis=1, keepdims=True)
        require_equal(returns, expected, "the return", tolerance=1e-5)


def games_keep_to_their_bounds(game: Game, seed: int, num_games: int) -> None:
    """Games have no more decisions than `max_game_length`; scores and returns keep to their bounds."""
    num_decisions = np.zeros(num_games, int)
    for states, _, _ in play(game, num_games, seed):
        num_decisions += game.current_players(states) >= 0
        most = num_decisions.max()
        require(
            most <= game.max_game_length, f"{most} decisions, expected are {game.max_game_length} at most"
        )
        for what, values, (low, high) in (
            ("scores", game.scores(states), game.score_bounds),
            ("returns", game.returns(states), game.return_bounds),
        ):
            least, most = values.min(), values.max()
            require(
                low <= least and most <= high, f"{what} from {least} to {most}, expected are {low} to {high}"
            )


def rewards_are_zero_sum(game: Game, seed: int, num_games: int) -> None:
    """Outcomes and relative scores sum to zero over the seats, at every step."""
    if game.options["reward"] != "score":
        for _, _, rewards in play(game, num_games, seed):
            require_equal(rewards.sum(axis=1), np.zeros(num_games), "the sum of rewards", tolerance=1e-5)


def finished_games_do_not_change(game: Game, seed: int, num_games: int) -> None:
    """A finished game has no current player and no legal action, and a step doesn't change it."""
    states = game.new_states(num_games, seed)
    require(game.play_randomly(states) > 0, "a new game is over")
    before = states.tobytes()
    for action in (0, game.num_actions - 1):
        rewards = game.step(states, np.full(num_games, action, np.int32))
        require(not rewards.any(), f"a step in a finished game brings {rewards}")
        require(states.tobytes() == before, "a step changes a finished game")
    require(game.play_randomly(states) == 0, "a finished game is played on")
    require(states.tobytes() == before, "play_randomly changes a finished game")
    require(not game.action_masks(states).any(), "a finished game has legal actions")
    require((game.current_players(states) == -1).all(), "a finished game has a current player")


def no_games_can_be_asked_everything(game: Game, seed: int, num_games: int) -> None:
    """An array of no games at all is an argument like any other."""
    states = game.new_states(0, seed)
    shapes = {
        "current_players": (game.current_players(states).shape, (0,)),
        "action_masks": (game.action_masks(states).shape, (0, game.num_actions)),
        "observations": (game.observations(states).shape, (0, game.observation_size)),
        "step": (game.step(states, []).shape, (0, game.num_players)),
        "returns": (game.returns(states).shape, (0, game.num_players)),
        "resample": (game.resample(states, 0, seed).shape, (0,)),
        "deserialize": (game.deserialize(game.serialize(states)).shape, (0,)),
    }
    for name, (shape, expected) in shapes.items():
        require(shape == expected, f"{name} gives shape {shape}, expected is {expected}")


def layouts_have_no_gaps(game: Game, seed: int, num_games: int) -> None:
    """The layouts cover all features of observations and all actions, in order, each once."""
    for layout, size in (
        (game.observation_layout, game.observation_size),
        (game.action_layout, game.num_actions),
    ):
        start = 0
        for name, group in layout.items():
            require(group.name == name and group.meaning, f"group {name!r} has no meaning")
            stop = start + int(np.prod(group.shape))
            require(group.slice == slice(start, stop), f"{name} is {group.slice}, expected is {start}:{stop}")
            shape = layout.read(np.zeros((7, size)), name).shape
            require(shape == (7, *group.shape), f"{name} is read in shape {shape}")
            require_equal(group.indices.ravel(), np.arange(start, stop), f"the indices of {name}")
            start = stop
        require(start == size == layout.size, f"the layout has {layout.size} of {size}")
        require(layout.table("features").count("\n") == len(layout) + 1, "the table has a row too many")


def actions_of_a_suit_have_its_letter(game: Game, seed: int, num_games: int) -> None:
    """Where a group of actions has an axis "suit", a text's last word begins with the suit's letter."""
    for group in game.action_layout.values():
        if "suit" in group.axes:
            suits = np.moveaxis(group.indices, list(group.axes).index("suit"), 0)
            for letter, actions in zip(game.deck.suits, suits.reshape(len(suits), -1), strict=True):
                texts = [game.action_texts[action] for action in actions]
                require({text.split()[-1][0] for text in texts} == {letter}, f"{letter} has {texts}")


def out_arrays_get_the_results(game: Game, seed: int, num_games: int) -> None:
    """An array given as `out` gets the same result as would be returned, and is returned."""
    states = reached_states(game, 3 * num_games, seed, num_games)
    for name, (call, out) in calls_with_out(game, states).items():
        expected = call(None)
        require(call(out) is out, f"{name} doesn't return its array")
        require_equal(out, expected, name)
        require(out.dtype == expected.dtype, f"{name} has type {expected.dtype}, expected is {out.dtype}")


def calls_with_out(game: Game, states: States) -> dict[str, tuple[Callable[[Any], Any], Any]]:
    """For each method that takes `out`: a call with it, and an array that fits."""
    n = len(states)
    actions = random_actions(game, states, np.random.default_rng(0))
    return {
        "current_players": (lambda out: game.current_players(states, out=out), np.ones(n, np.int8)),
        "action_masks": (
            lambda out: game.action_masks(states, out=out),
            np.ones((n, game.num_actions), np.int8),
        ),
        "observations": (
            lambda out: game.observations(states, 1, out=out),
            np.ones((n, game.observation_size), np.int8),
        ),
        "step": (
            lambda out: game.step(states.copy(), actions, out=out),
            np.ones((n, game.num_players), np.float32),
        ),
        "returns": (
            lambda out: game.returns(states, out=out),
            np.ones((n, game.num_players), np.float64),
        ),
    }


# --- batches ------------------------------------------------------------------------------------------


def games_do_not_depend_on_how_many_there_are(game: Game, seed: int, num_games: int) -> None:
    """Game i of a seed is the same, and is seen and resampled the same, whatever the number of games."""
    many = game.new_states(num_games + 56, seed)
    few = game.new_states(num_games, seed)
    require(few.tobytes() == many[:num_games].tobytes(), "new_states deals other games")
    drawn = game.resample(many, 1, seed)[:num_games]
    require(game.resample(few, 1, seed).tobytes() == drawn.tobytes(), "resample draws other worlds")
    require_equal(game.observations(many[-1:])[0], game.observations(many)[-1], "the last game's observation")


def batches_play_as_single_games_do(game: Game, seed: int, num_games: int) -> None:
    """A batch plays, and is seen, as its games are one by one and in any order."""
    order = np.random.default_rng(seed).permutation(num_games)
    i = num_games - 1
    for states, actions, rewards in play(game, num_games, seed):
        shuffled, alone = states[order], states[i:].copy()
        masks, seen = game.action_masks(states), game.observations(states)
        require_equal(game.action_masks(shuffled), masks[order], "masks in another order")
        require_equal(game.observations(shuffled), seen[order], "observations in another order")
        require_equal(game.action_masks(alone), masks[i:], "the mask of a single game")
        require_equal(game.observations(alone), seen[i:], "the observation of a single game")
        together = states.copy()
        require_equal(game.step(together, actions), rewards, "the rewards of the same step")
        require_equal(game.step(shuffled, actions[order]), rewards[order], "rewards in another order")
        require_equal(game.step(alone, actions[i:]), rewards[i:], "the rewards of a single game")
        require(shuffled.tobytes() == together[order].tobytes(), "a step in another order differs")
        require(alone.tobytes() == together[i:].tobytes(), "a step in a single game differs")


def seats_may_differ_from_game_to_game(game: Game, seed: int, num_games: int) -> None:
    """Each game may be observed from a seat of its own."""
    states = reached_states(game, 3 * num_games, seed, num_games)
    seats = np.arange(len(states)) % game.num_players
    together = game.observations(states, seats)
    for i, seat in enumerate(seats.tolist()):
        require_equal(game.observations(states[i : i + 1], seat)[0], together[i], f"what seat {seat} sees")


# --- chance -------------------------------------------------------------------------------------------


def a_seed_gives_the_same_games(game: Game, seed: int, num_games: int) -> None:
    """The same seed gives the same games and the same random play."""
    first, second = game.new_states(num_games, seed), game.new_states(num_games, seed)
    require(first.tobytes() == second.tobytes(), "new_states deals other games")
    counts = game.play_randomly(first), game.play_randomly(second)
    require(counts[0] == counts[1], f"random play takes {counts} decisions")
    require(first.tobytes() == second.tobytes(), "random play comes to another end")


def other_seeds_give_other_games(game: Game, seed: int, num_games: int) -> None:
    """Other seeds, and other games of a seed, have other chance and other deals."""
    batches = [game.new_states(10, seed + i) for i in range(10)]
    chances = {chance for states in batches for chance in states["rng"]}
    require(len(chances) == 100, f"100 games have {len(chances)} different generators")
    # With few cards two deals may well be the same, but not ten in a row.
    deals = [[without_chance(states[i : i + 1]) for i in range(10)] for states in batches]
    require(len({*map(tuple, deals)}) == 10, "two seeds deal the same")
    require(len({*zip(*deals, strict=True)}) == 10, "two games are always dealt the same")
    require(game.new_states(1).tobytes() != game.new_states(1).tobytes(), "without a seed deals are the same")


def each_game_may_have_a_seed(game: Game, seed: int, num_games: int) -> None:
    """An array of seeds gives each game one of its own."""
    seeds = np.array([5, 2**63 + 1, 5, 0], np.uint64)
    states = game.new_states(4, seeds)
    require(states[0].tobytes() == states[2].tobytes(), "the same seed deals different games")
    require(states[0].tobytes() != states[3].tobytes(), "different seeds deal the same game")
    alone = game.new_states(1, seeds[1:2])
    require(alone.tobytes() == states[1:2].tobytes(), "a seed deals another game in a batch")


def a_record_can_be_used_again(game: Game, seed: int, num_games: int) -> None:
    """A record that has been played with starts as a new one: `new_game` resets every field."""
    states = game.new_states(num_games, seed)
    game.play_randomly(states)
    states["rng"] = seeds_for(num_games, seed + 1)
    batch.restart_finished(states)
    fresh = game.new_states(num_games, seed + 1)
    require_equal_states(states, fresh, "a record that is used again")


# --- copying and saving -------------------------------------------------------------------------------


def copies_play_on_as_the_original(game: Game, seed: int, num_games: int) -> None:
    """Every kind of copy of a state plays on as the original does, its chance included."""
    states = reached_states(game, 2 * num_games, seed, num_games)
    copies = {
        "copy": states.copy(),
        "deepcopy": copy.deepcopy(states),
        "pickle": pickle.loads(pickle.dumps(states)),  # noqa: S301, its own bytes
        "serialize": game.deserialize(game.serialize(states)),
        "tobytes": np.frombuffer(bytearray(states.tobytes()), game.state_dtype),
    }
    game.play_randomly(states)
    for name, other in copies.items():
        require(other.dtype == game.state_dtype, f"{name} gives type {other.dtype}")
        game.play_randomly(other)
        require(other.tobytes() == states.tobytes(), f"{name} plays on in another way")


def saved_states_are_the_same_bytes(game: Game, seed: int, num_games: int) -> None:
    """The same states are saved as the same bytes, whatever copies they are."""
    states = reached_states(game, 2 * num_games, seed, num_games)
    saved = game.serialize(states)
    loaded = game.deserialize(saved)
    require(loaded.flags.writeable, "loaded states can't be written to")
    for name, same in (
        ("a copy", states.copy()),
        ("a selection", states[list(range(len(states)))]),
        ("what was loaded", loaded),
    ):
        require(game.serialize(same) == saved, f"{name} is saved as other bytes")


# --- positions ----------------------------------------------------------------------------------------


def dicts_say_what_the_methods_say(game: Game, seed: int, num_games: int) -> None:
    """`to_dict` has the keys of every game, and says what the methods say."""
    for state in reached_states(game, 2 * num_games, seed, num_games):
        d, one = game.to_dict(state), single(game, state)
        require(d.keys() >= COMMON_KEYS, f"keys {sorted(COMMON_KEYS - d.keys())} are missing")
        require(d["game"] == game.name, f"game is {d['game']!r}")
        require(d["num_players"] == game.num_players, f"num_players is {d['num_players']!r}")
        require(d["phase"] in game.phases, f"phase is {d['phase']!r}")
        current = game.current_players(one)[0]
        require(d["mover"] == (None if current < 0 else current), f"mover is {d['mover']!r}, not {current}")
        require((d["phase"] == "over") == (current < 0), f"phase is {d['phase']!r}, current player {current}")
        require_equal(d["scores"], game.scores(one)[0], "scores")
        require_equal(d["winners"], np.flatnonzero(game.winners(one)[0]), "winners")
        require(len(d["hands"]) == game.num_players, f"there are {len(d['hands'])} hands")
        require(game.to_dict(one) == d, "an array of one is another position than its record")


def dicts_give_the_state_back(game: Game, seed: int, num_games: int) -> None:
    """`from_dict` gives the state back that `to_dict` wrote, all but its chance, also by way of JSON."""
    states = reached_states(game, 2 * num_games, seed, num_games)
    for i in range(len(states)):
        written = game.to_dict(states[i])
        d = json.loads(json.dumps(written))
        again = game.from_dict(d)
        require_equal_states(again, states[i : i + 1], f"{d} is read as another state", "rng")
        require(game.to_dict(again) == d == written, f"{d} is written as {game.to_dict(again)}")


def positions_without_a_past_play_on(game: Game, seed: int, num_games: int) -> None:
    """Without `history` and `known_voids` a position can be played on, written and read again."""
    rng = np.random.default_rng(seed)
    for state in reached_states(game, num_games, seed, num_games):
        d = game.to_dict(state)
        bare = {key: value for key, value in d.items() if key not in OF_THE_PAST}
        states = game.from_dict({**bare, "something": "else"}, seed)
        require(game.to_dict(states)["hands"] == d["hands"], f"{bare} is read with other hands")
        require(states.tobytes() == game.from_dict(bare, seed).tobytes(), "an unknown key isn't ignored")
        require_equal(
            game.action_masks(states), game.action_masks(single(game, state)), f"the mask of {bare}"
        )
        for _ in range(3):
            if game.current_players(states)[0] >= 0:
                game.step(states, random_actions(game, states, rng))
            d = game.to_dict(states)
            require(game.to_dict(game.from_dict(d)) == d, f"{d}, with a part of its past, is read otherwise")
        game.play_randomly(states)
        require(game.to_dict(states)["phase"] == "over", "a position that was set up doesn't end")


def the_seed_of_a_position_decides_chance_only(game: Game, seed: int, num_games: int) -> None:
    """The seed given to `from_dict` decides the chance to come, and nothing else."""
    d = game.to_dict(game.new_states(1, seed)[0])
    first, same, other = (game.from_dict(d, number) for number in (3, 3, 4))
    require(first.tobytes() == same.tobytes(), "the same seed gives another state")
    require(first.tobytes() != other.tobytes(), "another seed gives the same chance")
    require(without_chance(first) == without_chance(other), "the seed changes more than chance")


def positions_without_a_key_are_refused(game: Game, seed: int, num_games: int) -> None:
    """A position that lacks a key of every game, but for `history`, is refused by the key's name."""
    d = game.to_dict(game.new_states(1, seed)[0])
    for key in sorted(COMMON_KEYS.difference(OF_THE_PAST)):
        without = {k: value for k, value in d.items() if k != key}
        require_refusal(partial(game.from_dict, without), f"a position without {key}", key)


def junk_is_refused(game: Game, seed: int, num_games: int) -> None:
    """Whatever stands in a key of a position, it is read as it is or refused with a `ValueError`."""
    for state in reached_states(game, 3, seed, num_games):
        d = game.to_dict(state)
        for key, junk in itertools.product(d, JUNK):
            try:
                read = game.from_dict({**d, key: junk})
            except ValueError:
                continue
            again = game.to_dict(read)[key]
            require(again in (junk, d[key]), f"{key} is {junk!r}, which is read as {again!r}")


def other_positions_are_refused(game: Game, seed: int, num_games: int) -> None:
    """Positions of another game, number of players or phase are refused, and what is no dict."""
    d = game.to_dict(game.new_states(1, seed)[0])
    for key, wrong in (
        ("game", "no_such_game"),
        ("phase", "no_such_phase"),
        ("num_players", game.num_players + 1),
        ("num_players", str(game.num_players)),
        ("num_players", None),
    ):
        position = {**d, key: wrong}
        require_refusal(partial(game.from_dict, position), f"{key} {wrong!r}", key, repr(wrong))
    nothings: tuple[Any, ...] = (None, [], "{}", 7, ["game"])
    for nothing in nothings:
        require_refusal(partial(game.from_dict, nothing), f"{nothing!r}", repr(nothing), "dict")


# --- texts --------------------------------------------------------------------------------------------


def actions_have_texts_of_their_own(game: Game, seed: int, num_games: int) -> None:
    """Every action has a text that no other has, and is found by it."""
    texts = [game.action_to_string(action) for action in range(game.num_actions)]
    require(texts == game.action_texts, "action_to_string and action_texts differ")
    require(len(set(texts)) == len(texts), f"texts are there twice among {texts}")
    actions = [game.string_to_action(text) for text in texts]
    require_equal(actions, np.arange(game.num_actions), "the action that is found by its text")


def every_seat_has_a_picture_and_information(game: Game, seed: int, num_games: int) -> None:
    """Every seat's picture is some text, and its information a text that no other seat's is."""
    for state in reached_states(game, 2 * num_games, seed, num_games):
        for seat in (None, *range(game.num_players)):
            text = game.render(state, seat)
            require(isinstance(text, str) and text, f"render gives {text!r} for seat {seat}")
        known = {game.information_state_string(state, seat) for seat in range(game.num_players)}
        require(len(known) == game.num_players, f"two seats have the same information: {sorted(known)}")


def observations_and_information_agree(game: Game, seed: int, num_games: int) -> None:
    """Positions that look the same to a seat, in features, have the same information text, and the reverse.

    So an observation forgets nothing that the text keeps, and the text nothing that the observation keeps.
    """
    states = plays_of_a_deal(game, seed, 4 * num_games, 2 * game.num_players + 2)
    for seat in range(game.num_players):
        observations = game.observations(states, seat)
        texts: dict[bytes, str] = {}
        features: dict[str, bytes] = {}
        for observation, state in zip(observations, states, strict=True):
            text, seen = game.information_state_string(state, seat), observation.tobytes()
            other = texts.setdefault(seen, text)
            require(
                other == text, f"seat {seat} observes the same where its information is\n{other}\nand\n{text}"
            )
            require(
                features.setdefault(text, seen) == seen,
                f"seat {seat} observes different things where its information is\n{text}",
            )


# --- what a seat doesn't know -------------------------------------------------------------------------


def resampling_keeps_what_the_seat_knows(game: Game, seed: int, num_games: int) -> None:
    """In a resampled world nothing has changed for the seat: observation, mask, view, texts.

    So if one of them tells something that the seat doesn't know, it shows here.
    """
    states = reached_states(game, 3 * num_games, seed, num_games)
    for seat in range(game.num_players):
        drawn = game.resample(states, seat, seed)
        require(drawn.dtype == game.state_dtype, f"resample gives type {drawn.dtype}")
        require_equal(
            game.observations(drawn, seat), game.observations(states, seat), f"what seat {seat} observes"
        )
        for name in ("current_player", "scores", "winners"):
            require_equal(drawn[name], states[name], f"the field {name}")
        mine = game.current_players(states) == seat
        require_equal(
            game.action_masks(drawn)[mine], game.action_masks(states)[mine], f"the mask of seat {seat}"
        )
        for before, after in zip(states, drawn, strict=True):
            for method in (game.information_state_string, game.render, game.view):
                old, new = method(before, seat), method(after, seat)
                require(old == new, f"{method.__name__} for seat {seat} was\n{old}\nand is\n{new}")


def resampled_worlds_are_possible(game: Game, seed: int, num_games: int) -> None:
    """In a resampled world the seat has its hand, the others as many cards as before, none twice.

    Such a world can be written and read again.
    """
    states = reached_states(game, num_games, seed, num_games)
    for seat in range(game.num_players):
        for before, after in zip(states, game.resample(states, seat, seed), strict=True):
            old, new = game.to_dict(before)["hands"], game.to_dict(after)
            require(new["hands"][seat] == old[seat], f"seat {seat} had {old[seat]}, has {new['hands'][seat]}")
            sizes = [len(hand) for hand in old], [len(hand) for hand in new["hands"]]
            require(sizes[0] == sizes[1], f"hands had {sizes[0]} cards, have {sizes[1]}")
            _require_single_cards(game, new)
            require(game.to_dict(game.from_dict(new)) == new, f"{new} is read as another position")


def resampling_draws_what_is_hidden(game: Game, seed: int, num_games: int) -> None:
    """Resampling draws hidden hands and the chance to come anew, the same for the same seed."""
    states = game.new_states(num_games, seed)
    for seat in range(game.num_players):
        # So many that even of two possible hands both are drawn.
        drawn = [game.resample(states, seat, number) for number in range(30)]
        require(
            drawn[1].tobytes() == game.resample(states, seat, 1).tobytes(),
            "the same seed draws another world",
        )
        chances = {*states["rng"], *drawn[0]["rng"], *drawn[1]["rng"]}
        require(len(chances) == 3 * num_games, "the chance to come stays the same")
        hands = [[game.to_dict(world)["hands"] for world in worlds] for worlds in zip(*drawn, strict=True)]
        for i, other in itertools.product(range(num_games), range(game.num_players)):
            if other != seat and _can_hold_another_card(game, states[i], seat, other):
                found = {tuple(world[other]) for world in hands[i]}
                require(
                    len(found) > 1,
                    f"for seat {seat}, seat {other} holds {found} in each of {len(drawn)} worlds",
                )


def _can_hold_another_card(game: Game, state: Any, seat: int, other: int) -> bool:
    """Whether the seat sees the same if another one, or the rest of the deck, exchanges a card with `other`.

    Not so where the hand lies open, or nothing is left that the seat doesn't see.
    """
    d = game.to_dict(state)
    seen = game.observations(single(game, state), seat)
    known = {*d["hands"][seat], *d["hands"][other]}
    for card, new in itertools.product(d["hands"][other], sorted(set(game.deck.all_texts()) - known)):
        exchanged = {card: new, new: card}
        hands = [[exchanged.get(text, text) for text in hand] for hand in d["hands"]]
        try:
            world = game.from_dict({**d, "hands": hands})
        except ValueError:
            continue
        if (game.observations(world, seat) == seen).all():
            return True
    return False


def resampling_does_not_leak(game: Game, seed: int, num_games: int) -> None:
    """From any world that the seat holds possible, the same random numbers lead to the same world.

    So resampling uses nothing that the seat doesn't know.
    """
    states = reached_states(game, 3 * num_games, seed, num_games)
    for seat in range(game.num_players):
        elsewhere = game.resample(states, seat, seed + 1)
        drawn, again = game.resample(states, seat, seed), game.resample(elsewhere, seat, seed)
        require_equal_states(again, drawn, f"the world of seat {seat} from another world")


def resampled_worlds_play_on(game: Game, seed: int, num_games: int) -> None:
    """Resampling leaves its argument alone, and its worlds can be played to their ends."""
    states = reached_states(game, 2 * num_games, seed, num_games)
    before = states.tobytes()
    drawn = game.resample(states, np.arange(len(states)) % game.num_players, seed)
    require(states.tobytes() == before, "resample changes its argument")
    game.play_randomly(drawn)
    require((game.current_players(drawn) == -1).all(), "a resampled world doesn't end")


GAME_CLAUSES: Mapping[str, Clause] = MappingProxyType(
    by_name(
        play=(
            masks_tell_who_can_move,
            legal_cards_are_in_hand,
            observations_are_zeros_and_ones,
            no_card_is_in_two_places,
            rewards_sum_to_returns,
            returns_follow_the_option,
            rewards_are_zero_sum,
            games_keep_to_their_bounds,
            finished_games_do_not_change,
            out_arrays_get_the_results,
            games_do_not_depend_on_how_many_there_are,
            batches_play_as_single_games_do,
            seats_may_differ_from_game_to_game,
            a_seed_gives_the_same_games,
            a_record_can_be_used_again,
            copies_play_on_as_the_original,
            saved_states_are_the_same_bytes,
            dicts_say_what_the_methods_say,
            dicts_give_the_state_back,
            positions_without_a_past_play_on,
            every_seat_has_a_picture_and_information,
            resampling_keeps_what_the_seat_knows,
            resampled_worlds_are_possible,
            resampling_does_not_leak,
            resampled_worlds_play_on,
        ),
        variant=(
            no_games_can_be_asked_everything,
            layouts_have_no_gaps,
            actions_of_a_suit_have_its_letter,
            actions_have_texts_of_their_own,
            other_seeds_give_other_games,
            each_game_may_have_a_seed,
            observations_and_information_agree,
            resampling_draws_what_is_hidden,
            the_seed_of_a_position_decides_chance_only,
            positions_without_a_key_are_refused,
            junk_is_refused,
            other_positions_are_refused,
        ),
        settings=settings.CHECKS,
    )
)
"""All clauses on games, by name."""
