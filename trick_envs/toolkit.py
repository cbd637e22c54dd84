"""What a game is written with: all that its rules, observation, positions and class use.

- *Records*: `state_dtype` makes the type of a game in progress from `Field`s; `hand_fields`, `void_field` and
  `trick_fields` are those of hands, voids and tricks. `left_of`, `seats_away` go round the table.
- *Kernels*: `kernel` and `large_kernel` compile rules; `register` makes the five that every game has known.
- *Cards and chance*: `suit_of`, `add_to_hand`, `shuffle`, `random_below`, …, and `deal_unseen`, which draws
  hidden cards uniformly.
- *Observations*: `Layout` names features, `set_feature`, `write_one_hot` and `write_count` write them.
- *Positions*: the module `validation` reads plain Python values, with one sentence for each error;
  `CardReader`, `replay`, `plays_of`, … read and write cards and tricks; the module `texts` has what pictures
  of the table are made of.
- *The game as a whole*: `Game`, `Option`, `Deck`.

The guide "Adding a game" uses most of it.
"""

from trick_envs.core import texts, validation
from trick_envs.core.cards import CARD, MAX_SUITS, NO_CARD, Deck, rank_of, suit_of
from trick_envs.core.dealing import deal_unseen
from trick_envs.core.dispatch import register, register_kernel
from trick_envs.core.game import Game, States
from trick_envs.core.hands import (
    add_to_hand,
    cards_of_suit,
    clear_hand,
    clear_voids,
    give_cards,
    hand_fields,
    list_unseen,
    mark_hand,
    remove_from_hand,
    take_other_hands,
    void_field,
    whole_hand,
)
from trick_envs.core.kernel import COMPILED, State, kernel, large_kernel
from trick_envs.core.layout import (
    KINDS,
    Group,
    Layout,
    set_feature,
    write_count,
    write_leaders,
    write_one_hot,
    write_played,
    write_seat,
    write_trick,
    write_voids,
)
from trick_envs.core.options import Option
from trick_envs.core.positions import (
    CardReader,
    known_tricks,
    plays_of,
    replay,
    seat_or_none,
    seats_in_order,
    voids,
)
from trick_envs.core.random import next_random, random_below, random_unit, shuffle
from trick_envs.core.state import (
    MAX_ACTIONS,
    MAX_SEATS,
    NOBODY,
    Field,
    clear_scores,
    fields_of,
    highest_score_wins,
    left_of,
    seats_away,
    state_dtype,
)
from trick_envs.core.tricks import (
    clear_tricks,
    forget_trick,
    lead_trick,
    led_card,
    mark_played,
    trick_fields,
)

__all__ = [
    "CARD",
    "COMPILED",
    "KINDS",
    "MAX_ACTIONS",
    "MAX_SEATS",
    "MAX_SUITS",
    "NOBODY",
    "NO_CARD",
    "CardReader",
    "Deck",
    "Field",
    "Game",
    "Group",
    "Layout",
    "Option",
    "State",
    "States",
    "add_to_hand",
    "cards_of_suit",
    "clear_hand",
    "clear_scores",
    "clear_tricks",
    "clear_voids",
    "deal_unseen",
    "fields_of",
    "forget_trick",
    "give_cards",
    "hand_fields",
    "highest_score_wins",
    "kernel",
    "known_tricks",
    "large_kernel",
    "lead_trick",
    "led_card",
    "left_of",
    "list_unseen",
    "mark_hand",
    "mark_played",
    "next_random",
    "plays_of",
    "random_below",
    "random_unit",
    "rank_of",
    "register",
    "register_kernel",
    "remove_from_hand",
    "replay",
    "seat_or_none",
    "seats_away",
    "seats_in_order",
    "set_feature",
    "shuffle",
    "state_dtype",
    "suit_of",
    "take_other_hands",
    "texts",
    "trick_fields",
    "validation",
    "void_field",
    "voids",
    "whole_hand",
    "write_count",
    "write_leaders",
    "write_one_hot",
    "write_played",
    "write_seat",
    "write_trick",
    "write_voids",
]
