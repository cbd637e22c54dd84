"""What a game is written with: all that its rules, observation, positions and class use.

- *Records*: `state_dtype` makes the type of a game in progress; `left_of`, `seats_away` go round the table.
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
from trick_envs.core.hands import add_to_hand, clear_hand, remove_from_hand
from trick_envs.core.kernel import COMPILED, State, kernel, large_kernel
from trick_envs.core.layout import Group, Layout, set_feature, write_count, write_one_hot
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
from trick_envs.core.state import MAX_ACTIONS, MAX_SEATS, NOBODY, left_of, seats_away, state_dtype

__all__ = [
    "CARD",
    "COMPILED",
    "MAX_ACTIONS",
    "MAX_SEATS",
    "MAX_SUITS",
    "NOBODY",
    "NO_CARD",
    "CardReader",
    "Deck",
    "Game",
    "Group",
    "Layout",
    "Option",
    "State",
    "States",
    "add_to_hand",
    "clear_hand",
    "deal_unseen",
    "kernel",
    "known_tricks",
    "large_kernel",
    "left_of",
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
    "texts",
    "validation",
    "voids",
    "write_count",
    "write_one_hot",
]
