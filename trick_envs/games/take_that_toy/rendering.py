"""Take That Toy! as one seat sees it, and as text.

What there is of several rounds only is left out of the texts of a single one.
"""

from typing import Any

from trick_envs.core import texts
from trick_envs.core.game import Game
from trick_envs.core.texts import View


def seen(d: dict[str, Any], seat: int) -> dict[str, Any]:
    """The keys of a state's dict that a seat sees in another way.

    Others' hands are hidden, and of the cards of a burst who got which one; so those that went out of the
    game are hidden, too.
    """
    bursts = [
        {
            **burst,
            "dealt": {who: card if who == str(seat) else None for who, card in burst["dealt"].items()},
        }
        for burst in d["bursts"]
    ]
    return {
        "hands": texts.only_of(seat, d["hands"]),
        "bursts": bursts,
        "left_over": texts.face_down(d["left_over"]),
        "discarded": texts.face_down(d["discarded"]),
    }


def information(game: Game, view: View) -> str:
    """All that the view's seat has seen in this round, and the scores."""
    seat = view["seat"]
    of_rounds = f"round {view['round']}, " if game.options["num_rounds"] > 1 else ""
    bursts = [
        f"{burst['seat']}: {' '.join(burst['cards'])} -> {burst['dealt'].get(str(seat), '-')}"
        for burst in view["bursts"]
    ]
    lines = [
        f"seat {seat}, {of_rounds}{view['phase']}, scores {view['scores']}",
        f"trump card {view['trump_card']}, leader {view['leader']}",
        f"hand {' '.join(view['hands'][seat])}, sizes {texts.sizes(view['hands'])}",
        f"display {', '.join(' '.join(cards) for cards in view['display'])}",
        f"bursts {', '.join(bursts)}",
        f"played {texts.tricks_text(view)}",
    ]
    return "\n".join(lines)


def render(game: Game, view: View) -> str:
    """The table as text."""
    num_rounds = game.options["num_rounds"]
    of_rounds = f"round {view['round'] + 1} of {num_rounds}, " if num_rounds > 1 else ""
    lines = [
        f"{game.title}: {of_rounds}trump {view['trump']} ({view['trump_card']})",
        f"  seat  {'won  ' if num_rounds > 1 else ''}suits  cards  hand",
    ]
    for player in range(game.num_players):
        won = f"{view['scores'][player]:>3}  " if num_rounds > 1 else ""
        display = view["display"][player]
        num_suits = len({card[0] for card in display})
        hand = texts.cards_text(view["hands"][player], texts.is_open(view, player), empty="")
        lines.append(
            f"{texts.marker(view, player)} {player:<4}  {won}{num_suits:>5}  {len(display):>5}  {hand}"
        )
    lines += [f"display {player}   {' '.join(cards) or '-'}" for player, cards in enumerate(view["display"])]
    lines += [_burst(burst) for burst in view["bursts"]]
    lines += texts.end_of_table(view)
    return "\n".join(lines)


def _burst(burst: dict[str, Any]) -> str:
    dealt = [f"{who}: {card}" for who, card in burst["dealt"].items() if card is not None]
    return (
        f"burst of {burst['seat']}  {' '.join(burst['cards'])}; dealt {'  '.join(dealt) or 'to the others'}"
    )
