"""Oracle Land as a `Game`: its settings and its texts."""

from collections.abc import Mapping
from typing import Any

from trick_envs.core import dispatch
from trick_envs.core.cards import Deck
from trick_envs.core.game import Game, States
from trick_envs.core.kernel import State
from trick_envs.core.layout import Layout
from trick_envs.core.options import Option
from trick_envs.core.texts import View
from trick_envs.games.oracle_land import observation, positions, rendering, rules
from trick_envs.games.oracle_land.rules import (
    BONUS_RANKS,
    MAX_HAND,
    MAX_RANKS,
    MIN_HAND,
    NUM_SUITS,
    RANKS,
    STATE,
    SUITS,
    TURNED,
    FourIntoEmptyRows,
    Phase,
    Way,
)

MAX_ROUNDS = 2  # for a third one, a seat may lack bid cards
HAZY_PLAYERS = 3
SIGNS = {
    Way.PLAIN: "",
    Way.SIDEWAYS: "'",
    Way.PLUS: "+",
    Way.MINUS: "-",
    Way.SIDEWAYS_PLUS: "'+",
    Way.SIDEWAYS_MINUS: "'-",
}

dispatch.register(STATE, rules.new_game, rules.legal_actions, rules.step, rules.resample, observation.observe)


def deck_of(*ranks: int) -> Deck:
    """A deck with these ranks, ascending, in each suit."""
    left_out = tuple(rank for rank in range(ranks[0], ranks[-1]) if rank not in ranks)
    return Deck(SUITS, ranks[0], len(ranks), left_out)


class OracleLand(Game):
    """Fulfil the oracle that your neighbour has given you: most of one suit, least of another."""

    name = "oracle_land"
    title = "Oracle Land"
    state_dtype = STATE
    player_counts = (3, 4)
    default_players = 4
    score_scale = NUM_SUITS
    phases = tuple(phase.name.lower() for phase in Phase)

    @classmethod
    def options_for(cls, num_players: int) -> tuple[Option, ...]:
        """The game's own settings; only with three players is there a hazy moon."""
        return (
            Option(
                "hazy_moon",
                False,
                "one of the cards that were left over is turned up after each trick, for all to see; "
                "for three players only",
                choices=(False, True) if num_players == HAZY_PLAYERS else (False,),
            ),
            Option(
                "last_four_loses",
                False,
                "when several 4s are played to a trick that has a suit, the last one loses even if a lower "
                "card didn't follow either; always: so does a single 4",
                choices=(False, True, "always"),
            ),
            Option(
                "four_into_empty_rows",
                "trick",
                "what a 4 covers if no uncovered card lay in the winner's rows before the trick: a card of "
                "the trick, or the secret card; once that is covered, 4s are set aside",
                choices=tuple(rule.name.lower() for rule in FourIntoEmptyRows),
            ),
            Option("num_ranks", MAX_RANKS, "ranks of each suit", minimum=min(RANKS), maximum=MAX_RANKS),
            Option(
                "hand_size", MAX_HAND, "cards that each seat is dealt", minimum=MIN_HAND, maximum=MAX_HAND
            ),
            Option("num_rounds", MAX_ROUNDS, "deals of a game", minimum=1, maximum=MAX_ROUNDS),
        )

    @classmethod
    def presets_for(cls, num_players: int) -> dict[str, dict[str, Any]]:
        """`mini`: one deal with one trick, small enough to look at everything that can happen."""
        return {"mini": {"num_ranks": min(RANKS), "hand_size": MIN_HAND, "num_rounds": 1}}

    def _set_sizes(self, s: State) -> None:
        num_ranks, hand_size = int(s.num_ranks), int(s.hand_size)
        ranks = RANKS[num_ranks]
        self.deck = deck_of(*ranks)
        self.pack = deck_of(*ranks, *BONUS_RANKS)
        s.num_cards = len(self.deck)
        s.max_tricks = hand_size - 1
        s.num_left_over = s.num_cards - self.num_players * hand_size
        if s.num_left_over < 0:
            raise ValueError(
                f"num_ranks is {num_ranks} and hand_size is {hand_size}; allowed with {self.num_players} "
                f"players are hands of at most {len(self.deck) // self.num_players} cards"
            )
        if s.hazy_moon and s.num_left_over == 0:
            raise ValueError(
                f"hazy_moon is True, num_ranks is {num_ranks} and hand_size is {hand_size}; "
                "allowed are hands that leave cards over"
            )
        s.plain_at = rules.LAY_SECRET + s.num_cards
        s.sideways_at = s.plain_at + s.num_cards
        s.plus_at = s.sideways_at + NUM_SUITS
        s.minus_at = s.plus_at + s.num_cards
        s.turned_at = s.minus_at + s.num_cards
        s.bonus_at = s.turned_at + NUM_SUITS * len(self._turned)
        s.cover_at = s.bonus_at + NUM_SUITS
        s.joker_at = s.cover_at + NUM_SUITS
        # A deal: two bids, the secret card and the plays; bonus cards, a cover for each 4, the joker. Later
        # ones: also a wish, and a third bid.
        n, num_rounds = self.num_players, int(s.num_rounds)
        deal = n * (3 + int(s.max_tricks)) + int(s.max_tricks) + NUM_SUITS + 1
        self.max_game_length = num_rounds * deal + (num_rounds - 1) * 2 * n
        # Each bid card scores once at most.
        self.score_bounds = (0, min(2 * num_rounds, NUM_SUITS))
        """The first and the last action that plays a card."""

    @property
    def _turned(self) -> list[tuple[int, Way]]:
        """The ranks in play that can lie sideways with the joker, and how."""
        return [(rank, way) for rank, way in TURNED if rank in self.deck.ranks]

    def _action_texts(self) -> list[str]:
        cards = self.deck.all_texts()
        sideways = [f"{suit}{rules.TURNABLE}{SIGNS[Way.SIDEWAYS]}" for suit in SUITS]
        return [
            *("wish yes", "wish no"),
            *(f"{verb} {suit}" for verb in ("most", "least", "also most", "also least") for suit in SUITS),
            *(f"secret {card}" for card in cards),
            *cards,
            *sideways,
            *(f"{card}{SIGNS[way]}" for way in (Way.PLUS, Way.MINUS) for card in cards),
            *(f"{suit}{rank}{SIGNS[way]}" for rank, way in self._turned for suit in SUITS),
            *(f"{verb} {suit}" for verb in ("bonus", "cover", "joker") for suit in SUITS),
        ]

    def _action_layout(self, s: State) -> Layout:
        suit, card = {"suit": NUM_SUITS}, {"suit": NUM_SUITS, "rank": self.deck.num_ranks}
        names = {5: "five", 6: "six", 7: "seven"}
        turned = [
            (
                f"{names[rank]}_sideways_{'plus' if way == Way.SIDEWAYS_PLUS else 'minus'}",
                suit,
                f"play the {rank} sideways with the joker as {'+1' if way == Way.SIDEWAYS_PLUS else '-1'}: "
                f"`S{rank}{SIGNS[way]}`, …",
            )
            for rank, way in self._turned
        ]
        return Layout(
            [
                ("wish", {"answer": 2}, "want the special bid or not: `wish yes`, `wish no`"),
                ("most", suit, "name the suit of which the neighbour will have most: `most S`, …"),
                ("least", suit, "name the suit of which it will have least: `least S`, …"),
                ("also_most", suit, "the special bid's third suit, for most: `also most S`, …"),
                ("also_least", suit, "the special bid's third suit, for least: `also least S`, …"),
                ("secret", card, "lay the card down as the secret card: `secret S2`, …"),
                ("play", card, "play the card: `S2`, …"),
                ("six_sideways", suit, "play the 6 sideways, as 0: `S6'`, …"),
                ("plus", card, "play the card with the joker as +1: `S2+`, …"),
                ("minus", card, "play the card with the joker as -1: `S2-`, …"),
                *turned,
                ("bonus", suit, "take the next bonus card of the suit: `bonus S`, …"),
                ("cover", suit, "cover a card of the suit by the 4: `cover S`, …"),
                ("joker", suit, "add the joker to the suit: `joker S`, …"),
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
