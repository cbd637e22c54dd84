"""Learned policies: what they play, and that their files can be trusted."""

import io
import json
import os
import pickle
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from tests.helpers import DEFAULTS, other_values, reached_states
from tests.policies import plain_logits, random_policy, tiny_model
from trick_agents import PolicyAgent, PolicyFileError
from trick_agents.policy import NEWER_GROUPS
from trick_envs import GAMES, game_class, make_game
from trick_envs.core.game import Game, States
from trick_envs.core.kernel import COMPILED
from trick_envs.core.random import Streams

every_game = pytest.mark.parametrize("game", DEFAULTS)


@cache
def positions_of(game: Game) -> States:
    """Positions from all over random games."""
    states = reached_states(game, 100 if COMPILED else 15, seed=8)
    return states[game.current_players(states) >= 0]


def actions_of(policy: PolicyAgent, game: Game, seed: int = 1) -> list[int]:
    """What a policy does in these positions."""
    states = positions_of(game)
    return policy.act(game, states, Streams(len(states), seed)).tolist()


def probabilities(policy: PolicyAgent, game: Game, states: States) -> NDArray[np.float64]:
    """The legal actions' probabilities by a policy's logits, (N, A)."""
    logits = policy.logits(game.observations(states)).astype(np.float64)
    logits[game.action_masks(states) == 0] = -np.inf
    chances = np.exp(logits - logits.max(axis=1, keepdims=True))
    return chances / chances.sum(axis=1, keepdims=True)


# --- playing -------------------------------------------------------------------------------------------


@every_game
def test_logits_are_what_matrix_products_give(game: Game) -> None:
    policy = random_policy(game)
    observations = game.observations(positions_of(game))
    logits = policy.logits(observations)
    assert logits.shape == (len(observations), game.num_actions)
    np.testing.assert_allclose(logits, plain_logits(policy, game, observations), rtol=1e-4, atol=1e-4)


@every_game
def test_logits_of_a_position_do_not_depend_on_the_batch(game: Game) -> None:
    policy = random_policy(game)
    observations = game.observations(positions_of(game))
    logits = policy.logits(observations)
    for i in range(0, len(observations), 7):
        assert (policy.logits(observations[i : i + 1])[0] == logits[i]).all()


@every_game
def test_logits_do_not_change_the_observations(game: Game) -> None:
    observations = game.observations(positions_of(game))
    before = observations.copy()
    random_policy(game).logits(observations)
    assert (observations == before).all()


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"width": 4, "table_width": 12},
        {"without": []},
    ],
    ids=str,
)
@pytest.mark.parametrize("name", GAMES)
def test_an_exported_policy_plays_by_the_probabilities_of_the_network(
    name: str, settings: dict[str, Any], tmp_path: Path
) -> None:
    torch = pytest.importorskip("torch")
    game = make_game(name)
    model = tiny_model(game, seed=5, **settings)
    policy = random_policy(game, seed=5, **settings)
    states = positions_of(game)
    with torch.no_grad():
        distribution = model.policy.get_distribution(
            torch.as_tensor(game.observations(states)), action_masks=game.action_masks(states)
        )
    expected = distribution.distribution.probs.numpy()
    np.testing.assert_allclose(probabilities(policy, game, states), expected, rtol=1e-3, atol=1e-6)
    policy.save(tmp_path / "policy.npz", game)
    loaded = PolicyAgent.load(tmp_path / "policy.npz", game)
    np.testing.assert_allclose(probabilities(loaded, game, states), expected, rtol=1e-3, atol=1e-6)


def test_a_group_that_the_network_does_not_see_changes_nothing() -> None:
    game = make_game(next(iter(GAMES)))
    observations = game.observations(positions_of(game))
    for group in game.observation_layout.values():
        policy = random_policy(game, without=[group.name])
        changed = observations.copy()
        changed[:, group.slice] = 1 - changed[:, group.slice]
        assert (policy.logits(changed) == policy.logits(observations)).all()


@every_game
def test_observations_of_another_game_are_refused(game: Game) -> None:
    policy = random_policy(game)
    size = game.observation_size
    for shape in ((3, size + 1), (3, size - 1), (size,)):
        with pytest.raises(ValueError, match=rf"allowed here is \(N, {size}\)"):
            policy.logits(np.zeros(shape, np.int8))


@every_game
def test_a_greedy_policy_takes_the_likeliest_legal_action(game: Game) -> None:
    policy = random_policy(game, greedy=True)
    likeliest = probabilities(policy, game, positions_of(game)).argmax(axis=1)
    assert actions_of(policy, game, seed=1) == likeliest.tolist()
    assert actions_of(policy, game, seed=2) == likeliest.tolist()


@every_game
def test_a_policy_draws_by_its_probabilities(game: Game) -> None:
    policy = random_policy(game)
    num_draws = 4000 if COMPILED else 500
    choices = game.action_masks(positions_of(game)).sum(axis=1)
    for i in np.flatnonzero(choices > 2)[:5]:
        states = np.repeat(positions_of(game)[i : i + 1], num_draws)
        expected = probabilities(policy, game, states[:1])[0] * num_draws
        counts = np.bincount(policy.act(game, states, Streams(num_draws, 3)), minlength=game.num_actions)
        # Rare actions are taken together.
        common = expected >= 5
        rare = expected[~common].sum()
        found, wanted = counts[common], expected[common]
        if rare >= 5:
            found, wanted = np.append(found, counts[~common].sum()), np.append(wanted, rare)
        if len(found) > 1:
            wanted = wanted * found.sum() / wanted.sum()
            assert stats.chisquare(found, wanted).pvalue > 1e-4
        assert counts[expected == 0].sum() == 0


# --- files ---------------------------------------------------------------------------------------------


@every_game
@pytest.mark.parametrize("greedy", [False, True])
def test_a_loaded_policy_acts_as_the_saved_one(game: Game, greedy: bool, tmp_path: Path) -> None:
    policy = random_policy(game, greedy=greedy)
    policy.save(tmp_path / "new folder" / "policy.npz", game, {"steps": 3, "of": ["what", "ever"]})
    loaded = PolicyAgent.load(tmp_path / "new folder" / "policy.npz", game, greedy=greedy)
    assert actions_of(loaded, game) == actions_of(policy, game)
    states = positions_of(game)
    assert (loaded.logits(game.observations(states)) == policy.logits(game.observations(states))).all()


def test_a_policy_saved_under_any_name_appears_under_just_that_name(tmp_path: Path) -> None:
    game = small_game()
    random_policy(game).save(tmp_path / "policy", game)
    assert [file.name for file in tmp_path.iterdir()] == ["policy"]
    assert isinstance(PolicyAgent.load(tmp_path / "policy", game), PolicyAgent)


@pytest.mark.skipif(os.name != "posix", reason="permissions of files are POSIX's")
def test_a_saved_policy_can_be_read_by_whoever_may_read_other_new_files(tmp_path: Path) -> None:
    random_policy(small_game()).save(tmp_path / "policy.npz", small_game())
    (tmp_path / "other").touch()
    assert (tmp_path / "policy.npz").stat().st_mode == (tmp_path / "other").stat().st_mode


def small_game() -> Game:
    """The game with the fewest players: its policies are small."""
    name = next(iter(GAMES))
    return make_game(name, min(game_class(name).player_counts))


@pytest.fixture(scope="module")
def good_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("policies") / "policy.npz"
    random_policy(small_game(), width=4, table_width=4).save(file, small_game())
    return file


@pytest.fixture
def content(good_file: Path) -> dict[str, NDArray[Any]]:
    """The arrays of a good file."""
    with np.load(good_file) as data:
        return {name: data[name] for name in data.files}


def assert_refused(file: Path, game: Game | None = None) -> str:
    """A file must be refused by the one exception that users expect; its text names the file."""
    with pytest.raises(PolicyFileError) as caught:
        PolicyAgent.load(file, game or small_game())
    assert str(file) in str(caught.value)
    return str(caught.value)


def test_a_refused_file_is_a_wrong_value() -> None:
    assert issubclass(PolicyFileError, ValueError)


def test_a_file_cut_off_anywhere_is_refused(good_file: Path, tmp_path: Path) -> None:
    data = good_file.read_bytes()
    lengths = {0, 1, 2, 3, 4, 5, 10, 30, 100, len(data) // 2, *range(len(data) - 120, len(data), 3)}
    lengths |= set(np.random.default_rng(1).integers(0, len(data), 40).tolist())
    for length in sorted(lengths):
        file = tmp_path / f"{length}.npz"
        file.write_bytes(data[:length])
        assert_refused(file)


def test_a_changed_byte_is_noticed_or_changes_nothing(good_file: Path, tmp_path: Path) -> None:
    game = small_game()
    data = good_file.read_bytes()
    actions = actions_of(PolicyAgent.load(good_file, game), game)
    with zipfile.ZipFile(good_file) as archive:
        starts = [info.header_offset for info in archive.infolist()]
        directory = archive.start_dir
    # Everywhere in the file, and thickly where formats are described: at each array's head, and at the end.
    rng = np.random.default_rng(2)
    places = rng.integers(0, len(data), 200).tolist()
    places += [start + at for start in starts for at in range(0, 190, 2)]
    places += range(directory, len(data), 2)
    file = tmp_path / "policy.npz"
    noticed = 0
    for place in places:
        changed = bytearray(data)
        changed[place] ^= int(rng.integers(1, 256))
        file.write_bytes(changed)
        try:
            policy = PolicyAgent.load(file, game)
        except PolicyFileError:
            noticed += 1
        else:
            assert actions_of(policy, game) == actions, place
    assert noticed > len(places) / 2


def test_a_number_format_of_the_same_length_is_noticed(good_file: Path, tmp_path: Path) -> None:
    data = good_file.read_bytes()
    assert b"'<f4'" in data
    for other in (b"'<f2'", b"'>f4'", b"'<i4'", b"'<U1'", b"'|O4'", b"'<f9'", b"'<m8'"):
        file = tmp_path / "policy.npz"
        file.write_bytes(data.replace(b"'<f4'", other))
        assert_refused(file)


def npz(**arrays: Any) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def npy(array: Any) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def zipped(**files: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="an empty file"),
        pytest.param(b"This is a text.\n", id="a text"),
        pytest.param(json.dumps({"format": 1}).encode(), id="JSON"),
        pytest.param(bytes(range(256)) * 10, id="any bytes"),
        pytest.param(npy(np.zeros((3, 4), np.float32)), id="one array without an archive"),
        pytest.param(npy(np.array([{}], object)), id="one array of objects"),
        pytest.param(pickle.dumps({"head": b""}), id="a pickle"),
        pytest.param(npz(), id="an archive of nothing"),
        pytest.param(npz(a=np.arange(3), b=np.zeros((2, 2))), id="foreign arrays"),
        pytest.param(zipped(readme=b"hello"), id="an archive of texts"),
        pytest.param(zipped(head=b"{}"), id="an archive with a head that is no array"),
        pytest.param(zipped(**{"head.npy": b"\x93NUMPY\x01\x00"}), id="an archive with half an array"),
        pytest.param(npz(head=np.array([{"format": 1}], object)), id="a pickled head"),
    ],
)
def test_another_kind_of_file_is_refused(data: bytes, tmp_path: Path) -> None:
    file = tmp_path / "policy.npz"
    file.write_bytes(data)
    assert_refused(file)


class Trap:
    """Makes a file when it is unpickled."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return Path.touch, (self.file,)


def test_nothing_in_a_file_is_run(content: dict[str, NDArray[Any]], tmp_path: Path) -> None:
    sprung = tmp_path / "sprung"
    trap = np.array([Trap(sprung)], object)
    for name in content:
        (tmp_path / "policy.npz").write_bytes(npz(**(content | {name: trap})))
        assert_refused(tmp_path / "policy.npz")
    (tmp_path / "policy.npz").write_bytes(pickle.dumps(Trap(sprung)))
    assert_refused(tmp_path / "policy.npz")
    assert not sprung.exists()


def test_a_missing_array_is_noticed(content: dict[str, NDArray[Any]], tmp_path: Path) -> None:
    for name in content:
        file = tmp_path / f"without {name}.npz"
        file.write_bytes(npz(**{other: array for other, array in content.items() if other != name}))
        assert_refused(file)


def test_an_array_of_a_wrong_shape_or_type_is_noticed(
    content: dict[str, NDArray[Any]], tmp_path: Path
) -> None:
    changes: dict[str, Callable[[NDArray[Any]], Any]] = {
        "one row less": lambda array: array[:-1],
        "one axis more": lambda array: array[..., None],
        "twice the last axis": lambda array: np.concatenate([array, array], axis=-1),
        "a number": lambda array: array.reshape(-1)[0],
        "nothing": lambda array: array[:0],
        "texts": lambda array: array.astype(str),
        "complex": lambda array: array.astype(complex),
        "truth values": lambda array: array.astype(bool),
        "times": lambda array: np.zeros(array.shape, "datetime64[s]"),
        "records": lambda array: np.zeros(array.shape, [("x", np.float32)]),
    }
    for name, array in content.items():
        for change, changed in changes.items() if name != "head" and array.size else ():
            file = tmp_path / f"{name}, {change}.npz"
            file.write_bytes(npz(**(content | {name: changed(array)})))
            assert_refused(file)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_weights_that_are_no_numbers_are_noticed(
    content: dict[str, NDArray[Any]], value: float, tmp_path: Path
) -> None:
    for name, array in content.items():
        if name == "head" or not array.size:
            continue
        changed = array.copy()
        changed.reshape(-1)[-1] = value
        (tmp_path / "policy.npz").write_bytes(npz(**(content | {name: changed})))
        assert_refused(tmp_path / "policy.npz")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "5",
        "null",
        '"head"',
        "{}",
        "[" * 100_000,
        '{"format": 1}',
        '{"format": 2}',
        '{"format": true, "game": []}',
    ],
    ids=lambda text: text[:20] or "nothing",
)
def test_a_wrong_head_is_noticed(content: dict[str, NDArray[Any]], text: str, tmp_path: Path) -> None:
    head = np.frombuffer(text.encode(), np.uint8)
    (tmp_path / "policy.npz").write_bytes(npz(**(content | {"head": head})))
    assert_refused(tmp_path / "policy.npz")


def test_a_head_that_is_no_text_is_noticed(content: dict[str, NDArray[Any]], tmp_path: Path) -> None:
    head = np.frombuffer(b'\xff\xfe{"format": 1}', np.uint8)
    (tmp_path / "policy.npz").write_bytes(npz(**(content | {"head": head})))
    assert_refused(tmp_path / "policy.npz")


@pytest.mark.parametrize(
    ("key", "value"),
    [("format", 0), ("format", 99), ("game", "whist"), ("num_players", 77), ("options", {"num_ranks": 99})],
)
def test_a_policy_of_another_format_or_game_is_refused_and_the_message_says_which(
    content: dict[str, NDArray[Any]], key: str, value: object, tmp_path: Path
) -> None:
    head = json.loads(content["head"].tobytes())
    right = head[key]
    head[key] = value
    changed = np.frombuffer(json.dumps(head).encode(), np.uint8)
    (tmp_path / "policy.npz").write_bytes(npz(**(content | {"head": changed})))
    message = assert_refused(tmp_path / "policy.npz")
    assert key in message
    assert repr(value) in message
    assert repr(right) in message


def with_head(content: dict[str, NDArray[Any]], **changes: Any) -> bytes:
    """A file with another head; what is None there isn't in it."""
    head = json.loads(content["head"].tobytes()) | changes
    head = {key: value for key, value in head.items() if value is not None}
    return npz(**(content | {"head": np.frombuffer(json.dumps(head).encode(), np.uint8)}))


@pytest.mark.parametrize(
    "value",
    [None, 5, "hand", {}, [], ["dreams"], [5], [[]], [{}], [["hand"]], ["trick", "hand"], ["hand", "hand"]],
    ids=str,
)
def test_a_policy_of_impossible_groups_is_refused(
    content: dict[str, NDArray[Any]], value: object, tmp_path: Path
) -> None:
    (tmp_path / "policy.npz").write_bytes(with_head(content, groups=value))
    assert_refused(tmp_path / "policy.npz")
    (tmp_path / "policy.npz").write_bytes(with_head(content, format=1, groups=None, without=value))
    if value != []:
        assert_refused(tmp_path / "policy.npz")


def test_a_policy_of_a_group_that_the_game_has_no_more_is_refused_and_it_is_named(
    content: dict[str, NDArray[Any]], tmp_path: Path
) -> None:
    groups = [*json.loads(content["head"].tobytes())["groups"], "dreams"]
    (tmp_path / "policy.npz").write_bytes(with_head(content, groups=groups))
    assert "dreams" in assert_refused(tmp_path / "policy.npz")


@pytest.mark.parametrize("name", GAMES)
def test_a_file_that_does_not_name_its_groups_sees_those_of_its_time(name: str, tmp_path: Path) -> None:
    game = make_game(name)
    newer = NEWER_GROUPS.get(name, ())
    assert set(newer) <= set(game.observation_layout)
    without = [group.name for group in game.observation_layout.values() if group.kind == "history"]
    policy = random_policy(game, without=[*without, *(group for group in newer if group not in without)])
    file = tmp_path / "policy.npz"
    policy.save(file, game)
    with np.load(file) as data:
        content = {key: np.asarray(data[key]) for key in data.files}
    of_its_time = [group for group in without if group not in newer]
    file.write_bytes(with_head(content, format=1, groups=None, without=of_its_time))
    observations = game.observations(positions_of(game))
    assert (PolicyAgent.load(file, game).logits(observations) == policy.logits(observations)).all()


def test_an_option_that_came_later_has_its_default(content: dict[str, NDArray[Any]], tmp_path: Path) -> None:
    file = tmp_path / "policy.npz"
    game = make_game("oracle_land", num_ranks=5, hand_size=5)
    random_policy(game).save(file, game)
    with np.load(file) as data:
        stored = {key: np.asarray(data[key]) for key in data.files}
    options = {key: value for key, value in game.variant["options"].items() if key != "last_four_loses"}
    file.write_bytes(with_head(stored, options=options))
    PolicyAgent.load(file, game)
    other = make_game("oracle_land", num_ranks=5, hand_size=5, last_four_loses=True)
    with pytest.raises(PolicyFileError, match="options"):
        PolicyAgent.load(file, other)


@pytest.mark.parametrize("name", GAMES)
def test_a_policy_for_other_players_or_options_is_refused(name: str, tmp_path: Path) -> None:
    kind = game_class(name)
    game = kind()
    file = tmp_path / "policy.npz"
    random_policy(game).save(file, game)
    for num_players in set(kind.player_counts) - {game.num_players}:
        message = assert_refused(file, kind(num_players))
        assert f"num_players {game.num_players}" in message
    for option in kind.options_for(kind.default_players):
        for value in other_values(kind, kind.default_players, option):
            message = assert_refused(file, kind(**{option.name: value}))
            assert option.name in message
            assert repr(option.default) in message


@pytest.mark.parametrize("name", GAMES)
def test_a_policy_plays_for_any_reward(name: str, tmp_path: Path) -> None:
    game = make_game(name, reward="score")
    random_policy(game).save(tmp_path / "policy.npz", game)
    other = make_game(name, reward="outcome")
    assert isinstance(PolicyAgent.load(tmp_path / "policy.npz", other), PolicyAgent)


def test_a_folder_or_no_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "folder.npz").mkdir()
    assert_refused(tmp_path / "folder.npz")
    assert_refused(tmp_path / "missing.npz")


def test_a_save_that_fails_leaves_the_old_file(
    good_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = small_game()
    file = tmp_path / "policy.npz"
    file.write_bytes(good_file.read_bytes())
    other = random_policy(game, seed=3)

    with pytest.raises(TypeError):
        other.save(file, game, {"not for json": object()})
    assert file.read_bytes() == good_file.read_bytes()

    real = np.savez

    def fail_late(*args: Any, **arrays: Any) -> None:
        real(*args, **arrays)
        raise OSError("no space left")

    monkeypatch.setattr(np, "savez", fail_late)
    with pytest.raises(OSError, match="no space left"):
        other.save(file, game)
    assert file.read_bytes() == good_file.read_bytes()
    assert [left.name for left in tmp_path.iterdir()] == ["policy.npz"]
