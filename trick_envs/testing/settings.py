"""All settings of a game that are worth a test, and the clauses on settings."""

import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from trick_envs.core.game import REWARD, Game, States
from trick_envs.core.kernel import COMPILED
from trick_envs.core.options import Option
from trick_envs.core.registry import game_class
from trick_envs.testing.contract import require, require_equal
from trick_envs.testing.play import play, random_actions, single

SIZES = ("num_ranks", "hand_size", "num_face_down", "pick_size", "goal")
"""Options for how many cards there are, and how many tricks one needs."""

NUM_COMBINATIONS = 8 if COMPILED else 2
"""How many of the allowed combinations of sizes are played."""

MAX_SIZES = 100
"""How many values an option has at most if it is one of cards or tricks."""

MAX_PLAYS = 5_000_000
"""How many ways to play on there are at most in a game with the preset ``"mini"``."""


def variants_of(name: str) -> list[Game]:
    """A game for every number of players: with the defaults, all presets, and other values of each option.

    Other sizes than the usual ones, which presets have for all numbers of players, for the usual number only.
    Settings that come up twice, as a preset and as an option's least value, are there once.

    Args:
        name: As for `make_game`.

    Raises:
        UnknownGameError: There is no such game.

    Examples:
        >>> len(variants_of("gummi_trick"))
        22
    """
    kind = game_class(name)
    games = []
    for num_players in kind.player_counts:
        games.append(kind(num_players))
        games.extend(kind(num_players, preset) for preset in kind.presets_for(num_players))
        for option in (*kind.options_for(num_players), REWARD):
            if option.name not in SIZES or num_players == kind.default_players:
                values = other_values(kind, num_players, option)
                games.extend(kind(num_players, **{option.name: value}) for value in values)
    settings = [(game.num_players, game.options) for game in games]
    return [game for i, game in enumerate(games) if settings[i] not in settings[:i]]


def other_values(kind: type[Game], num_players: int, option: Option) -> list[Any]:
    """The values to test of an option, beside its default; all are allowed with the other defaults.

    Every choice, the least number, or a list of the least numbers.
    """
    values: Iterable[Any] = range(option.minimum, option.maximum + 1)
    if option.choices or option.length:
        values = option.choices or ([option.minimum] * option.length,)
    others = (value for value in values if value != option.default)
    allowed = (value for value in others if refusal(kind, num_players, {option.name: value}) is None)
    return list(allowed) if option.choices else list(itertools.islice(allowed, 1))


def refusal(kind: type[Game], num_players: int, options: Mapping[str, Any]) -> str | None:
    """What is said against these options; None if they are allowed."""
    try:
        kind(num_players, **options)
    except ValueError as error:
        return str(error)
    return None


# --- clauses -------------------------------------------------------------------------------------------


def a_game_says_what_it_is(game: Game, seed: int, num_games: int) -> None:
    """A game's class has a name, numbers of players, phases with "over", and settings that make it again."""
    kind = type(game)
    require(kind.name.isidentifier() and kind.name.islower(), f"name is {kind.name!r}")
    require(kind.title, "title is empty")
    require(kind.default_players in kind.player_counts, f"default_players is {kind.default_players}")
    require("over" in kind.phases, f"phases are {kind.phases}")
    require(kind.score_scale > 0, f"score_scale is {kind.score_scale}")
    again = kind(game.num_players, **game.options)
    require(again == game and hash(again) == hash(game), f"its own settings make {again!r}")
    for option in game.own_options:
        require(option.name in (game.state_dtype.names or ()), f"the record has no field {option.name}")
        require(option.meaning, f"{option.name} has no meaning")


def presets_stand_for_their_options(game: Game, seed: int, num_games: int) -> None:
    """There is a preset "mini"; a preset is its options, and options that are given come before it."""
    kind, num_players = type(game), game.num_players
    presets = kind.presets_for(num_players)
    require("mini" in presets, f"presets are {', '.join(presets)}")
    for preset, options in presets.items():
        made = kind(num_players, preset)
        require(made == kind(num_players, **options), f"{preset} makes {made!r}")
        require({name: made.options[name] for name in options} == options, f"{preset} makes {made!r}")
        # A game may be as small as "mini" by itself.
        require((made != kind(num_players)) == bool(options), f"{preset} is the default")
        for option in kind.options_for(num_players):
            value = options.get(option.name)
            if isinstance(value, int):
                given = {option.name: value + 1}
                if refusal(kind, num_players, options | given) is None:
                    require(
                        kind(num_players, preset, **given) == kind(num_players, **(options | given)),
                        f"{given} doesn't come before {preset}",
                    )


def a_mini_game_is_small_and_still_a_game(game: Game, seed: int, num_games: int) -> None:
    """With the preset "mini" there is more than one way to play on, but fewer than five million.

    Counted from the point on at which cards are played: after the phases "pick" and "bid".
    """
    if not COMPILED:  # plain Python takes too long
        return
    mini = type(game)(game.num_players, "mini")
    counts = [plays_of_mini(mini, state) for state in mini.new_states(2, seed)]
    require(1 < max(counts) < MAX_PLAYS, f"there are {counts} ways to play on in {mini!r}")


def plays_of_mini(game: Game, state: Any) -> int:
    """How many ways there are to play on to the end, from where cards are played."""
    states = single(game, state)
    while game.to_dict(states)["phase"] in ("pick", "bid"):
        game.step(states, [game.action_masks(states)[0].argmax()])
    estimate = estimated_plays(game, states)
    require(estimate < 20 * MAX_PLAYS, f"there are about {estimate:.0e} ways to play on in {game!r}")
    count = game.count_plays(states, 1000)
    require(count == game.count_plays(states, 1001), f"{game!r} doesn't end within 1000 decisions")
    return count


def estimated_plays(game: Game, states: States) -> float:
    """About how many ways there are to play on from a state (1,): counting them all could take forever.

    The mean, over random games, of the product of the numbers of legal actions (D. E. Knuth, "Estimating the
    efficiency of backtrack programs", 1975).
    """
    rng, many = np.random.default_rng(0), np.repeat(states, 1000)
    products = np.ones(len(many))
    while (is_going_on := game.current_players(many) >= 0).any():
        products[is_going_on] *= game.action_masks(many)[is_going_on].sum(axis=1)
        game.step(many, random_actions(game, many, rng))
    return float(products.mean())


def sizes_of(option: Option) -> list[int]:
    """Some numbers that an option may be: the least, the most, and some between, most of them small.

    Where there are very many, as for rounds or points to be reached, the least two: games have to end.
    """
    low, high = option.minimum, option.maximum
    if high - low > MAX_SIZES:
        return [low, low + 1]
    return sorted({*range(low, min(low + 3, high + 1)), (low + high) // 2, high})


def combinations_of(kind: type[Game], num_players: int) -> Iterator[dict[str, Any]]:
    """Combinations of sizes, allowed or not."""
    options = [o for o in kind.options_for(num_players) if not o.choices and not o.length]
    for values in itertools.product(*map(sizes_of, options)):
        yield dict(zip([option.name for option in options], values, strict=True))


def sizes_that_clash_are_named(game: Game, seed: int, num_games: int) -> None:
    """Options that are allowed one by one, but don't go together, are refused by the values that clash.

    One sentence names them all, as in "hand_size is 9 and num_ranks is 4; allowed are ...".
    """
    kind, num_players = type(game), game.num_players
    messages = [(sizes, refusal(kind, num_players, sizes)) for sizes in combinations_of(kind, num_players)]
    allowed = [sizes for sizes, message in messages if message is None]
    require(allowed, "no combination of sizes is allowed")
    for sizes, message in messages:
        if message is not None:
            named = {name: value for name, value in sizes.items() if f"{name} is {value}" in message}
            require(
                not any(named.items() <= others.items() for others in allowed),
                f"{sizes} is refused with {message!r}, but with {named} alone a game can be made",
            )
            require(
                "; " in message and "allowed" in message and "\n" not in message,
                f"{message!r} doesn't say in one line what is allowed",
            )


def smallest_and_some(combinations: list[dict[str, Any]], seed: int) -> list[dict[str, Any]]:
    """The first, the last and some between."""
    if len(combinations) <= NUM_COMBINATIONS:
        return combinations
    others = np.random.default_rng(seed).permutation(len(combinations) - 2)[: NUM_COMBINATIONS - 2] + 1
    return [combinations[i] for i in (0, *others, -1)]


def games_of_any_sizes_are_whole_games(game: Game, seed: int, num_games: int) -> None:
    """Every combination of sizes that is allowed makes a game that can be played, read, seen and resampled.

    Options called `num_ranks` and `hand_size` are the ranks of a suit and the cards that each seat is dealt.
    """
    kind, num_players = type(game), game.num_players
    combinations = list(combinations_of(kind, num_players))
    allowed = [sizes for sizes in combinations if refusal(kind, num_players, sizes) is None]
    for sizes in smallest_and_some(allowed, seed):
        made = kind(num_players, **sizes)
        if "num_ranks" in sizes:
            require(made.deck.num_ranks == sizes["num_ranks"], f"{made!r} has {made.deck.num_ranks} ranks")
        if "hand_size" in sizes:
            hands = [len(hand) for hand in made.to_dict(made.new_states(1, seed))["hands"]]
            require(hands == [sizes["hand_size"]] * num_players, f"{made!r} deals {hands} cards")
        for number, (states, _, _) in enumerate(play(made, num_games, seed)):
            _check_position(made, states[number % num_games], number)
        require((made.current_players(states) == -1).all(), f"{made!r} doesn't end")
        require(made.winners(states).any(axis=1).all(), f"{made!r} ends without a winner")


def _check_position(game: Game, state: Any, number: int) -> None:
    """What is seen of a position lasts when it is resampled, and both can be read again."""
    d = game.to_dict(state)
    held = [card for hand in d["hands"] for card in hand]
    require(len(held) == len(set(held)) <= len(game.deck), f"{game!r} has the hands {d['hands']}")
    require(game.to_dict(game.from_dict(d)) == d, f"{game!r} reads another position than {d}")
    bare = game.from_dict({key: d[key] for key in d if key not in ("history", "known_voids")})
    require(game.to_dict(bare)["hands"] == d["hands"], f"{game!r} without history reads other hands")
    states, seat = single(game, state), number % game.num_players
    seen = game.observations(states, seat)
    require(((seen == 0) | (seen == 1)).all(), f"{game!r} has other features than 0 and 1")
    drawn = game.resample(states, seat, seed=number)
    require_equal(game.observations(drawn, seat), seen, f"the observation of seat {seat} after resampling")
    world = game.to_dict(drawn)
    require(game.to_dict(game.from_dict(world)) == world, f"{game!r} reads another position than {world}")


CHECKS = (
    a_game_says_what_it_is,
    presets_stand_for_their_options,
    a_mini_game_is_small_and_still_a_game,
    sizes_that_clash_are_named,
    games_of_any_sizes_are_whole_games,
)
"""The clauses on the settings of a game's class."""
