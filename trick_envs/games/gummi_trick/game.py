"""Gummi Trick as a `Game`: its settings and its texts."""

from collections.abc import Mapping
from typing import Any

from trick_envs.core import dispatch
from trick_envs.core.cards import Deck
from trick_envs.core.game import Game, States
from trick_envs.core.kernel import State
from trick_envs.core.layout import Layout
from trick_envs.core.options import Option
from trick_envs.games.gummi_trick import observation, positions, rendering, rules
from trick_envs.games.gummi_trick.rules import NUM_RANKS, NUM_TRICKS, STATE, SUITS, Phase

FACE_DOWN = "facedown"

dispatch.register(STATE, rules.new_game, rules.legal_actions, rules.step, rules.redraw, observation.observe)


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
                "points",
                [4, 3, 3, 2, 2, 2, 1, 1, 1, 1],
                "what the cards 1 to 10 score face up",
                minimum=1,
                maximum=4,
                length=NUM_RANKS,
            ),
        )

    def _set_sizes(self, s: State) -> None:
        n = self.num_players
        s.num_suits = n + 1
        self.deck = Deck(SUITS[: s.num_suits], 1, NUM_RANKS)
        s.num_cards = len(self.deck)
        # A card takes at most one card of every other seat, and those are lower ones of its suit.
        most_by_rank = [int(s.points[rank]) + min(n - 1, rank) for rank in range(NUM_RANKS)]
        s.max_score = sum(sorted(most_by_rank * int(s.num_suits))[-NUM_TRICKS:])

    def _action_texts(self) -> list[str]:
        return [*self.deck.all_texts(), FACE_DOWN]

    def _action_layout(self, s: State) -> Layout:
        card = {"suit": int(s.num_suits), "rank": NUM_RANKS}
        return Layout(
            [
                ("card", card, "play the card from the hand: `R1`, …"),
                ("facedown", {}, "turn up and play the next of the own face-down cards: `facedown`"),
            ]
        )

    def _observation_layout(self, s: State) -> Layout:
        return observation.layout(s)

    def _write_dict(self, s: State, d: dict[str, Any]) -> None:
        positions.write_dict(s, self.deck, d)

    def _read_dict(self, states: States, d: Mapping[str, Any]) -> None:
        positions.read_dict(self, states, d)

    def _information(self, s: State, seat: int) -> str:
        d = self.to_dict(s)
        plays = [
            " ".join(f"{who}:{card}{'*' if source == FACE_DOWN else ''}" for who, card, source in trick)
            for trick in (*d["history"], d["trick"])
        ]
        lines = [
            f"seat {seat}, {d['phase']}, leader {d['leader']}, scores {d['scores']}",
            f"hand {' '.join(d['hands'][seat])}, sizes {[len(hand) for hand in d['hands']]}",
            f"face down {[len(cards) for cards in d['face_down']]}, taken {d['taken']}",
            f"face up {', '.join(' '.join(cards) or '-' for cards in d['face_up'])}",
            f"voids {' '.join(''.join(suits) or '-' for suits in d['known_voids'])}",
            f"played {', '.join(plays)}",
        ]
        return "\n".join(lines)

    def _render(self, s: State, seat: int | None) -> str:
        return rendering.render(self.title, self.to_dict(s), seat, NUM_TRICKS)
