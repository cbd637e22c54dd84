"""Records: what is declared of each field, and that it is so."""

import numpy as np
import pytest

from tests.helpers import play
from trick_envs import GAMES, game_class, make_game
from trick_envs.core.game import Game
from trick_envs.core.kernel import COMPILED
from trick_envs.core.state import COMMON_FIELDS, EVERYBODY, MAX_SEATS, Field, fields_of, state_dtype

NUM_GAMES = 10 if COMPILED else 2
every_name = pytest.mark.parametrize("name", GAMES)


@every_name
def test_every_field_of_a_record_is_declared_and_nothing_else(name: str) -> None:
    dtype = game_class(name).state_dtype
    fields = fields_of(dtype)
    assert fields[: len(COMMON_FIELDS)] == COMMON_FIELDS
    named = [field for field in dtype.names or () if not field.startswith("_padding")]
    assert [*(field.name for field in fields), name] == named
    for field in fields:
        assert (dtype[field.name].base, dtype[field.name].shape) == (np.dtype(field.dtype), field.shape)
        assert "known to" not in field.meaning
        assert field.axes.get("seat", MAX_SEATS) == MAX_SEATS


def test_fields_of_the_same_name_have_the_same_type_in_all_games() -> None:
    types: dict[str, set[type[np.generic]]] = {}
    for name in GAMES:
        for field in fields_of(game_class(name).state_dtype):
            types.setdefault(field.name, set()).add(field.dtype)
    assert {name: found for name, found in types.items() if len(found) > 1} == {}


@every_name
def test_only_what_not_everybody_may_know_is_drawn_anew(name: str) -> None:
    """Whoever may know a field, as its declaration says, finds it unchanged in every world."""
    game = make_game(name, game_class(name).player_counts[0])  # with the most cards left over
    fields = fields_of(game.state_dtype)
    drawn_anew = set()
    for states, _, _ in play(game, NUM_GAMES, seed=1):
        for seat in range(game.num_players):
            worlds = game.resample(states, seat, seed=1)
            known = {"its seat": seat, "the left neighbour": (seat - 1) % game.num_players}
            for field in fields:
                differs = worlds[field.name] != states[field.name]
                if differs.any():
                    drawn_anew.add(field.name)
                for who, entry in known.items():
                    if field.known_to.startswith(who):
                        assert not differs.take(entry, axis=1 + list(field.axes).index("seat")).any()
    assert drawn_anew == {field.name for field in fields if field.known_to != EVERYBODY}


@pytest.mark.parametrize(
    ("field", "message"),
    [
        (Field("round", np.int32, "from 0"), "'round' of a_game has the name of an attribute of numpy's"),
        (Field("all", np.int32, "from 0"), "'all' of a_game has the name of an attribute of numpy's"),
        (Field("left", np.int32, ""), "'left' of a_game has no meaning"),
        (Field("phase", np.int8, "there already"), "field 'phase' occurs more than once"),
    ],
)
def test_a_field_that_can_not_be_is_refused(field: Field, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        state_dtype("a_game", [field])


def test_the_fields_of_a_type_that_is_no_record_of_a_game_are_refused() -> None:
    with pytest.raises(ValueError, match="unknown record type"):
        fields_of(np.dtype(np.int32))


def other_declaration(trump: Field) -> Game:
    """Voodoo Prince with another declaration of the field `trump`."""
    kind = game_class("voodoo_prince")
    fields = fields_of(kind.state_dtype)[len(COMMON_FIELDS) :]
    dtype = state_dtype(kind.name, [trump if field.name == "trump" else field for field in fields])
    other: Game = type("Other", (kind,), {"state_dtype": dtype})()
    return other


def test_saved_states_are_read_whatever_their_fields_are_said_to_mean() -> None:
    game = make_game("voodoo_prince")
    states = game.new_states(3, seed=1)
    other = other_declaration(Field("trump", np.int32, "said otherwise", known_to="nobody"))
    assert other.deserialize(game.serialize(states)).tobytes() == states.tobytes()


@pytest.mark.parametrize(
    "trump",
    [
        Field("trump", np.int64, "the suit"),
        Field("trumps", np.int32, "the suit"),
        Field("trump", np.int32, "the suit", {"seat": MAX_SEATS}),
    ],
    ids=["type", "name", "axes"],
)
def test_states_that_were_saved_with_other_fields_are_refused(trump: Field) -> None:
    game = make_game("voodoo_prince")
    with pytest.raises(ValueError, match="saved by another version of trick_envs"):
        other_declaration(trump).deserialize(game.serialize(game.new_states(3, seed=1)))
