"""The rules of Oracle Land: the rule book's cases, and properties over random games."""

import itertools
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from scipy import stats

from tests.games import oracle_land_reference as reference
from tests.games.oracle_land_positions import (
    NAME,
    SEEDS,
    SUITS,
    THREE,
    after,
    dealt,
    first_trick,
    play_texts,
    position,
    variants,
)
from tests.helpers import play, reached_states
from trick_envs import make_game
from trick_envs.core.game import Game, States
from trick_envs.games.oracle_land import rules
from trick_envs.games.oracle_land.game import SIGNS

DATA = Path(__file__).parent / "data"

GAME = make_game(NAME, 4)
HAZY = make_game(NAME, 3, hazy_moon=True)
MINI = make_game(NAME, 3, preset="mini")
GAMES = {3: THREE, 4: GAME}
FOUR_LOSES = {n: make_game(NAME, n, last_four_loses=True) for n in (3, 4)}
FOUR_ALWAYS_LOSES = {n: make_game(NAME, n, last_four_loses="always") for n in (3, 4)}
INTO_SECRET = make_game(NAME, 3, four_into_empty_rows="secret")


def legal_texts(game: Game, states: States) -> list[str]:
    """The legal actions in a position."""
    return [game.action_texts[a] for a in np.flatnonzero(game.action_masks(states)[0])]


# --- the rule book's examples -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("plays", "winner", "loser"),
    [
        pytest.param("C4 H8 D2 C6'", 1, 3, id="1: a led 4 has no suit"),
        pytest.param("H2 S2 D2 C2", 0, 3, id="2: all 2s: the first wins, the last loses"),
        pytest.param("H5 H7 S2", 1, 2, id="2: a 2 follows any suit, as the lowest"),
        pytest.param("H5 D4 S4 H8", 3, 2, id="3: 4s don't follow; of equal ones the later loses"),
        pytest.param("H5 D4 S3 C4", 0, 2, id="3: the lowest that doesn't follow loses"),
        pytest.param("H8- H7 H3", 0, 2, id="4: a tie: the earlier wins"),
        pytest.param("H3+ C3 S8 D4", 2, 1, id="4: the joker makes a 4"),
        pytest.param("H4+ H3 H7", 2, 1, id="5: a 4 with the joker is a normal 5"),
        pytest.param("H5- C7 S3", 1, 2, id="5 less 1 is suitless, too"),
        pytest.param("H7 H6' D8", 0, 2, id="who follows doesn't lose when somebody doesn't"),
        pytest.param("H7 H6' H3", 0, 1, id="a 6 lies sideways as 0"),
        pytest.param("H5'+ H2 D8", 1, 2, id="the joker makes a 6, which lies as 0; a 2 beats it"),
        pytest.param("H8+ H7 H2", 0, 2, id="9 is the highest"),
        pytest.param("H7'- H6' H2 H3", 3, 1, id="both 0: the later loses"),
        pytest.param("C4 C4- H8".replace("C4-", "D3"), 2, 1, id="suitless: the highest number wins"),
    ],
)
@pytest.mark.parametrize("leader", [0, 2])
def test_the_winner_and_the_loser_of_a_trick(plays: str, winner: int, loser: int, leader: int) -> None:
    """Examples 1 to 5 and more like them; places count from the leader."""
    texts = plays.split()
    n = len(texts)
    d = after(GAMES[n], first_trick(plays, leader), *texts)
    seats = [(leader + place) % n for place in (winner, loser)]
    assert [d["last_trick"]["winner"], d["last_trick"]["loser"]] == seats
    assert d["last_trick"]["plays"] == [[(leader + i) % n, text] for i, text in enumerate(texts)]
    assert (d["phase"], d["mover"]) == ("bonus", seats[1])
    assert d["leader"] == d["joker"] == seats[0]
    assert d["trick"] == d["to_cover"] == []


@pytest.mark.parametrize(
    ("plays", "loser"),
    [
        pytest.param("H5 D4 S3 C4", 3, id="3: the last of two 4s loses, though the 3 is lower"),
        pytest.param("H5 D4 S4 H8", 2, id="3: as without the option"),
        pytest.param("H5 D4 S3 C8", 2, id="a single 4 doesn't"),
        pytest.param("H4+ D4 S3 C8", 2, id="a led 4 with the joker is no number 4"),
        pytest.param("H4 D4 S3 C8", 2, id="not in a suitless trick"),
    ],
)
def test_with_the_option_the_last_of_several_fours_loses(plays: str, loser: int) -> None:
    assert after(FOUR_LOSES[4], first_trick(plays), *plays.split())["last_trick"]["loser"] == loser


@pytest.mark.parametrize(
    ("plays", "loser"),
    [
        pytest.param("H5 D4 S3 C8", 1, id="a single 4 loses, though the 3 is lower"),
        pytest.param("H5 D4 S3 C4", 3, id="the last of two 4s"),
        pytest.param("H5 D4 S4 H8", 2, id="the last of two 4s, no other card being off"),
        pytest.param("H4+ D4 S3 C8", 1, id="a led 4 with the joker is no number 4, the other one is"),
        pytest.param("H4 D4 S3 C8", 2, id="not in a suitless trick"),
        pytest.param("H5- D4 S3 C8", 2, id="not in a trick that the joker makes suitless"),
        pytest.param("H5 H8 S3 C8", 2, id="without a 4 the lowest that doesn't follow"),
        pytest.param("H5 D4 S3", 1, id="with three players, too"),
    ],
)
def test_with_the_option_a_single_four_loses(plays: str, loser: int) -> None:
    texts = plays.split()
    game = FOUR_ALWAYS_LOSES[len(texts)]
    d = after(game, first_trick(plays), *texts)
    assert d["last_trick"]["loser"] == d["mover"] == loser
    assert game.to_dict(game.from_dict(d)) == d
    if reference.winner_and_loser(texts, False)[1] != loser:
        with pytest.raises(ValueError, match=f"the loser of last_trick is {loser}; by its plays it is"):
            GAMES[len(texts)].from_dict(d)


def test_the_option_of_the_last_four_is_false_or_true_or_always() -> None:
    for value in (0, 1, "True", "several", None):
        with pytest.raises(ValueError, match="allowed are False, True, 'always'"):
            make_game(NAME, last_four_loses=value)
    coded = [game.new_states(1)["last_four_loses"][0] for game in (GAME, FOUR_LOSES[4], FOUR_ALWAYS_LOSES[4])]
    assert coded == [0, 1, 2]


@pytest.mark.parametrize(
    ("play", "suit", "number"),
    [
        *(("H5-", None, 4), ("H5'+", "H", 0), ("C2-", "C", 1), ("D6'-", "D", 0), ("H6'+", "H", 1)),
        *(
            ("H7'-", "H", 0),
            ("H8+", "H", 9),
            ("H6", "H", 6),
            ("H6+", "H", 7),
            ("H6-", "H", 5),
            ("H6'", "H", 0),
        ),
        *(
            ("H5+", "H", 6),
            ("H7-", "H", 6),
            ("H4+", "H", 5),
            ("H4-", "H", 3),
            ("H4", None, 4),
            ("H3+", None, 4),
        ),
        *(("H2", "H", 2), ("H3-", "H", 2), ("H2+", "H", 3), ("H7+", "H", 8), ("H8-", "H", 7), ("H3", "H", 3)),
    ],
)
def test_the_number_and_the_suit_of_a_lead(play: str, suit: str | None, number: int) -> None:
    """Example 1: the joker's table."""
    states = GAME.from_dict(first_trick(f"{play} S3 D3 C3"))
    seen = play_texts(GAME, states, [play])
    assert seen["trick"] == [[0, play]]
    layout, features = GAME.observation_layout, GAME.observations(states, 0)[0]
    assert layout.read(features, "numbers")[0].tolist() == [int(i == number) for i in range(10)]
    assert layout.read(features, "lead_suit").tolist() == [int(letter == suit) for letter in SUITS]
    assert layout.read(features, "suitless").tolist() == [int(suit is None)]


def test_every_card_has_the_numbers_that_the_joker_and_its_side_give_it() -> None:
    ways = {sign: way for way, sign in SIGNS.items()}
    for card in reference.deck():
        for sign in ("", "'", "+", "-", "'+", "'-"):
            is_there = sign in reference.NUMBERS[card[1]]
            assert (card + sign in GAME.action_texts) == is_there
            if is_there:
                assert rules.number_of(int(card[1]), ways[sign].value) == reference.number_of(card + sign)


@pytest.mark.parametrize(
    ("led", "hand", "legal"),
    [
        pytest.param("H8", "H7 S2 D4 C8", "S2 D4 H7", id="6: the suit, any 2, any 4"),
        pytest.param("H8", "H4 S5 D7", "S5 D7 H4", id="6: the suit's own 4 doesn't count as holding it"),
        pytest.param("H8", "H2 S5", "H2", id="6: the suit's own 2 does"),
        pytest.param("H8", "S2 C8", "S2 C8", id="6: a 2 of another suit is never forced"),
        pytest.param("H8", "H6 S5", "H6 H6'", id="6: a 6 may lie sideways"),
        pytest.param("H5-", "H7 S2 D4 C6", "S2 D4 C6 H7 C6'", id="after a number 4, anything"),
        pytest.param("C4", "C7 D6", "D6 C7 D6'", id="after a led 4, anything"),
        pytest.param("H3+", "H7 C8", "C8 H7", id="the joker makes a 4: anything"),
        pytest.param("H4+", "H7 C8", "H7", id="a 4 that counts 5 has its suit"),
        pytest.param("H4-", "H6 S4 C8", "S4 H6 H6'", id="a 4 that counts 3 has its suit"),
        pytest.param("H2", "H7 C8", "H7", id="a led 2 has its suit"),
    ],
)
def test_what_may_be_played_to_a_trick(led: str, hand: str, legal: str) -> None:
    """Example 6; seat 0 leads, seat 1 is to follow."""
    size = len(hand.split())
    used = {led[:2], *hand.split()}
    free = [card for card in reference.deck() if card not in used and card[1] not in "58"]
    others = [" ".join(free[: size - 1]), hand, " ".join(free[size : 2 * size])]
    d = position(others, " ".join(free[2 * size : 2 * size + 3]), trick=[[0, led]])
    assert legal_texts(THREE, THREE.from_dict(d)) == legal.split()


def test_the_leader_may_play_every_card_in_every_way() -> None:
    """And only the leader has the joker."""
    d = first_trick("H6 S3 D3 C3")
    states = GAME.from_dict(d)
    assert set(legal_texts(GAME, states)) == reference.legal_plays(d["hands"][0], [])
    assert {"H6", "H6'", "H6+", "H6-", "H6'+", "H6'-"} <= set(legal_texts(GAME, states))
    play_texts(GAME, states, ["H6"])
    assert not any(text[-1] in "+-" for text in legal_texts(GAME, states))


MANY = "S2 S5 S6 S7 S8 C3 C5 C6 C7 C8 C9 D3 D5 H5"
"""With a secret spade and the joker at hearts: six spades, six clubs, two diamonds, two hearts."""


@pytest.mark.parametrize(
    ("bid", "secret", "row", "joker", "used"),
    [
        pytest.param(("C", "H"), "S3", "S5 S6 S7 S8 H5 C3 C5 C6 C7 C8 D5", "D", "H", id="7: joker to D"),
        pytest.param(("C", "H"), "S3", "S5 S6 S7 S8 H5 C3 C5 C6 C7 C8 D5", "C", "C", id="7: joker to C"),
        pytest.param(("D", "CH"), "S3", "S5 S6 H5 C5 D5 D6 D7 D8", "D", "DCH", id="8: 3 points"),
        pytest.param(("D", "CH"), "S3", "H5 C5 D5 D6 D7 D8", "D", "D", id="8: S shares the lowest"),
        pytest.param(("D", "CH"), "S3", "S5 S6 C5 D5 D6 D7 D8", "D", "D", id="8: H alone is lowest"),
        pytest.param(("SD", "H"), "S3", "S5 S6 S7 C5 D5 D6 D7", "D", "SDH", id="two suits share the highest"),
        pytest.param(("SD", "H"), "S3", "S5 S6 C5 D5 D6 D7", "D", "H", id="D alone is highest"),
        pytest.param(
            ("S", "D"), "S3", "S5 S6 S7 C3 C5 C6 H5", "H", "SD", id="shiro of the source: 4, 2, 3, 0"
        ),
        *(
            pytest.param(bid, "S3", MANY, "H", "", id=f"kuro of the source: 6, 6, 2, 2; {'-'.join(bid)}")
            for bid in (("S", "D"), ("C", "H"))
        ),
        pytest.param(("S", "H"), "S4", "D5 D6 C5", "S", "H", id="an uncovered 4 counts; S and D tie"),
        pytest.param(("S", "H"), "S4", "D5 C5", "S", "SH", id="an uncovered 4 counts"),
    ],
)
def test_an_oracle_is_scored(bid: tuple[str, str], secret: str, row: str, joker: str, used: str) -> None:
    """Examples 7 and 8, and the source's first two: seat 0's row and secret card; it adds the joker."""
    is_special = len(bid[0] + bid[1]) == 3
    d = position(
        ["", "", ""],
        f"{secret} D2 C2",
        row=row,
        phase="joker",
        round=1,
        wishes=[is_special, False, False],
        bids=[
            {"most": list(bid[0]), "least": list(bid[1])},
            {"most": ["S"], "least": ["D"]},
            {"most": ["S"], "least": ["D"]},
        ],
    )
    d = after(THREE, d, f"joker {joker}")
    assert d["phase"] == "over"
    assert d["joker_suit"] == joker
    assert d["scores"][0] == len(used)
    assert d["bid_suits"][0] == [suit for suit in SUITS if suit not in used]


def test_two_fours_cover_the_only_card_and_then_the_secret_card() -> None:
    """Example 9."""
    states = THREE.from_dict(first_trick("H8 D4 S4"))
    d = play_texts(THREE, states, ["H8", "D4", "S4"])
    assert (d["phase"], d["mover"]) == ("bonus", 2)
    d = play_texts(THREE, states, ["bonus C"])
    assert (d["phase"], d["mover"], d["to_cover"]) == ("cover", 0, ["D4", "S4"])
    assert d["rows"][0] == {"S": [], "D": [], "C": [], "H": ["H8"]}
    assert legal_texts(THREE, states) == ["cover H"]
    d = play_texts(THREE, states, ["cover H"])
    assert (d["phase"], d["mover"], d["to_cover"], d["set_aside"]) == ("play", 0, [], [])
    assert d["secret_covered"] == [True, False, False]
    assert not any(d["rows"][0].values())
    assert d["rows"][2] == {"S": [], "D": [], "C": ["C9"], "H": []}


def test_a_four_that_finds_the_secret_card_covered_is_set_aside() -> None:
    states = THREE.from_dict(first_trick("C4 D4 H4"))
    d = play_texts(THREE, states, ["C4", "D4", "H4", "bonus S"])
    assert (d["phase"], d["mover"]) == ("play", 0)
    assert d["secret_covered"] == [True, False, False]
    assert d["set_aside"] == ["D4", "H4"]
    assert not any(d["rows"][0].values())


def test_with_the_option_fours_won_into_empty_rows_cover_the_secret_card_and_then_go_out() -> None:
    states = INTO_SECRET.from_dict(first_trick("H8 D4 S4"))
    d = play_texts(INTO_SECRET, states, ["H8", "D4", "S4", "bonus C"])
    assert (d["phase"], d["mover"], d["to_cover"], d["set_aside"]) == ("play", 0, [], ["S4"])
    assert d["secret_covered"] == [True, False, False]
    assert d["rows"][0] == {"S": [], "D": [], "C": [], "H": ["H8"]}
    assert d["covers"] == [[]]
    assert INTO_SECRET.to_dict(INTO_SECRET.from_dict(d)) == d


def test_with_the_option_a_four_goes_out_at_once_when_the_secret_card_is_covered_and_the_rows_are_empty() -> (
    None
):
    d = position(["H8 C3", "D4 C5", "H3 C6"], "C7 C8 D2")
    d["set_aside"].remove("C4")  # it lies on the secret card
    d["secret_covered"][0] = True
    d = after(INTO_SECRET, d, "H8", "D4", "H3", "bonus D")
    assert (d["phase"], d["secret_covered"]) == ("play", [True, False, False])
    assert "D4" in d["set_aside"]
    assert d["rows"][0]["H"] == ["H3", "H8"]


def test_with_the_option_a_four_covers_what_it_likes_where_a_card_lay_before_the_trick() -> None:
    d = position(["H8 C3", "D4 C5", "S4 C6"], "C7 C8 D2", row="S9")
    states = INTO_SECRET.from_dict(d)
    play_texts(INTO_SECRET, states, ["H8", "D4", "S4", "bonus D"])
    assert legal_texts(INTO_SECRET, states) == ["cover S", "cover H"]
    assert INTO_SECRET.from_dict(INTO_SECRET.to_dict(states)).tobytes() == states.tobytes()
    d = play_texts(INTO_SECRET, states, ["cover S"])
    assert d["to_cover"] == ["S4"]
    assert legal_texts(INTO_SECRET, states) == ["cover H"]
    assert INTO_SECRET.to_dict(INTO_SECRET.from_dict(d)) == d
    d = play_texts(INTO_SECRET, states, ["cover H"])
    assert (d["phase"], d["secret_covered"]) == ("play", [False, False, False])


@pytest.mark.parametrize("lost", [(), ("history", "bonuses", "covers", "known_voids")], ids=["known", "lost"])
def test_with_the_option_a_choice_after_winning_into_empty_rows_is_refused(lost: tuple[str, ...]) -> None:
    d = after(THREE, first_trick("H8 D4 S4"), "H8", "D4", "S4", "bonus C")
    d = {key: value for key, value in d.items() if key not in lost}
    assert THREE.to_dict(THREE.from_dict(d))["phase"] == "cover"
    with pytest.raises(ValueError, match="no card lay in the rows of seat 0 before last_trick"):
        INTO_SECRET.from_dict(d)


def test_with_the_option_a_past_in_which_the_first_trick_was_covered_is_refused() -> None:
    d = after(THREE, first_trick("H8 D4 S3"), "H8", "D4", "S3", "bonus C", "cover S")
    with pytest.raises(ValueError, match="by history, seat 0 can't have done 'cover S'"):
        INTO_SECRET.from_dict(d)


def test_a_led_four_with_the_joker_still_covers() -> None:
    """Example 5, second half: also what the trick has brought can be covered."""
    states = THREE.from_dict(first_trick("H4+ H3 H7"))
    d = play_texts(THREE, states, ["H4+", "H3", "H7", "bonus S"])
    assert (d["phase"], d["mover"], d["to_cover"]) == ("cover", 2, ["H4"])
    assert d["rows"][2]["H"] == ["H3", "H7"]
    d = play_texts(THREE, states, ["cover H"])
    assert d["rows"][2]["H"] == ["H7"]
    assert d["covers"] == [["H"]]
    assert d["bonuses"] == ["S"]


def test_a_five_that_was_played_as_four_goes_to_its_row() -> None:
    states = THREE.from_dict(first_trick("S5- H7 C3"))
    d = play_texts(THREE, states, ["S5-", "H7", "C3", "bonus D"])
    assert d["phase"] == "play"
    assert d["rows"][1] == {"S": ["S5"], "D": [], "C": ["C3"], "H": ["H7"]}


def test_who_wins_with_a_five_played_as_four_keeps_the_joker_and_lays_the_five_into_its_row() -> None:
    """The source's example of taking the joker back."""
    states = THREE.from_dict(first_trick("S5- H3 C2"))
    d = play_texts(THREE, states, ["S5-", "H3", "C2", "bonus D"])
    assert d["joker"] == d["leader"] == d["mover"] == 0
    assert d["rows"][0] == {"S": ["S5"], "D": [], "C": ["C2"], "H": ["H3"]}


def test_a_bonus_card_can_be_covered_and_of_a_row_the_lowest_card() -> None:
    d = position(["H8 C3", "H7 C5", "D4 C6"], "C7 C8 D2", row="S9 H9")
    states = THREE.from_dict(d)
    play_texts(THREE, states, ["H8", "H7", "D4", "bonus D"])
    assert legal_texts(THREE, states) == ["cover S", "cover H"]
    assert play_texts(THREE, states.copy(), ["cover S"])["rows"][0]["S"] == []
    assert play_texts(THREE, states, ["cover H"])["rows"][0] == {
        "S": ["S9"],
        "D": [],
        "C": [],
        "H": ["H8", "H9"],
    }


def test_a_final_tie_goes_to_the_first_tied_seat_from_the_jokers_holder() -> None:
    """Example 10: seats 0 and 1 have 2 points, seat 2 the joker."""
    for joker, winner in ((2, 0), (1, 1), (0, 0)):
        d = position(
            ["", "", ""],
            "C3 D2 C2",
            leader=joker,
            phase="joker",
            round=1,
            wishes=[None, None, False],
            scores=[2, 2, 0],
            bid_suits=[["S", "D"], ["S", "D"], list(SUITS)],
            bids=[{"most": ["S"], "least": ["D"]}] * 2 + [{"most": ["H"], "least": ["S"]}],
        )
        game = THREE
        full = game.to_dict(game.from_dict(d))
        final = after(game, d, "joker C")
        expected = reference.play(full, "joker C", game)
        assert final["scores"] == expected["scores"]
        assert final["winners"] == expected["winners"]
        assert final["scores"][:2] == [2, 2]
        assert final["winners"] == [winner]


# --- the deal and the game ----------------------------------------------------------------------------


def test_there_are_162_actions_in_the_order_of_the_rules() -> None:
    assert GAME.num_actions == THREE.num_actions == 162
    for game in (GAME, MINI, *(make_game(NAME, 3, num_ranks=k, hand_size=4) for k in (4, 5, 6))):
        assert game.action_texts == reference.actions(game.deck.num_ranks)


def test_each_seat_bids_for_its_right_neighbour_and_passes_its_cards_there() -> None:
    d = dealt(
        ["S2 S3 S4 S5 S6 S7 S8", "D2 D3 D4 D5 D6 D7 D8", "C2 C3 C4 C5 C6 C7 C8", "H2 H3 H4 H5 H6 H7 H8"]
    )
    states = GAME.from_dict(d)
    assert d["hands"][1] == ["S2", "S3", "S4", "S5", "S6", "S7", "S8"]
    d = play_texts(GAME, states, ["most S", "least H"])
    assert d["bids"][3] == {"most": ["S"], "least": ["H"]}
    assert d["mover"] == 1
    assert legal_texts(GAME, states) == ["most S", "most D", "most C", "most H"]
    d = play_texts(GAME, states, ["most D"])
    assert legal_texts(GAME, states) == ["least S", "least C", "least H"]
    d = play_texts(GAME, states, ["least C", "most C", "least S", "most H", "least S"])
    assert (d["phase"], d["mover"]) == ("secret", 0)
    assert [hand[0][0] for hand in d["hands"]] == ["S", "D", "C", "H"]
    assert d["bids"][0] == {"most": ["D"], "least": ["C"]}
    d = play_texts(GAME, states, ["secret S4", "secret D2", "secret C8"])
    assert (d["leader"], d["joker"]) == (None, None)
    d = play_texts(GAME, states, ["secret H5"])
    assert d["secret"] == ["S4", "D2", "C8", "H5"]
    assert d["phase"] == "play"
    assert d["leader"] == d["joker"] == d["mover"]


def test_the_first_leader_of_a_game_is_drawn_evenly_and_when_the_last_secret_card_lies() -> None:
    states = np.repeat(GAME.new_states(1, seed=4), 4000)
    states["rng"] = GAME.new_states(4000, seed=5)["rng"]
    while (states["phase"] < rules.Phase.PLAY).all():
        assert (states["joker"] == -1).all()
        first = np.argmax(GAME.action_masks(states[:1])[0])
        GAME.step(states, np.full(4000, first))
    assert stats.chisquare(np.bincount(states["joker"], minlength=4)).pvalue > 1e-4


def second_deal(scores: list[int], seed: int = 1, joker: int = 2) -> States:
    """The beginning of a second deal with these scores. The first suits of a seat are used up."""
    n = len(scores)
    d = GAMES[n].to_dict(GAMES[n].new_states(1, seed))
    suits = [list(SUITS[score:]) for score in scores]
    order = [(joker + i) % n for i in range(n)]
    asked = [seat for seat in order if scores[seat] < 2]
    phase = "wish" if asked else "bid"
    d.update(round=1, scores=scores, bid_suits=suits, joker=joker, leader=joker, phase=phase)
    d["mover"] = (asked or order)[0]
    return GAMES[n].from_dict(d)


def test_only_seats_with_three_bid_cards_are_asked_from_the_jokers_holder_on() -> None:
    states = second_deal([0, 1, 2, 1])
    d = GAME.to_dict(states)
    assert (d["phase"], d["mover"], d["leader"]) == ("wish", 3, 2)
    current_players = []
    for text in ("wish yes", "wish no", "wish yes"):
        current_players.append(int(GAME.current_players(states)[0]))
        d = play_texts(GAME, states, [text])
    assert current_players == [3, 0, 1]
    assert d["wishes"] == [False, True, None, True]
    assert (d["phase"], d["mover"]) == ("bid", 2)


def test_without_a_seat_that_may_wish_the_second_deal_begins_with_bids() -> None:
    d = GAME.to_dict(second_deal([2, 2, 2, 2]))
    assert (d["phase"], d["mover"], d["wishes"]) == ("bid", 2, [None] * 4)


def test_a_special_bid_has_a_third_suit_for_either_side() -> None:
    states = second_deal([2, 1, 2, 2])
    play_texts(GAME, states, ["wish yes", "most H", "least C"])  # seat 2 bids for seat 1
    assert legal_texts(GAME, states) == ["also most D", "also least D"]
    d = play_texts(GAME, states, ["also least D"])
    assert d["bids"][1] == {"most": ["H"], "least": ["C", "D"]}
    assert d["mover"] == 3


def test_the_jokers_holder_leads_the_second_deal() -> None:
    states = second_deal([2, 2, 2, 2])
    while states[0]["phase"] < rules.Phase.PLAY:
        GAME.step(states, [np.argmax(GAME.action_masks(states)[0])])
    d = GAME.to_dict(states)
    assert d["leader"] == d["joker"] == d["mover"] == 2


@variants
@given(seed=SEEDS)
def test_every_step_is_as_the_slow_reference_plays_it(game: Game, seed: int) -> None:
    steps = play(game, 1, seed)
    states, actions, _ = next(steps)
    d = game.to_dict(states[0])
    for next_states, next_actions, _ in steps:
        assert set(legal_texts(game, states)) == reference.legal(d)
        expected = reference.play(d, game.action_texts[actions[0]], game)
        d = game.to_dict(next_states[0])
        if expected["hands"] is None:  # a new deal
            expected.update(hands=d["hands"], left_over=d["left_over"])
        if expected["phase"] == "play" and expected["joker"] is None:
            expected["joker"] = d["joker"]
            expected["mover"] = d["joker"]
        if expected["phase"] == "play":
            expected["leader"] = d["joker"]
        assert d == expected
        states, actions = next_states, next_actions


@variants
@given(seed=SEEDS)
def test_facts_that_follow_from_the_rules(game: Game, seed: int) -> None:
    """Winner and loser differ, the stock doesn't run out, nobody lacks bid cards, one seat wins."""
    n = game.num_players
    for states, _, _ in play(game, 2, seed):
        for state in states:
            d = game.to_dict(state)
            if d["last_trick"]:
                assert d["last_trick"]["winner"] != d["last_trick"]["loser"]
            assert d["phase"] != "bonus" or any(d["stock"].values())
            assert all(
                len(suits) + score == 4 for suits, score in zip(d["bid_suits"], d["scores"], strict=True)
            )
            assert d["phase"] == "over" or all(len(suits) >= 2 for suits in d["bid_suits"])
            assert len(d["winners"]) == (d["phase"] == "over")
            size = len(game.deck) - n * game.options["hand_size"]
            assert len(d["left_over"]) + len(d["moon"]) == size


def test_the_hazy_moon_rises_card_by_card() -> None:
    seen = []
    for states, _, _ in play(HAZY, 1, 5):
        d = HAZY.to_dict(states[0])
        if d["phase"] in ("play", "joker"):
            assert len(d["moon"]) == len(d["history"])
        if d["round"] == 0:
            seen.append(d["moon"] + d["left_over"])
    assert all(cards == seen[0] for cards in seen)
    assert len(seen[0]) == 7


def test_the_hazy_moon_is_for_three_players() -> None:
    with pytest.raises(ValueError, match="hazy_moon is True; allowed are False"):
        make_game(NAME, 4, hazy_moon=True)
    with pytest.raises(
        ValueError, match="hazy_moon is True, num_ranks is 3 and hand_size is 4; allowed are hands"
    ):
        make_game(NAME, 3, hazy_moon=True, num_ranks=3, hand_size=4)


def test_hands_that_are_larger_than_the_deck_are_refused() -> None:
    with pytest.raises(
        ValueError, match="num_ranks is 3 and hand_size is 7; allowed with 3 players are hands of at most 4"
    ):
        make_game(NAME, 3, num_ranks=3)


@pytest.mark.parametrize("num_players", [3, 4])
@pytest.mark.parametrize("num_ranks", range(3, 8))
@pytest.mark.parametrize("hand_size", range(2, 8))
def test_small_games_are_played_as_large_ones(num_players: int, num_ranks: int, hand_size: int) -> None:
    if num_players * hand_size > 4 * num_ranks:
        return
    game = make_game(NAME, num_players, num_ranks=num_ranks, hand_size=hand_size)
    assert game.deck.all_texts() == reference.deck(num_ranks)
    states = game.new_states(5, seed=hand_size)
    game.play_randomly(states)
    for state in states:
        d = game.to_dict(state)
        assert len(d["history"]) == hand_size - 1
        assert game.to_dict(game.from_dict(d)) == d


@pytest.mark.parametrize("num_players", [3, 4])
def test_the_mini_game_is_small(num_players: int) -> None:
    game = make_game(NAME, num_players, preset="mini")
    assert len(game.deck) == 12
    assert game.options["num_rounds"] == 1
    state = game.new_states(1, seed=1)
    while state[0]["phase"] == rules.Phase.BID:
        game.step(state, [np.argmax(game.action_masks(state)[0])])
    assert 1000 < game.count_plays(state, 20) < 1_000_000


def test_points_are_rewards_after_a_deal_divided_by_four() -> None:
    game = make_game(NAME, 3, reward="score")
    d = position(["", "", ""], "S3 D2 C2", row="S5 S6 H5 C5", phase="joker")
    states = game.from_dict(d)
    full = game.to_dict(states)
    rewards = game.step(states, [game.string_to_action("joker S")])[0]
    expected = reference.play(full, "joker S", game)["scores"]
    np.testing.assert_allclose(rewards, np.array(expected) / 4)
    assert expected[0] == 2


# --- observations -------------------------------------------------------------------------------------


def thermometer(count: int, size: int) -> list[int]:
    """The first `count` of `size` features are set."""
    return [int(i < count) for i in range(size)]


def expected_observation(game: Game, d: dict[str, Any], seat: int) -> list[int]:
    """An observation, computed slowly from a dict: group by group, by their names in the layout."""
    n, size, num_ranks = game.num_players, game.options["hand_size"] - 1, game.options["num_ranks"]
    seats = [(seat + i) % n for i in range(n)]
    right = (seat - 1) % n
    cards = reference.deck(num_ranks)
    phase, is_passed = d["phase"], d["phase"] not in ("wish", "bid")
    is_shown = phase in ("joker", "over")
    tricks = [*d["history"], *([d["trick"]] if d["trick"] else [])]
    leaders = [trick[0][0] for trick in d["history"]]
    if phase == "play":
        leaders.append(d["leader"])
    padding = [[]] * (size - len(tricks))
    plays = [dict(trick) for trick in [*tricks, *padding]]
    now = dict(d["trick"])
    lead = reference.lead_suit([text for _, text in d["trick"]]) if d["trick"] else None
    secret = {
        who: d["secret"][who]
        for who in range(n)
        if d["secret"][who] and (who == seat or (is_shown and not d["secret_covered"][who]))
    }
    earlier = {(who, text[:2]) for trick in d["history"] for who, text in trick}
    covers = [*d["covers"], *[[]] * (size - len(d["covers"]))]
    bonuses = [*d["bonuses"], *[None] * (size - len(d["bonuses"]))]
    named = [
        bid if is_passed or who == right else {"most": [], "least": []} for who, bid in enumerate(d["bids"])
    ]
    wishes = [wish if phase != "wish" or who == seat else None for who, wish in enumerate(d["wishes"])]
    passed = {*d["hands"][right], d["secret"][right]} if is_passed else set()
    joker = [trick[0][1][-1] if trick else "" for trick in [*tricks, *padding]]
    numbers = range(10)
    groups = {
        "hand": [card in d["hands"][seat] for card in cards],
        "passed": [card in passed for card in cards],
        "secret": [secret.get(who) == card for who in seats for card in cards],
        "trick": [now.get(who, "")[:2] == card for who in seats for card in cards],
        "numbers": [who in now and reference.number_of(now[who]) == i for who in seats for i in numbers],
        "lead_suit": [suit == lead for suit in SUITS],
        "suitless": [bool(d["trick"]) and lead is None],
        "played": [(who, card) in earlier for who in seats for card in cards],
        "played_in": [any(text[:2] == card for text in trick.values()) for trick in plays for card in cards],
        "number_in": [
            who in trick and reference.number_of(trick[who]) == i
            for trick in plays
            for who in seats
            for i in numbers
        ],
        "joker_in": [sign == end for end in joker for sign in "+-"],
        "leader_in": [i < len(leaders) and leaders[i] == who for i in range(size) for who in seats],
        "bonus_in": [suit == taken for taken in bonuses for suit in SUITS],
        "covered_in": [
            i < len(trick) and trick[i] == suit for trick in covers for i in range(n) for suit in SUITS
        ],
        "out": [any(card == one for _, one in earlier) for card in cards],
        "moon": [card in d["moon"] for card in cards],
        "rows": [
            x
            for who in seats
            for suit in SUITS
            for x in thermometer(len(d["rows"][who][suit]), num_ranks + 1)
        ],
        "stock": [x for suit in SUITS for x in thermometer(len(d["stock"][suit]), 2)],
        "bid_suits": [suit in d["bid_suits"][who] for who in seats for suit in SUITS],
        "most": [suit in named[who]["most"] for who in seats for suit in SUITS],
        "least": [suit in named[who]["least"] for who in seats for suit in SUITS],
        "third": [
            suit in (*named[who]["most"][1:], *named[who]["least"][1:]) for who in seats for suit in SUITS
        ],
        "bid_cards": [x for who in seats for x in thermometer(sum(map(len, d["bids"][who].values())), 3)],
        "known_voids": [suit in d["known_voids"][who] for who in seats for suit in SUITS],
        "joker_suit": [suit == d["joker_suit"] for suit in SUITS],
        "wishes": [wishes[who] is answer for who in seats for answer in (True, False)],
        "secret_laid": [d["secret"][who] is not None for who in seats],
        "secret_covered": [d["secret_covered"][who] for who in seats],
        "to_cover": thermometer(len(d["to_cover"]), n),
        "phase": [phase == one for one in ("wish", "bid", "secret", "play", "bonus", "cover", "joker")],
        "current_player": [who == d["mover"] for who in seats],
        "joker": [who == d["joker"] for who in seats],
        "num_tricks": thermometer(len(d["history"]), size),
        "round": [number == d["round"] for number in range(game.options["num_rounds"])],
        "scores": [x for who in seats for x in thermometer(d["scores"][who], 4)],
    }
    if not game.options["hazy_moon"]:
        del groups["moon"]
    assert list(groups) == list(game.observation_layout)
    return [int(feature) for group in groups.values() for feature in group]


@variants
@given(seed=SEEDS)
def test_observations_are_what_the_layout_says(game: Game, seed: int) -> None:
    states = reached_states(game, 6, seed)
    for i in range(len(states)):
        d = game.to_dict(states[i])
        for seat in range(game.num_players):
            seen = game.observations(states[i : i + 1], seat)[0]
            assert seen.tolist() == expected_observation(game, d, seat)


# --- what a seat knows --------------------------------------------------------------------------------


@variants
@given(seed=SEEDS)
def test_resampling_changes_nothing_but_what_is_hidden(game: Game, seed: int) -> None:
    n = game.num_players
    states = reached_states(game, 6, seed)
    for seat in range(n):
        right = (seat - 1) % n
        for before, drawn in zip(states, game.resample(states, seat, seed), strict=True):
            old, new = game.to_dict(before), game.to_dict(drawn)
            is_passed = old["phase"] not in ("wish", "bid")
            for d in (old, new):
                if is_passed:
                    d["passed"] = sorted([*d["hands"][right], str(d["secret"][right])])
                if not is_passed:
                    d["bids"] = [
                        bid if who == right else sum(map(len, bid.values()))
                        for who, bid in enumerate(d["bids"])
                    ]
                if d["phase"] == "wish":
                    d["wishes"] = [
                        wish if who == seat else wish is None for who, wish in enumerate(d["wishes"])
                    ]
                shown = d["phase"] in ("joker", "over")
                d["secret"] = [
                    card if who == seat or (shown and not d["secret_covered"][who]) else card is None
                    for who, card in enumerate(d["secret"])
                ]
                d["hands"] = [hand if who == seat else len(hand) for who, hand in enumerate(d["hands"])]
                d["left_over"] = len(d["left_over"])
            assert new == old


def hands_of(
    players: list[int], left: list[str], sizes: dict[int, int], voids: list[list[str]]
) -> Iterator[tuple[dict[int, tuple[str, ...]], list[str]]]:
    """All ways to give hands to players, none of a suit in which it is void but that suit's 4."""
    if not players:
        yield {}, left
        return
    who = players[0]
    free = [card for card in left if card[0] not in voids[who] or card[1] == "4"]
    for hand in itertools.combinations(free, sizes[who]):
        for rest, over in hands_of(players[1:], [card for card in left if card not in hand], sizes, voids):
            yield {who: hand, **rest}, over


def worlds_of(game: Game, d: dict[str, Any], seat: int) -> set[Any]:
    """All worlds that fit what a seat has seen in play: hands, secret cards, and cards left over."""
    n = game.num_players
    right = (seat - 1) % n
    known = [*d["hands"][right], d["secret"][right]]
    others = [who for who in range(n) if who not in (seat, right)]
    pool = [card for who in others for card in (*d["hands"][who], d["secret"][who])] + d["left_over"]
    sizes = {who: len(d["hands"][who]) for who in others}
    pool = [card for card in reference.deck(game.options["num_ranks"]) if card in pool]
    worlds = set()
    mine = []
    for secret in known:
        hand = [card for card in known if card != secret]
        if all(card[0] not in d["known_voids"][right] or card[1] == "4" for card in hand):
            mine.append((tuple(reference.in_order(hand)), secret))
    arrange = itertools.permutations if game.options["hazy_moon"] else itertools.combinations
    for dealt_hands, over in hands_of(others, pool, sizes, d["known_voids"]):
        for secrets in itertools.permutations(over, len(others)):
            rest = [card for card in over if card not in secrets]
            for left_over in arrange(rest, len(rest)):
                for own in mine:
                    worlds.add((own, tuple(dealt_hands[who] for who in others), secrets, tuple(left_over)))
    return worlds


def world_in(game: Game, d: dict[str, Any], seat: int) -> Any:
    """The world of a position, as `worlds_of` writes it."""
    right = (seat - 1) % game.num_players
    others = [who for who in range(game.num_players) if who not in (seat, right)]
    own = tuple(d["hands"][right]), d["secret"][right]
    hands = tuple(tuple(d["hands"][who]) for who in others)
    return own, hands, tuple(d["secret"][who] for who in others), tuple(d["left_over"])


def late_case(game: Game, voids_of: str, least: int, most: int) -> tuple[dict[str, Any], int]:
    """A late position of a random game in which known voids matter: the others', or the neighbour's."""
    n = game.num_players
    for states, _, _ in play(game, 80, seed=21):
        for state in states[(states["phase"] >= rules.Phase.PLAY) & (states["phase"] < rules.Phase.JOKER)]:
            d = game.to_dict(state)
            for seat in range(n):
                right = (seat - 1) % n
                pool = [c for who in range(n) if who != seat for c in (*d["hands"][who], d["secret"][who])]

                def matters(who: int, cards: list[str], d: dict[str, Any] = d) -> bool:
                    return any(card[0] in d["known_voids"][who] and card[1] != "4" for card in cards)

                of_right = matters(right, [*d["hands"][right], d["secret"][right]])
                others = [who for who in range(n) if who not in (seat, right)]
                of_others = any(d["hands"][who] and matters(who, pool + d["left_over"]) for who in others)
                kinds = {"neighbour": of_right, "others": of_others and not of_right, "none": not of_others}
                if kinds[voids_of] and sum(len(hand) for hand in d["hands"]) <= 2 * n and d["hands"][right]:
                    count = len(worlds_of(game, d, seat))
                    if least <= count <= most:
                        return d, seat
    raise AssertionError("no such position")


FIVE = make_game(NAME, 3, num_ranks=5, hand_size=6)
FOUR = make_game(NAME, 4, num_ranks=5, hand_size=5)
MOON = make_game(NAME, 3, num_ranks=5, hand_size=5, hazy_moon=True)


@pytest.mark.parametrize(
    ("game", "voids_of", "least", "most"),
    [
        pytest.param(FIVE, "none", 20, 400, id="3 players"),
        pytest.param(FIVE, "others", 10, 400, id="3 players, a void of the seat whose cards are unknown"),
        pytest.param(FIVE, "neighbour", 5, 400, id="3 players, a void tells the neighbour's secret card"),
        pytest.param(FOUR, "others", 10, 400, id="4 players, voids of the others"),
        pytest.param(MOON, "others", 10, 900, id="hazy moon"),
    ],
)
def test_resampling_reaches_every_possible_world_equally_often(
    game: Game, voids_of: str, least: int, most: int
) -> None:
    """All worlds are listed by brute force; a chi-square test with a fixed seed."""
    d, seat = late_case(game, voids_of, least, most)
    worlds = worlds_of(game, d, seat)
    drawn = game.resample(np.repeat(game.from_dict(d), 25 * len(worlds)), seat, seed=12)
    counts = Counter(world_in(game, game.to_dict(state), seat) for state in drawn)
    assert set(counts) == worlds
    assert stats.chisquare(list(counts.values())).pvalue > 1e-4


def test_hidden_bids_and_wishes_are_drawn_evenly_among_those_that_could_be() -> None:
    states = second_deal([0, 1, 1, 0])
    play_texts(GAME, states, ["wish yes", "wish no"])  # seats 2 and 3
    drawn = GAME.resample(np.repeat(states, 4000), 3, seed=2)
    assert (drawn["wishes"][:, 3] == rules.Wish.NO).all()
    assert stats.chisquare(np.bincount(drawn["wishes"][:, 2], minlength=2)).pvalue > 1e-4
    play_texts(GAME, states, ["wish yes", "wish yes", "most C", "least D"])  # seat 2, for seat 1
    play_texts(GAME, states, ["also least H"] if GAME.to_dict(states)["wishes"][1] else [])
    play_texts(GAME, states, ["most D"])  # seat 3, for seat 2
    drawn = GAME.resample(np.repeat(states, 12000), 0, seed=3)
    bids = Counter(drawn["bids"][i, 1].tobytes() for i in range(len(drawn)))
    assert len(bids) == 12  # three suits in any order, the third for either side
    assert stats.chisquare(list(bids.values())).pvalue > 1e-4
    most = drawn["bids"][:, 2, 0, 0]
    assert sorted(np.unique(most)) == [1, 2, 3]
    assert stats.chisquare(np.bincount(most)[1:]).pvalue > 1e-4
    own = GAME.resample(np.repeat(states, 10), 3, seed=3)
    assert (own["bids"][:, 2] == states["bids"][0, 2]).all()


def test_before_the_pass_every_unseen_card_may_be_anywhere() -> None:
    states = THREE.new_states(1, seed=3)
    num_draws = 6000
    drawn = THREE.resample(np.repeat(states, num_draws), 0, seed=9)
    places = np.full((num_draws, 28), -1)
    rows = np.arange(num_draws)[:, None]
    for place, held in enumerate((drawn["hands"][:, 1], drawn["hands"][:, 2], drawn["left_over"][:, :7])):
        places[rows, held] = place
    unseen = np.flatnonzero(places[0] >= 0)
    assert len(unseen) == 21
    for card in unseen:
        assert stats.chisquare(np.bincount(places[:, card], minlength=3)).pvalue > 1e-4


def test_the_information_text_tells_the_order_of_play_apart() -> None:
    base = first_trick("H8 H3 H2")
    one = THREE.from_dict(base)
    two = THREE.from_dict(base)
    play_texts(THREE, one, ["H8", "H3", "H2", "bonus S"])
    play_texts(THREE, two, ["H8", "H3", "H2", "bonus D"])
    for seat in range(3):
        texts = {THREE.information_state_string(states, seat) for states in (one, two)}
        assert len(texts) == 2


# --- data ---------------------------------------------------------------------------------------------

COUNTS = json.loads((DATA / "oracle_land_counts.json").read_text())["positions"]


@pytest.mark.parametrize("case", COUNTS, ids=[case["comment"] for case in COUNTS])
def test_all_plays_below_an_ending_are_counted(case: dict[str, Any]) -> None:
    d = case["position"]
    game = make_game(NAME, d["num_players"], **case["options"])
    for depth, count in case["counts"]:
        assert game.count_plays(game.from_dict(d), depth) == count
    depth, count = next(pair for pair in reversed(case["counts"]) if pair[1] < 2000)
    assert reference.count_plays(game.to_dict(game.from_dict(d)), depth, game) == count
