"""Take That Toy! as a `Game`: its settings and its texts."""

from collections.abc import Mapping
from typing import Any

from trick_envs.core import dispatch
from trick_envs.core.cards import Deck
from trick_envs.core.game import Game, States
from trick_envs.core.kernel import State
from trick_envs.core.layout import Layout
from trick_envs.core.options import MAX_ROUNDS, Option
from trick_envs.core.texts import View
from trick_envs.games.take_that_toy import observation, positions, rendering, rules
from trick_envs.games.take_that_toy.rules import (
    MAX_RANKS,
    MOST_OF_SUIT,
    STATE,
    SUITS,
    Phase,
    SeveralBursts,
    TurnedOne,
    largest_hand,
)

HAND_SIZE = {3: 10, 4: 8, 5: 6}
FEWEST_RANKS = MOST_OF_SUIT + 1  # so that a suit can burst
MINI: dict[int, dict[str, Any]] = {
    3: {"num_ranks": 4, "hand_size": 4},
    4: {"num_ranks": 4, "hand_size": 4},
    5: {"num_ranks": 4, "hand_size": 3},
}

dispatch.register(STATE, rules.new_game, rules.legal_actions, rules.step, rules.resample, observation.observe)


class TakeThatToy(Game):
    """Collect all five suits, but never four cards of one. For 3 to 5 players."""

    name = "take_that_toy"
    title = "Take That Toy!"
    state_dtype = STATE
    player_counts = tuple(HAND_SIZE)
    default_players = 4
    score_scale = rules.NUM_SUITS
    phases = tuple(phase.name.lower() for phase in Phase)

    @classmethod
    def options_for(cls, num_players: int) -> tuple[Option, ...]:
        """The game's own settings."""
        return (
            Option(
                "num_ranks", MAX_RANKS, "ranks of each suit, from 1", minimum=FEWEST_RANKS, maximum=MAX_RANKS
            ),
            Option(
                "hand_size",
                HAND_SIZE[num_players],
                "cards that each seat is dealt",
                minimum=1,
                maximum=largest_hand(num_players, MAX_RANKS),
            ),
            Option(
                "turned_one_vs_eight",
                "one",
                "which is higher when a 1 that counts as 8 meets the real 8 of its suit: "
                "the 1, the 8, or whichever was played earlier or later",
                choices=tuple(rule.name.lower() for rule in TurnedOne),
            ),
            Option(
                "several_bursts",
                "together",
                "how several suits that burst at once are dealt: shuffled together, one card to each other "
                "seat in all, or separately, one card of each suit",
                choices=tuple(rule.name.lower() for rule in SeveralBursts),
            ),
            Option(
                "last_card_ends",
                False,
                "the round is over when a seat has played its last card, even if a burst of that trick deals "
                "it another one",
                choices=(False, True),
            ),
            Option(
                "num_rounds",
                1,
                "rounds of a game; if there are several, each is a point for whoever wins it",
                minimum=1,
                maximum=MAX_ROUNDS,
            ),
        )

    @classmethod
    def presets_for(cls, num_players: int) -> dict[str, dict[str, Any]]:
        """Named sets of options."""
        return {"mini": dict(MINI[num_players])}

    def _set_sizes(self, s: State) -> None:
        n, hand_size = self.num_players, int(s.hand_size)
        self.deck = Deck(SUITS, 1, int(s.num_ranks))
        s.num_cards = len(self.deck)
        most = largest_hand(n, int(s.num_ranks))
        if hand_size > most:
            raise ValueError(
                f"hand_size is {hand_size} and num_ranks is {s.num_ranks}; allowed for {n} players are hands "
                f"of at most {most} of these {s.num_cards} cards, so that one is left for trump"
            )
        s.max_tricks = rules.most_tricks(n, hand_size)
        is_together = s.several_bursts == SeveralBursts.TOGETHER
        s.max_hand = hand_size if is_together else rules.most_held(n, hand_size)
        num_rounds = int(s.num_rounds)
        self.max_game_length = num_rounds * n * int(s.max_tricks)
        self.score_bounds = (0, rules.NUM_SUITS if num_rounds == 1 else num_rounds)

    def _action_texts(self) -> list[str]:
        return self.deck.all_texts()

    def _action_layout(self, s: State) -> Layout:
        card = {"suit": rules.NUM_SUITS, "rank": self.deck.num_ranks}
        return Layout([("card", card, "play the card: `A1`, …")])

    def _observation_layout(self, s: State) -> Layout:
        return observation.layout(s)

    def _write_dict(self, s: State, d: dict[str, Any]) -> None:
        positions.write_dict(self, s, d)

    def _read_dict(self, states: States, d: Mapping[str, Any]) -> None:
        positions.read_dict(self, states, d)

    def _seen(self, d: dict[str, Any], seat: int) -> dict[str, Any]:
        return rendering.seen(d, seat)

    def _information(self, view: View) -> str:
        return rendering.information(self, view)

    def _render(self, view: View) -> str:
        return rendering.render(self, view)
