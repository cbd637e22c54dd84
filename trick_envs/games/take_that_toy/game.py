"""Take That Toy! as a `Game`: its settings and its texts."""

from collections.abc import Mapping
from typing import Any

from trick_envs.core import dispatch
from trick_envs.core.cards import Deck
from trick_envs.core.game import Game, States
from trick_envs.core.kernel import State
from trick_envs.core.layout import Layout
from trick_envs.core.options import Option
from trick_envs.games.take_that_toy import observation, positions, rendering, rules
from trick_envs.games.take_that_toy.rules import NUM_CARDS, NUM_RANKS, STATE, SUITS, Phase, TurnedOne

HAND_SIZE = {3: 10, 4: 8, 5: 6}

dispatch.register(STATE, rules.new_game, rules.legal_actions, rules.step, rules.redraw, observation.observe)


class TakeThatToy(Game):
    """Collect all five suits, but never four cards of one. For 3 to 5 players."""

    name = "take_that_toy"
    title = "Take That Toy!"
    state_dtype = STATE
    player_counts = tuple(HAND_SIZE)
    default_players = 4
    score_scale = rules.NUM_SUITS
    phases = tuple(phase.name.lower() for phase in Phase)
    deck = Deck(SUITS, 1, NUM_RANKS)

    @classmethod
    def options_for(cls, num_players: int) -> tuple[Option, ...]:
        """The game's own settings; the hand leaves at least one card over, for trump."""
        return (
            Option(
                "hand_size",
                HAND_SIZE[num_players],
                "cards that each seat is dealt",
                minimum=1,
                maximum=(NUM_CARDS - 1) // num_players,
            ),
            Option(
                "turned_one_vs_eight",
                "one",
                "which is higher when a 1 that counts as 8 meets the real 8 of its suit: "
                "the 1, the 8, or whichever was played earlier or later",
                choices=tuple(rule.name.lower() for rule in TurnedOne),
            ),
        )

    def _set_sizes(self, s: State) -> None:
        s.max_tricks = rules.most_tricks(self.num_players, int(s.hand_size))

    def _action_texts(self) -> list[str]:
        return self.deck.all_texts()

    def _action_layout(self, s: State) -> Layout:
        card = {"suit": rules.NUM_SUITS, "rank": NUM_RANKS}
        return Layout([("card", card, "play the card: `A1`, …")])

    def _observation_layout(self, s: State) -> Layout:
        return observation.layout(s)

    def _write_dict(self, s: State, d: dict[str, Any]) -> None:
        positions.write_dict(s, self.deck, d)

    def _read_dict(self, states: States, d: Mapping[str, Any]) -> None:
        positions.read_dict(self, states, d)

    def _information(self, s: State, seat: int) -> str:
        d = self.to_dict(s)
        plays = [" ".join(f"{who}:{card}" for who, card in trick) for trick in (*d["history"], d["trick"])]
        bursts = [
            f"{burst['seat']}: {' '.join(burst['cards'])} -> {burst['dealt'].get(str(seat), '-')}"
            for burst in d["bursts"]
        ]
        lines = [
            f"seat {seat}, {d['phase']}, scores {d['scores']}",
            f"trump card {d['trump_card']}, leader {d['leader']}",
            f"hand {' '.join(d['hands'][seat])}, sizes {[len(hand) for hand in d['hands']]}",
            f"display {', '.join(' '.join(cards) for cards in d['display'])}",
            f"bursts {', '.join(bursts)}",
            f"played {', '.join(plays)}",
        ]
        return "\n".join(lines)

    def _render(self, s: State, seat: int | None) -> str:
        return rendering.render(self.title, self.to_dict(s), seat)
