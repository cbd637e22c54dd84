"""Gummi Trick as a `Game`: its settings and its texts."""

from collections.abc import Mapping
from typing import Any

from trick_envs.core import dispatch
from trick_envs.core.cards import Deck
from trick_envs.core.game import Game, States
from trick_envs.core.kernel import State
from trick_envs.core.layout import Layout
from trick_envs.core.options import Option
from trick_envs.core.texts import View
from trick_envs.games.gummi_trick import observation, positions, rendering, rules
from trick_envs.games.gummi_trick.positions import FACE_DOWN
from trick_envs.games.gummi_trick.rules import MAX_FACE_DOWN, MAX_HAND, MAX_RANKS, STATE, SUITS, Phase

POINTS = [4, 3, 3, 2, 2, 2, 1, 1, 1, 1]
FEWEST_RANKS = 2  # with a single one nobody could ever be beaten
MINI: dict[int, dict[str, Any]] = {
    2: {"num_ranks": 5, "hand_size": 4, "num_face_down": 2},
    3: {"num_ranks": 5, "hand_size": 3, "num_face_down": 2},
    4: {"num_ranks": 4, "hand_size": 3, "num_face_down": 1},
    5: {"num_ranks": 4, "hand_size": 3, "num_face_down": 1},
}

dispatch.register(STATE, rules.new_game, rules.legal_actions, rules.step, rules.resample, observation.observe)


class GummiTrick(Game):
    """Every colour of a trick has its winner, and low cards that win score most. For 2 to 5 players."""

    name = "gummi_trick"
    title = "Gummi Trick"
    state_dtype = STATE
    player_counts = (2, 3, 4, 5)
    default_players = 4
    score_scale = 10
    phases = tuple(phase.name.lower() for phase in Phase)

    @classmethod
    def options_for(cls, num_players: int) -> tuple[Option, ...]:
        """The game's own settings."""
        return (
            Option(
                "num_ranks",
                MAX_RANKS,
                "ranks of each colour, from 1",
                minimum=FEWEST_RANKS,
                maximum=MAX_RANKS,
            ),
            Option("hand_size", MAX_HAND, "cards that each seat is dealt", minimum=1, maximum=MAX_HAND),
            Option(
                "num_face_down",
                MAX_FACE_DOWN,
                "cards that each seat gets face down, beside its hand",
                minimum=1,
                maximum=MAX_FACE_DOWN,
            ),
            Option(
                "points",
                POINTS,
                "what the cards from 1 on score face up, one number for each rank",
                minimum=1,
                maximum=max(POINTS),
                length=MAX_RANKS,
                shortest=FEWEST_RANKS,
            ),
        )

    @classmethod
    def presets_for(cls, num_players: int) -> dict[str, dict[str, Any]]:
        """Named sets of options."""
        return {"mini": dict(MINI[num_players])}

    @classmethod
    def _implied_by(cls, num_players: int, options: Mapping[str, Any]) -> dict[str, Any]:
        """The cards of a smaller deck score what they do in the whole one."""
        num_ranks = options.get("num_ranks")
        return {"points": POINTS[:num_ranks]} if isinstance(num_ranks, int) else {}

    def _set_sizes(self, s: State) -> None:
        n, num_ranks, num_points = self.num_players, int(s.num_ranks), len(self.options["points"])
        s.num_suits = n + 1
        self.deck = Deck(SUITS[: s.num_suits], 1, num_ranks)
        s.num_cards = len(self.deck)
        s.max_tricks = s.hand_size + s.num_face_down
        if n * s.max_tricks > s.num_cards:
            raise ValueError(
                f"hand_size is {s.hand_size}, num_face_down is {s.num_face_down}, num_ranks is {num_ranks}; "
                f"allowed for {n} players are at most {s.num_cards // n} cards each, of {s.num_cards}"
            )
        if num_points != num_ranks:
            raise ValueError(
                f"points has {num_points} numbers and num_ranks is {num_ranks}; allowed is one for each rank"
            )
        # A card takes at most one card of every other seat, and those are lower ones of its suit.
        most_by_rank = [int(s.points[rank]) + min(n - 1, rank) for rank in range(num_ranks)]
        s.max_score = sum(sorted(most_by_rank * int(s.num_suits))[-int(s.max_tricks) :])
        self.max_game_length = n * int(s.max_tricks)
        self.score_bounds = (0, int(s.max_score))

    def _action_texts(self) -> list[str]:
        return [*self.deck.all_texts(), FACE_DOWN]

    def _action_layout(self, s: State) -> Layout:
        card = {"suit": int(s.num_suits), "rank": self.deck.num_ranks}
        return Layout(
            [
                ("card", card, "play the card from the hand: `R1`, …"),
                ("facedown", {}, "turn up and play the next of the own face-down cards: `facedown`"),
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
