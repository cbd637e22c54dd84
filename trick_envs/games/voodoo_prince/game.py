"""Voodoo Prince as a `Game`: its settings and its texts."""

from collections.abc import Mapping
from typing import Any

from trick_envs.core import dispatch
from trick_envs.core.cards import Deck
from trick_envs.core.game import Game, States
from trick_envs.core.kernel import State
from trick_envs.core.layout import Layout
from trick_envs.core.options import MAX_ROUNDS, Option
from trick_envs.core.texts import View
from trick_envs.games.voodoo_prince import observation, positions, rendering, rules
from trick_envs.games.voodoo_prince.rules import STATE, SUITS, Phase, TwoPlayerScoring

NUM_RANKS = {2: 11, 3: 11, 4: 13, 5: 16}
HAND_SIZE = {2: 13, 3: 13, 4: 13, 5: 14}
GOAL = {2: 7, 3: 4, 4: 3, 5: 3}
FEWEST_RANKS = 2  # the 0 and the top card
MINI: dict[int, dict[str, Any]] = {
    2: {"num_rounds": 2, "num_ranks": 6, "hand_size": 4, "goal": 2},
    3: {"num_rounds": 2, "num_ranks": 6, "hand_size": 4, "goal": 1},
    4: {"num_rounds": 2, "num_ranks": 6, "hand_size": 3, "goal": 1},
    5: {"num_rounds": 1, "num_ranks": 6, "hand_size": 4, "goal": 1},
}

dispatch.register(STATE, rules.new_game, rules.legal_actions, rules.step, rules.resample, observation.observe)


def most_tricks(num_players: int, goal: int) -> int:
    """How long a round can be: every seat but one takes its goal, and that one just misses it."""
    return num_players * goal - 1


def largest_goal(num_players: int, hand_size: int) -> int:
    """The largest goal with which cards never run out."""
    return (hand_size + 1) // num_players


class VoodooPrince(Game):
    """Take just enough tricks to leave the round: late, but not last. For 2 to 5 players."""

    name = "voodoo_prince"
    title = "Voodoo Prince"
    state_dtype = STATE
    player_counts = (2, 3, 4, 5)
    default_players = 4
    score_scale = 10
    phases = tuple(phase.name.lower() for phase in Phase)

    @classmethod
    def options_for(cls, num_players: int) -> tuple[Option, ...]:
        """The game's own settings."""
        return (
            Option("num_rounds", 5, "rounds of a game", minimum=1, maximum=MAX_ROUNDS),
            Option(
                "num_ranks",
                NUM_RANKS[num_players],
                "ranks of each suit, from 0",
                minimum=FEWEST_RANKS,
                maximum=rules.MAX_RANKS,
            ),
            Option(
                "hand_size",
                HAND_SIZE[num_players],
                "cards that each seat is dealt",
                minimum=num_players - 1,
                maximum=rules.MAX_HAND,
            ),
            Option(
                "goal",
                GOAL[num_players],
                "tricks with which a seat leaves the round",
                minimum=1,
                maximum=largest_goal(num_players, rules.MAX_HAND),
            ),
            Option(
                "two_player_scoring",
                "shortfall",
                "what the seat that is left scores in a game of two: what it fell short of the goal, or, "
                "literally, its tricks, as in larger games",
                choices=tuple(scoring.name.lower() for scoring in TwoPlayerScoring),
            ),
        )

    @classmethod
    def presets_for(cls, num_players: int) -> dict[str, dict[str, Any]]:
        """Named sets of options."""
        return {"mini": dict(MINI[num_players])}

    def _set_sizes(self, s: State) -> None:
        n, hand_size, goal = self.num_players, int(s.hand_size), int(s.goal)
        self.deck = Deck(SUITS, 0, int(s.num_ranks))
        if n * hand_size > len(self.deck):
            raise ValueError(
                f"hand_size is {hand_size} and num_ranks is {s.num_ranks}; allowed for {n} players are hands "
                f"of at most {len(self.deck) // n} of these {len(self.deck)} cards"
            )
        if goal > largest_goal(n, hand_size):
            raise ValueError(
                f"goal is {goal} and hand_size is {hand_size}; allowed for {n} players are goals of at most "
                f"{largest_goal(n, hand_size)} with such hands, or cards could run out"
            )
        s.max_tricks = most_tricks(n, goal)
        s.max_trick_value = 2 if self.deck.highest_rank >= min(rules.DOUBLE_RANKS) else 1
        s.max_taken = goal - 1 + s.max_trick_value
        # Most points go to the last seat that leaves, when those before it took as many tricks as can be.
        # In a game of two the seat that is left can fall short by the whole goal.
        s.max_round_points = goal if n == 2 else (n - 2) * s.max_taken + goal - 1
        # Longest if all stay until they lack one trick, and then leave one by one.
        plays = n * n * (goal - 1) + n * (n + 1) // 2 - 1
        self.max_game_length = int(s.num_rounds) * (plays + 1) - 1
        self.score_bounds = (0, int(s.num_rounds * s.max_round_points))

    def _action_texts(self) -> list[str]:
        return self.deck.all_texts() + [f"trump {suit}" for suit in SUITS]

    def _action_layout(self, s: State) -> Layout:
        suit = {"suit": rules.NUM_SUITS}
        return Layout(
            [
                ("card", {**suit, "rank": self.deck.num_ranks}, "play the card: `B0`, …"),
                ("trump", suit, "name the trump suit: `trump B`, …"),
            ]
        )

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
