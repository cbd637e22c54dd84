"""TIGHEE as a `Game`: its settings and its texts."""

from collections.abc import Mapping
from typing import Any

from trick_envs.core import dispatch
from trick_envs.core.cards import Deck
from trick_envs.core.game import Game, States
from trick_envs.core.kernel import State
from trick_envs.core.layout import Layout
from trick_envs.core.options import MAX_ROUNDS, Option
from trick_envs.core.texts import View
from trick_envs.games.tighee import observation, positions, rendering, rules
from trick_envs.games.tighee.rules import (
    EXACT_TRICKS,
    LOWEST_RANK,
    MAX_RANKS,
    MAX_TRICKS,
    NUM_SUITS,
    STATE,
    SUITS,
    Mode,
    Phase,
    TiedForLeast,
)

HAND_SIZE = {3: 20, 4: 15}
PICK_SIZE = {3: 5, 4: 3}
SHORT = {"num_ranks": 8, "hand_size": 13, "pick_size": 3}
FEWEST_TRICKS = min(EXACT_TRICKS)  # with fewer there would be nothing to win
FEWEST_RANKS = 4  # with fewer there aren't enough cards for so many tricks
MINI: dict[int, dict[str, Any]] = {
    3: {"num_rounds": 1, "num_ranks": 4, "hand_size": 5, "pick_size": 1},
    4: {"num_rounds": 1, "num_ranks": 4, "hand_size": 5, "pick_size": 1},
}

dispatch.register(STATE, rules.new_game, rules.legal_actions, rules.step, rules.resample, observation.observe)


class Tighee(Game):
    """Take exactly 4, 8 or 12 tricks, or none; every other number costs. For 3 or 4 players."""

    name = "tighee"
    title = "TIGHEE"
    state_dtype = STATE
    player_counts = (3, 4)
    default_players = 4
    score_scale = 50
    phases = tuple(phase.name.lower() for phase in Phase)

    @classmethod
    def options_for(cls, num_players: int) -> tuple[Option, ...]:
        """The game's own settings; the short game is for three players."""
        modes = tuple(mode.name.lower() for mode in Mode)
        return (
            Option(
                "mode",
                "normal",
                "with all cards, or, for three players only, with ranks 1 to 8, hands of 13 and 3 laid down",
                choices=modes if num_players == 3 else modes[:1],
            ),
            Option("num_rounds", num_players, "rounds of a game", minimum=1, maximum=MAX_ROUNDS),
            Option(
                "num_ranks",
                MAX_RANKS,
                "ranks of each colour, from 1",
                minimum=FEWEST_RANKS,
                maximum=MAX_RANKS,
            ),
            Option(
                "hand_size",
                HAND_SIZE[num_players],
                "cards that each seat is dealt",
                minimum=FEWEST_TRICKS + 1,
                maximum=HAND_SIZE[num_players],
            ),
            Option(
                "pick_size",
                PICK_SIZE[num_players],
                "of these, cards that it lays into the deck",
                minimum=1,
                maximum=PICK_SIZE[num_players],
            ),
            Option(
                "black_always_playable",
                True,
                "black cards can be played instead of the lead colour even when the forest is black and "
                "another colour is led, though they are of another colour then; otherwise only a seat "
                "without the lead colour can play them",
                choices=(False, True),
            ),
            Option(
                "tied_for_least",
                "clockwise",
                "who leads the next round when several seats scored least: the first of them clockwise from "
                "who led this round, itself included, or one drawn at random",
                choices=tuple(rule.name.lower() for rule in TiedForLeast),
            ),
        )

    @classmethod
    def presets_for(cls, num_players: int) -> dict[str, dict[str, Any]]:
        """Named sets of options."""
        return {"mini": dict(MINI[num_players])}

    @classmethod
    def _implied_by(cls, num_players: int, options: Mapping[str, Any]) -> dict[str, Any]:
        """The sizes of the short game."""
        return dict(SHORT) if options.get("mode") == Mode.SHORT.name.lower() else {}

    def _set_sizes(self, s: State) -> None:
        n = self.num_players
        self.deck = Deck(SUITS, LOWEST_RANK, int(s.num_ranks))
        s.max_tricks = s.hand_size - s.pick_size
        s.num_spares = s.max_tricks - n * s.pick_size
        self._check_sizes(s)
        # As `rules.points_for`, which would have to be compiled for this.
        exact = dict(zip(rules.EXACT_TRICKS, rules.EXACT_POINTS, strict=True))
        points = [exact.get(t, rules.POINTS_PER_TRICK * t) for t in range(s.max_tricks + 1)]
        s.least_round_points = min(points)
        s.most_round_points = max(points)
        num_rounds = int(s.num_rounds)
        self.max_game_length = num_rounds * n * int(s.hand_size)
        self.score_bounds = (min(points) * num_rounds, max(points) * num_rounds)
        score_range = (max(points) - min(points)) * num_rounds
        s.num_score_tens = score_range // observation.SCORE_STEP

    def _check_sizes(self, s: State) -> None:
        """That there are enough tricks, and cards for all hands and the deck."""
        n, num_tricks, num_cards = self.num_players, int(s.max_tricks), len(self.deck)
        given = f"hand_size is {s.hand_size}, pick_size is {s.pick_size}"
        if not FEWEST_TRICKS <= num_tricks <= MAX_TRICKS:
            raise ValueError(
                f"{given}; allowed are hands of {FEWEST_TRICKS} to {MAX_TRICKS} cards after laying down"
            )
        if s.num_spares < 0:
            raise ValueError(
                f"{given}; allowed for {n} players is a pick_size of at most {num_tricks // n}, "
                f"for a deck of {num_tricks}"
            )
        if (n + 1) * num_tricks > num_cards:
            raise ValueError(
                f"{given} and num_ranks is {s.num_ranks}; allowed for {n} players are hands of at most "
                f"{num_cards // (n + 1)} of these {num_cards} cards after laying down, with a deck of as many"
            )

    def _action_texts(self) -> list[str]:
        return self.deck.all_texts()

    def _action_layout(self, s: State) -> Layout:
        card = {"suit": NUM_SUITS, "rank": self.deck.num_ranks}
        return Layout([("card", card, "lay the card into the deck, or play it: `B1`, …")])

    def _observation_layout(self, s: State) -> Layout:
        return observation.layout(s)

    def _write_dict(self, s: State, d: dict[str, Any]) -> None:
        positions.write_dict(self, s, d)

    def _read_dict(self, states: States, d: Mapping[str, Any]) -> None:
        positions.read_dict(self, states, d)

    def _seen(self, d: dict[str, Any], seat: int) -> dict[str, Any]:
        return rendering.seen(d, seat)

    def _information(self, view: View) -> str:
        return rendering.information(view)

    def _render(self, view: View) -> str:
        return rendering.render(self, view)
