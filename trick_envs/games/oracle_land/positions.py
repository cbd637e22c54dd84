"""Oracle Land positions to and from plain Python."""

from collections.abc import Mapping
from typing import Any

from trick_envs.core import validation
from trick_envs.core.cards import NO_CARD, Deck, suit_of
from trick_envs.core.game import Game, States
from trick_envs.core.hands import add_to_hand
from trick_envs.core.kernel import State
from trick_envs.core.positions import CardReader, known_tricks, seat_or_none, seats_in_order, voids
from trick_envs.core.state import NOBODY
from trick_envs.games.oracle_land import rules
from trick_envs.games.oracle_land.rules import (
    NO_SUIT,
    NUM_BONUS,
    NUM_SUITS,
    SUITS,
    FourIntoEmptyRows,
    Phase,
    Side,
    Wish,
)

Play = tuple[int, int]
"""A seat and the action by which it played a card."""

WISHES: dict[int, bool | None] = {Wish.NOT_ASKED: None, Wish.NO: False, Wish.YES: True}


# --- writing ------------------------------------------------------------------------------------------


def write_dict(game: Game, s: State, d: dict[str, Any]) -> None:
    """Adds all keys that aren't the same in every game."""
    deck, n = game.deck, game.num_players
    known = known_tricks(s)
    moon = int(s.num_moon)
    d.update(
        leader=seat_or_none(s.leader),
        hands=[deck.texts(s.hands[seat, : s.hand_sizes[seat]]) for seat in range(n)],
        trick=_plays(game, s, int(s.num_tricks)),
        history=[_plays(game, s, trick) for trick in known],
        bonuses=[_letter(s.bonus_suits[trick]) for trick in known],
        covers=[_letters(s.cover_suits[trick]) for trick in known],
        bid_suits=[deck.suit_letters(s.bid_suits[seat]) for seat in range(n)],
        bids=[{side.name.lower(): _letters(s.bids[seat, side]) for side in Side} for seat in range(n)],
        wishes=[WISHES[int(wish)] for wish in s.wishes[:n]],
        secret=[None if card == NO_CARD else deck.text(card) for card in s.secrets[:n]],
        secret_covered=[bool(covered) for covered in s.secret_covered[:n]],
        rows=[
            {
                letter: _row(game.pack, suit, int(row))
                for suit, (letter, row) in enumerate(zip(SUITS, rows, strict=True))
            }
            for rows in s.rows[:n]
        ],
        stock={letter: _stock(game.pack, suit, int(s.stock[suit])) for suit, letter in enumerate(SUITS)},
        to_cover=[deck.text(card) for card in s.to_cover[: s.num_to_cover]],
        set_aside=[f"{letter}{rules.SUITLESS}" for letter in deck.suit_letters(s.set_aside)],
        joker=seat_or_none(s.joker),
        joker_suit=_letter(s.joker_suit),
        left_over=[deck.text(card) for card in s.left_over[moon : s.num_left_over]],
        moon=[deck.text(card) for card in s.left_over[:moon]],
        last_trick=_last_trick(game, s),
        known_voids=[deck.suit_letters(s.known_voids[seat]) for seat in range(n)],
    )


def _letter(suit: int) -> str | None:
    return None if suit == NO_SUIT else SUITS[suit]


def _letters(suits: Any) -> list[str]:
    return [SUITS[suit] for suit in suits if suit != NO_SUIT]


def _plays(game: Game, s: State, trick: int) -> list[list[Any]]:
    """A trick's plays in their order."""
    played, ways = s.played[trick], s.ways[trick]
    return [
        [seat, game.action_texts[rules.action_of(s, played[seat], ways[seat])]]
        for seat in seats_in_order(s, trick)
    ]


def _last_trick(game: Game, s: State) -> dict[str, Any] | None:
    trick = int(s.num_tricks) - 1
    if trick < 0:
        return None
    return {
        "plays": _plays(game, s, trick),
        "winner": int(rules.winner_of_trick(s, trick)),
        "loser": int(rules.loser_of_trick(s, trick)),
    }


def _row(pack: Deck, suit: int, row: int) -> list[str]:
    """The cards of a row."""
    return [pack.text(suit * pack.num_ranks + place) for place in range(pack.num_ranks) if row >> place & 1]


def _stock(pack: Deck, suit: int, num_left: int) -> list[str]:
    """The bonus cards of a suit that are left, next first."""
    end = (suit + 1) * pack.num_ranks
    return [pack.text(card) for card in range(end - num_left, end)]


# --- reading ------------------------------------------------------------------------------------------


class _Cards:
    """Reads cards of one position, bonus cards too; no card may be there twice."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._reader = CardReader(game.pack)
        self.unread = set(game.pack.all_texts())

    def read(self, text: Any) -> str:
        """The text of a card that hasn't been read before."""
        self._reader.card(text)
        self.unread.remove(text)
        return str(text)

    def play_card(self, text: Any) -> int:
        """The number of a card that isn't a bonus card."""
        return self.game.deck.card(self.read(text))

    def play_cards(self, value: Any, what: str, most: int) -> list[int]:
        """A list of at most so many such cards."""
        texts = validation.items(value, what)
        if len(texts) > most:
            raise ValueError(f"{what} has {len(texts)} cards; allowed are at most {most}")
        return [self.play_card(text) for text in texts]

    def fours(self, value: Any, what: str) -> list[int]:
        """A list of 4s."""
        cards = self.play_cards(value, what, NUM_SUITS)
        for card in cards:
            if self.game.deck.text(card)[1:] != str(rules.SUITLESS):
                raise ValueError(f"{what} has {self.game.deck.text(card)}; allowed are 4s")
        return cards


def read_dict(game: Game, states: States, d: Mapping[str, Any]) -> None:
    """Fills a blank state (1,).

    Everything is checked that doesn't need the past. The tricks that are given are played again from the
    first of them. If they are all of this deal, with what was taken and covered after each, the whole table
    must come out as given.
    """
    s = states[0]
    rules.clear_deal(s)
    is_over = s.phase == Phase.OVER
    if is_over:  # first what was before the joker was added, the last decision
        s.phase = Phase.JOKER
    _read_round(s, d, is_over)
    _read_joker(s, d, is_over)
    _read_oracles(s, d, is_over)
    cards = _Cards(game)
    _read_hands(s, d, cards)
    _read_rows(game, s, d, cards)
    _read_numbers_of_tricks(s)
    _read_left_over(s, d, cards)
    trick = _read_plays(game, s, validation.read(d, "trick"), "trick")
    history = _read_history(game, s, d)
    for _, action in trick:
        cards.read(game.deck.text(rules.card_of(s, action)))
    _fill_tricks(game, s, history, trick)
    _read_fours(game, s, d, cards, history)
    _check_order(game, s, d)
    if trick or history:
        _replay(game, states, d, history, trick)
    voids(
        states[0],
        d,
        SUITS,
        is_all_known=len(history) == s.num_tricks,
        exempt=[rules.card_at(s, suit, rules.SUITLESS) for suit in range(NUM_SUITS)],
    )
    if is_over:
        rules.step(s, int(s.joker_at) + int(SUITS.index(d["joker_suit"])))
        _check_score(game, s, d)


def _read_round(s: State, d: Mapping[str, Any], is_over: bool) -> None:
    s.round_number = validation.whole_number(validation.read(d, "round"), "round", 0, int(s.num_rounds) - 1)
    if is_over and s.round_number + 1 != s.num_rounds:
        raise ValueError(f"the game is over in round {s.round_number}; allowed is {s.num_rounds - 1}")
    if s.phase == Phase.WISH and s.round_number == 0:
        raise ValueError("phase is 'wish' in round 0; allowed from round 1 on")


def _read_joker(s: State, d: Mapping[str, Any], is_over: bool) -> None:
    """Who has the joker, and leads."""
    n = int(s.num_players)
    joker, leader, suit = (validation.read(d, key) for key in ("joker", "leader", "joker_suit"))
    if s.round_number == 0 and s.phase <= Phase.SECRET:
        if joker is not None or leader is not None:
            raise ValueError(
                f"joker is {joker!r} and leader {leader!r}; before the first trick, allowed is None"
            )
        s.joker = s.leader = NOBODY
    else:
        s.joker = validation.seat(joker, "joker", n)
        s.leader = s.joker
        expected = None if is_over else joker
        if leader is not None:
            validation.seat(leader, "leader", n)
        if leader != expected:
            raise ValueError(f"leader is {leader!r}; with this joker and phase it is {expected!r}")
    if is_over:
        validation.choice(suit, "joker_suit", tuple(SUITS))
    elif suit is not None:
        raise ValueError(f"joker_suit is {suit!r}; before the scoring, allowed is None")


# --- wishes, bids and scores --------------------------------------------------------------------------


def _read_suits(value: Any, what: str, most: int) -> list[int]:
    """A list of different suits."""
    letters = validation.items(value, what)
    suits = [SUITS.index(validation.choice(letter, what, tuple(SUITS))) for letter in letters]
    if len(suits) > most or len(set(suits)) != len(suits):
        raise ValueError(f"{what} is {value!r}; allowed are at most {most} different suits")
    return suits


def _read_oracles(s: State, d: Mapping[str, Any], is_over: bool) -> None:
    """Bid cards, bids, wishes and scores: those before the scoring, if the game is over."""
    n = int(s.num_players)
    bid_suits = validation.items(validation.read(d, "bid_suits"), "bid_suits", n)
    bids = validation.items(validation.read(d, "bids"), "bids", n)
    wishes = validation.items(validation.read(d, "wishes"), "wishes", n)
    scores = validation.items(validation.read(d, "scores"), "scores", n)
    for seat in range(n):
        what = f"of seat {seat}"
        left = _read_suits(bid_suits[seat], f"bid_suits {what}", NUM_SUITS)
        if not isinstance(bids[seat], Mapping):
            raise ValueError(f"the bid {what} is {bids[seat]!r}; allowed is a dict")
        named = []
        for side in Side:
            key = side.name.lower()
            suits = _read_suits(validation.read(bids[seat], key), f"{key} {what}", 2)
            for place, suit in enumerate(suits):
                s.bids[seat, side, place] = suit
            named += suits
        used = [suit for suit in named if suit not in left]
        if len(set(named)) != len(named) or (used and not is_over):
            raise ValueError(f"the bid {what} is {bids[seat]!r}; allowed are different bid cards it has left")
        for suit in {*left, *used}:
            s.bid_suits[seat, suit] = 1
        s.scores[seat] = validation.whole_number(scores[seat], f"the score {what}", 0, NUM_SUITS) - len(used)
        if s.scores[seat] + rules.num_bid_cards(s, seat) != NUM_SUITS:
            raise ValueError(
                f"seat {seat} has {scores[seat]} points and {len(left)} bid cards; allowed are 4 in all"
            )
        if not 0 <= s.scores[seat] <= 2 * s.round_number:
            raise ValueError(f"the score {what} is {scores[seat]}; so many points can't have been made")
        s.wishes[seat] = _read_wish(wishes[seat])
    _check_wishes(s)
    _check_bids(s)


def _read_wish(value: Any) -> int:
    for wish, meaning in WISHES.items():
        if value is meaning:
            return wish
    raise ValueError(f"a wish is {value!r}; allowed are True, False, None")


def _clockwise(s: State) -> list[int]:
    """The seats in the order in which they decide where all do at the same time."""
    n, first = int(s.num_players), int(rules.first_to_decide(s))
    return [seat % n for seat in range(first, first + n)]


def _check_wishes(s: State) -> None:
    """That those and only those have been asked who may wish, in their order."""
    wishes = s.wishes.copy()
    s.wishes[:] = Wish.NOT_ASKED
    order = _clockwise(s)
    may_wish = [seat for seat in order if s.round_number > 0 and rules.may_wish(s, seat)]
    s.wishes[:] = wishes
    asked = [bool(wishes[seat] != Wish.NOT_ASKED) for seat in may_wish]
    is_right = asked == sorted(asked, reverse=True) and all(asked) == (s.phase != Phase.WISH)
    if not is_right or (wishes != Wish.NOT_ASKED).sum() != sum(asked):
        raise ValueError(
            f"wishes is {[WISHES[int(wish)] for wish in wishes[: s.num_players]]}; "
            f"allowed are wishes of seats {may_wish}, in this order, by the phase"
        )
    if s.phase == Phase.WISH:
        s.current_player = may_wish[sum(asked)]


def _check_bids(s: State) -> None:
    """That the bids are complete, or that seats have made them one after another."""
    order = _clockwise(s)
    owners = [int(rules.right_of(s, seat)) for seat in order]
    sizes = [int(rules.num_named(s, owner)) for owner in owners]
    full = [int(rules.bid_size(s, owner)) for owner in owners]
    if s.phase == Phase.WISH:
        is_right = not any(sizes)
    elif s.phase == Phase.BID:
        bidding = next((i for i in range(len(order)) if sizes[i] < full[i]), None)
        is_right = bidding is not None and not any(sizes[bidding + 1 :])
        s.current_player = order[bidding or 0]
    else:
        is_right = sizes == full
    for owner, size in zip(owners, sizes, strict=True):
        most, least = ([suit for suit in side if suit != NO_SUIT] for side in s.bids[owner].tolist())
        is_right = is_right and len(most) >= min(size, 1) and len(least) >= min(size - 1, 1)
    if not is_right or any(size > allowed for size, allowed in zip(sizes, full, strict=True)):
        raise ValueError(
            f"bids for seats {owners} have {sizes} suits; allowed are {full}, most, least and third, "
            "made in this order, by the phase"
        )


def _check_score(game: Game, s: State, d: Mapping[str, Any]) -> None:
    """That the scoring, which has been done once more, gave what the position says."""
    for key in ("scores", "bid_suits"):
        value = game.to_dict(s)[key]
        if [sorted(item) if isinstance(item, list) else item for item in d[key]] != [
            sorted(item) if isinstance(item, list) else item for item in value
        ]:
            raise ValueError(f"{key} is {d[key]!r}; by rows and bids it is {value!r}")


# --- cards --------------------------------------------------------------------------------------------


def _read_hands(s: State, d: Mapping[str, Any], cards: _Cards) -> None:
    """Hands and secret cards."""
    n = int(s.num_players)
    for seat, hand in enumerate(validation.items(validation.read(d, "hands"), "hands", n)):
        for card in cards.play_cards(hand, f"the hand of seat {seat}", int(s.hand_size)):
            add_to_hand(s, seat, card)
    for seat, text in enumerate(validation.items(validation.read(d, "secret"), "secret", n)):
        if text is not None:
            s.secrets[seat] = cards.play_card(text)
    for seat, covered in enumerate(
        validation.items(validation.read(d, "secret_covered"), "secret_covered", n)
    ):
        s.secret_covered[seat] = validation.truth(covered, "secret_covered")
    laid = [bool(s.secrets[seat] != NO_CARD) for seat in _clockwise(s)]
    if s.phase < Phase.SECRET:
        is_right = not any(laid)
    elif s.phase == Phase.SECRET:
        is_right = not all(laid) and laid == sorted(laid, reverse=True)
        s.current_player = _clockwise(s)[sum(laid) % n]
    else:
        is_right = all(laid)
    if not is_right:
        raise ValueError(f"seats {_clockwise(s)} have laid their secret cards: {laid}; not so in this phase")


def _read_rows(game: Game, s: State, d: Mapping[str, Any], cards: _Cards) -> None:
    """The stock, and what lies in rows."""
    stock = _read_by_suit(validation.read(d, "stock"), "stock")
    for suit, letter in enumerate(SUITS):
        left = [cards.read(text) for text in validation.items(stock[letter], "stock")]
        s.stock[suit] = len(left)
        if left != _stock(game.pack, suit, min(len(left), NUM_BONUS)):
            raise ValueError(f"the stock of {letter} is {left}; allowed is the rest of the 9 on the 10")
    for seat, given in enumerate(validation.items(validation.read(d, "rows"), "rows", int(s.num_players))):
        row = _read_by_suit(given, "rows of a seat")
        for suit, letter in enumerate(SUITS):
            for text in validation.items(row[letter], "a row"):
                place = game.pack.card(cards.read(text)) - suit * game.pack.num_ranks
                if not 0 <= place < game.pack.num_ranks or text[1:] == str(rules.SUITLESS):
                    raise ValueError(f"the row of {letter} has {text}; allowed are cards of that suit, no 4")
                rules.add_to_row(s, seat, suit, place)


def _read_by_suit(value: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping) or set(value) != set(SUITS):
        raise ValueError(f"{what} is {value!r}; allowed is a dict with {', '.join(SUITS)}")
    return value


def _read_numbers_of_tricks(s: State) -> None:
    """How many tricks there were, by the bonus cards taken."""
    taken = NUM_SUITS * NUM_BONUS - int(s.stock.sum())
    s.num_tricks = taken + (s.phase == Phase.BONUS)
    most = int(s.max_tricks)
    allowed = {
        Phase.PLAY: (0, most - 1),
        Phase.BONUS: (1, most),
        Phase.COVER: (1, most),
        Phase.JOKER: (most, most),
    }.get(Phase(int(s.phase)), (0, 0))
    if not allowed[0] <= s.num_tricks <= allowed[1]:
        raise ValueError(
            f"{taken} bonus cards have been taken; in this phase, allowed are "
            f"{allowed[0] - (s.phase == Phase.BONUS)} to {allowed[1] - (s.phase == Phase.BONUS)}"
        )


def _read_left_over(s: State, d: Mapping[str, Any], cards: _Cards) -> None:
    """Cards that nobody was dealt, and of them the moon."""
    size = int(s.num_left_over)
    moon = cards.play_cards(validation.read(d, "moon"), "moon", size)
    left = cards.play_cards(validation.read(d, "left_over"), "left_over", size)
    taken = int(s.num_tricks) - (s.phase in (Phase.BONUS, Phase.COVER))
    turned = min(size, taken) if s.hazy_moon else 0
    if len(moon) != turned or len(left) != size - turned:
        raise ValueError(
            f"moon has {len(moon)} cards and left_over {len(left)}; allowed are {turned} and {size - turned}"
        )
    s.num_moon = turned
    s.left_over[:size] = [*moon, *(left if s.hazy_moon else sorted(left))]


def _read_fours(game: Game, s: State, d: Mapping[str, Any], cards: _Cards, history: list[list[Play]]) -> None:
    """4s that wait or are set aside. Cards in no place are covered, or cover something; that must add up."""
    to_cover = cards.fours(validation.read(d, "to_cover"), "to_cover")
    for card in cards.fours(validation.read(d, "set_aside"), "set_aside"):
        s.set_aside[suit_of(s, card)] = 1
    last = [rules.card_of(s, action) for _, action in history[-1]] if history else []
    taken = [card for card in last if rules.rank_of(s, card) == rules.SUITLESS]
    is_right = to_cover == taken[len(taken) - len(to_cover) :] and rules.num_uncovered(s, s.joker) > 0
    if bool(to_cover) != (s.phase == Phase.COVER) or (to_cover and not is_right):
        raise ValueError(f"to_cover is {d['to_cover']!r}; by last_trick, rows and phase, that can't be")
    if to_cover and s.four_into_empty_rows == FourIntoEmptyRows.SECRET:
        # Those 4s of the trick that don't wait have each covered a card.
        before = rules.num_uncovered(s, s.joker) - (len(last) - len(taken)) + len(taken) - len(to_cover)
        if before <= 0:
            raise ValueError(
                f"to_cover is {d['to_cover']!r}; no card lay in the rows of seat {s.joker} before last_trick"
            )
    s.num_to_cover = len(to_cover)
    s.to_cover[: len(to_cover)] = to_cover
    missing = set(cards.unread)
    if s.phase == Phase.BONUS:
        not_there = {game.deck.text(card) for card in last} - missing
        if not_there:
            raise ValueError(f"last_trick has {', '.join(sorted(not_there))}, which lies elsewhere")
        missing -= {game.deck.text(card) for card in last}
    fours = {text for text in missing if text[1:] == str(rules.SUITLESS)}
    if len(fours) != len(missing) - len(fours) + s.secret_covered.sum():
        raise ValueError(
            f"the cards {', '.join(sorted(missing)) or '-'} are nowhere; allowed are those covered by a 4, "
            f"and that 4, and one for each covered secret card"
        )
    hidden = {*s.hands[s.hands != NO_CARD].tolist(), *s.secrets[s.secrets != NO_CARD].tolist()}
    hidden |= {*s.left_over[: s.num_left_over].tolist(), *s.played[s.num_tricks].tolist()}
    num_cards = int(s.num_cards)
    s.out[:num_cards] = [card not in hidden for card in range(num_cards)]
    sizes = s.hand_sizes[: s.num_players].tolist()
    laid = s.secrets[: s.num_players] != NO_CARD
    current = s.played[s.num_tricks, : s.num_players] != NO_CARD
    if sizes != (s.hand_size - laid - s.num_tricks - current).tolist():
        raise ValueError(f"hands of {sizes} cards don't fit secret, stock, trick and phase")


# --- tricks -------------------------------------------------------------------------------------------


def _read_plays(game: Game, s: State, value: Any, what: str) -> list[Play]:
    """Seats and plays of a trick, or of its beginning."""
    n, plays = game.num_players, []
    first, last = int(s.plain_at), int(s.bonus_at) - 1
    for pair in validation.items(value, what):
        who, text = validation.items(pair, f"a play of {what}", 2)
        action = game.string_to_action(text)
        if not first <= action <= last:
            raise ValueError(f"{what} has {text!r}; allowed are plays such as {game.action_texts[first]!r}")
        plays.append((validation.seat(who, f"the seat in {what}", n), action))
    if [seat for seat, _ in plays] != [(plays[0][0] + i) % n for i in range(len(plays))] or len(plays) > n:
        raise ValueError(f"{what} is by seats {[seat for seat, _ in plays]}; allowed is clockwise order")
    return plays


def _read_history(game: Game, s: State, d: Mapping[str, Any]) -> list[list[Play]]:
    """The finished tricks that are known; the last one always is."""
    value = validation.given(d, "history", None)
    history = [_read_plays(game, s, plays, "history") for plays in validation.items(value or [], "history")]
    last = validation.read(d, "last_trick")
    if (last is None) != (s.num_tricks == 0) or len(history) > s.num_tricks:
        raise ValueError(
            f"last_trick is {last!r}, history has {len(history)} tricks; there were {s.num_tricks} tricks"
        )
    if last is None:
        return history
    if not isinstance(last, Mapping):
        raise ValueError(f"last_trick is {last!r}; allowed is a dict, or None before the first trick")
    plays = _read_plays(game, s, validation.read(last, "plays"), "last_trick")
    if value is None:
        history = [plays]
    elif not history or history[-1] != plays:
        raise ValueError("history doesn't end with last_trick")
    if any(len(plays) != game.num_players for plays in history):
        raise ValueError(f"a trick in history has {[len(plays) for plays in history]} plays; not one each")
    return history


def _fill_tricks(game: Game, s: State, history: list[list[Play]], trick: list[Play]) -> None:
    """The last tricks of a past that isn't known any further, and the current one."""
    if len(trick) == s.num_players or (trick and s.phase != Phase.PLAY):
        raise ValueError(f"trick has {len(trick)} plays; in this phase that can't be")
    if s.phase == Phase.PLAY:
        s.trick_leaders[s.num_tricks] = s.leader
        if trick and trick[0][0] != s.leader:
            raise ValueError(f"trick begins with seat {trick[0][0]}; the leader is {s.leader}")
    first = int(s.num_tricks) - len(history)
    for number, plays in enumerate([*history, trick], first):
        if plays:
            s.trick_leaders[number] = plays[0][0]
        for seat, action in plays:
            card, way = rules.card_of(s, action), rules.way_of(s, action)
            s.played[number, seat], s.ways[number, seat] = card, way
            s.numbers[number, seat] = rules.number_of(rules.rank_of(s, card), way)
    s.cards_in_trick = len(trick)


def _check_order(game: Game, s: State, d: Mapping[str, Any]) -> None:
    """Finds the current player in play; the last trick's winner must have the joker."""
    n = game.num_players
    last = _last_trick(game, s)
    if last is not None:
        if last["winner"] != s.joker:
            raise ValueError(f"joker is {s.joker}; it didn't win last_trick")
        for key in ("winner", "loser"):
            value = validation.seat(validation.read(d["last_trick"], key), f"the {key} of last_trick", n)
            if value != last[key]:
                raise ValueError(f"the {key} of last_trick is {value}; by its plays it is {last[key]}")
    if s.phase == Phase.PLAY:
        s.current_player = (s.leader + s.cards_in_trick) % n
    elif s.phase == Phase.BONUS:
        s.current_player = rules.loser_of_trick(s, s.num_tricks - 1)
    elif s.phase in (Phase.COVER, Phase.JOKER):
        s.current_player = s.joker


# --- the past -----------------------------------------------------------------------------------------


def _read_choices(s: State, d: Mapping[str, Any], history: list[list[Play]]) -> list[list[int]] | None:
    """Fills in what was taken and covered after each known trick.

    Returns:
        The actions after each trick of the deal; None if a trick isn't known, or what followed it.
    """
    num_known = len(history)
    nothing: dict[str, Any] = {"bonuses": [None] * num_known, "covers": [[]] * num_known}
    known = d if d.get("history") is not None else {}  # or one couldn't tell which tricks they belong to
    bonuses, covers = (
        validation.items(validation.given(known, key, nothing[key]), key, num_known) for key in nothing
    )
    first = int(s.num_tricks) - num_known
    actions: list[list[int]] = []
    is_all_known = first == 0
    for number in range(num_known):
        trick = first + number
        letters = validation.items(covers[number], "covers of a trick")
        suits = [SUITS.index(validation.choice(letter, "covers", tuple(SUITS))) for letter in letters]
        if len(suits) > s.num_players:
            raise ValueError(f"covers of a trick has {len(suits)} suits; allowed are at most {s.num_players}")
        if bonuses[number] is None:
            is_due = s.phase == Phase.BONUS and number + 1 == num_known
            is_all_known = is_all_known and is_due
            actions.append([])
        else:
            s.bonus_suits[trick] = SUITS.index(validation.choice(bonuses[number], "bonuses", tuple(SUITS)))
            actions.append([int(s.bonus_at) + int(s.bonus_suits[trick])])
        s.num_covers[trick] = len(suits)
        s.cover_suits[trick, : len(suits)] = suits
        actions[-1] += [int(s.cover_at) + suit for suit in suits]
    return actions if is_all_known else None


def _replay(
    game: Game, states: States, d: Mapping[str, Any], history: list[list[Play]], trick: list[Play]
) -> None:
    """Plays the known tricks again; raises where that is against the rules or ends otherwise than given."""
    s = states[0]
    choices = _read_choices(s, d, history)
    start = states.copy()
    _take_back(start[0], int(s.num_tricks) - len(history), is_whole=choices is not None)
    for number, plays in enumerate([*history, trick]):
        for seat, action in plays:
            _play_again(game, start, seat, action)
        if number < len(history):
            if choices is None:
                _skip_to_next_trick(start[0])
            else:
                for action in choices[number]:
                    _play_again(game, start, int(start[0].current_player), action)
    if choices is None:
        states[0].known_voids[:] = start[0].known_voids
        return
    expected = game.to_dict(states)
    for key, value in game.to_dict(start).items():
        if key != "known_voids" and value != expected[key]:
            raise ValueError(f"{key} is {expected[key]!r}; by history it is {value!r}")
    states[:] = start


def _take_back(s: State, first: int, is_whole: bool) -> None:
    """The position before a trick. If that is the deal's first, nothing lies on the table yet."""
    s.phase = Phase.PLAY
    for number in range(first, s.num_tricks + 1):
        for seat in range(s.num_players):
            card = int(s.played[number, seat])
            if card != NO_CARD:
                if s.hand_sizes[seat] == s.hand_size or card in s.hands[seat]:
                    raise ValueError("history has a card twice")
                add_to_hand(s, seat, card)
                s.out[card] = 0
    leader = int(s.trick_leaders[first])
    for number in range(first, int(s.num_tricks) + 1):
        rules.clear_trick(s, number)
    s.num_tricks = first
    s.cards_in_trick = s.num_to_cover = 0
    s.joker = s.leader = leader
    s.known_voids[:] = 0
    if is_whole:
        s.num_moon = 0
        s.to_cover[:] = NO_CARD
        s.stock[:] = NUM_BONUS
        s.bonus_suits[:] = s.cover_suits[:] = NO_SUIT
        for field in ("rows", "row_sizes", "set_aside", "secret_covered", "num_covers"):
            s[field][:] = 0
    rules.start_trick(s)


def _play_again(game: Game, states: States, seat: int, action: int) -> None:
    if states[0].current_player != seat or not game.action_masks(states)[0, action]:
        raise ValueError(f"by history, seat {seat} can't have done {game.action_texts[action]!r}")
    game.step(states, [action])


def _skip_to_next_trick(s: State) -> None:
    """The winner leads; what has been taken and covered isn't known."""
    if s.num_tricks < s.max_tricks:
        rules.start_trick(s)
