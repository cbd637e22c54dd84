"""TIGHEE as a `Game`: its settings and its texts."""

from collections.abc import Mapping
from typing import Any

from trick_envs.core import dispatch
from trick_envs.core.cards import Deck
from trick_envs.core.game import Game, States
from trick_envs.core.kernel import State
from trick_envs.core.layout import Layout
from trick_envs.core.options import Option
from trick_envs.games.tighee import observation, positions, rendering, rules
from trick_envs.games.tighee.rules import LOWEST_RANK, MAX_RANKS, NUM_SUITS, STATE, SUITS, Mode, Phase

NUM_RANKS = {Mode.NORMAL: MAX_RANKS, Mode.SHORT: 8}
PICK_SIZE = {(3, Mode.NORMAL): 5, (3, Mode.SHORT): 3, (4, Mode.NORMAL): 3}

dispatch.register(STATE, rules.new_game, rules.legal_actions, rules.step, rules.redraw, observation.observe)


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
                "with all cards, or, for three players only, with ranks 1 to 8",
                choices=modes if num_players == 3 else modes[:1],
            ),
            Option("num_rounds", num_players, "rounds of a game", minimum=1),
        )

    def _set_sizes(self, s: State) -> None:
        n, mode = self.num_players, Mode(int(s.mode))
        s.num_ranks = NUM_RANKS[mode]
        s.deal_size = NUM_SUITS * s.num_ranks // n
        s.pick_size = PICK_SIZE[n, mode]
        s.max_tricks = s.deal_size - s.pick_size
        # As `rules.points_for`, which would have to be compiled for this.
        exact = dict(zip(rules.EXACT_TRICKS, rules.EXACT_POINTS, strict=True))
        points = [exact.get(t, rules.POINTS_PER_TRICK * t) for t in range(s.max_tricks + 1)]
        s.least_round_points = min(points)
        s.most_round_points = max(points)
        score_range = (max(points) - min(points)) * int(s.num_rounds)
        s.num_score_tens = score_range // observation.SCORE_STEP
        self.deck = Deck(SUITS, LOWEST_RANK, int(s.num_ranks))

    def _action_texts(self) -> list[str]:
        return self.deck.all_texts()

    def _action_layout(self, s: State) -> Layout:
        card = {"suit": NUM_SUITS, "rank": self.deck.num_ranks}
        return Layout([("card", card, "lay the card into the deck, or play it: `B1`, …")])

    def _observation_layout(self, s: State) -> Layout:
        return observation.layout(s)

    def _write_dict(self, s: State, d: dict[str, Any]) -> None:
        positions.write_dict(s, self.deck, d)

    def _read_dict(self, states: States, d: Mapping[str, Any]) -> None:
        positions.read_dict(self, states, d)

    def _information(self, s: State, seat: int) -> str:
        d = self.to_dict(s)
        plays = [" ".join(f"{who}:{card}" for who, card in trick) for trick in (*d["history"], d["trick"])]
        lines = [
            f"seat {seat}, round {d['round']}, {d['phase']}, scores {d['scores']}",
            f"mover {d['mover']}, leader {d['leader']}, first {d['round_leader']}, tricks {d['tricks']}",
            f"hand {' '.join(d['hands'][seat])}, sizes {[len(hand) for hand in d['hands']]}",
            f"picks {' '.join(d['picks'][seat])}",
            f"voids {' '.join(''.join(suits) or '-' for suits in d['known_voids'])}",
            f"forests {' '.join(d['forest_history'])}, now {d['forest']}",
            f"played {', '.join(plays)}",
        ]
        return "\n".join(lines)

    def _render(self, s: State, seat: int | None) -> str:
        return rendering.render(self.title, self.to_dict(s), seat, int(s.num_rounds))
