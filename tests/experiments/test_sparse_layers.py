"""The compiled parts of the network that learns give what plain torch gives, gradients included."""

import numpy as np
import pytest
from numpy.typing import NDArray

pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")

import torch
from torch import Tensor
from torch.distributions import Categorical

from trick_experiments.learning.legal_actions import dense_legal_softmax, evaluate, legal_softmax
from trick_experiments.learning.sparse_layers import add_of_table, dense_first_layer, sparse_first_layer

N, D, S, K, M, W, T = 9, 60, 3, 11, 14, 5, 7


def first_layer_settings(share_of_ones: float, num_table: int, seed: int = 0) -> list[Tensor]:
    rng = np.random.default_rng(seed)
    observations = (rng.random((N, D)) < share_of_ones).astype(np.int8)
    columns = torch.as_tensor(rng.permutation(D)[: S * K + num_table])
    generator = torch.Generator().manual_seed(seed)
    shapes = [(W, K), (W,), (W, num_table), (T, num_table)]
    weights = [torch.randn(shape, dtype=torch.float64, generator=generator) for shape in shapes]
    return [
        torch.as_tensor(observations),
        torch.as_tensor(np.flatnonzero(rng.random(N * S) < 0.5)),
        columns[: S * K].reshape(S, K),
        columns[S * K :],
        *(weight.requires_grad_() for weight in weights),
    ]


@pytest.mark.parametrize("num_table", [M, 0])
@pytest.mark.parametrize("share_of_ones", [0.0, 0.1, 1.0])
def test_sums_of_rows_are_the_products_and_so_are_their_gradients(
    share_of_ones: float, num_table: int
) -> None:
    settings = first_layer_settings(share_of_ones, num_table)
    sparse, dense = sparse_first_layer(*settings), dense_first_layer(*settings)
    weights = settings[4:]
    of_outputs = [torch.randn(one.shape, dtype=torch.float64) for one in dense]
    for one, other in zip(sparse, dense, strict=True):
        torch.testing.assert_close(one, other)
    found = torch.autograd.grad(sparse, weights, of_outputs)
    expected = torch.autograd.grad(dense, weights, of_outputs)
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other)


def test_observations_of_any_type_are_zeros_and_ones() -> None:
    observations, *others = first_layer_settings(0.2, M)
    for one, other in zip(
        sparse_first_layer(observations.float(), *others),
        sparse_first_layer(observations, *others),
        strict=True,
    ):
        assert (one == other).all()


def test_what_the_table_gives_is_added_to_each_row_of_its_own() -> None:
    owners = torch.tensor([0, 0, 2, 3, 3, 3])
    suits = torch.randn(6, W, dtype=torch.float64, requires_grad=True)
    of_table = torch.randn(4, W, dtype=torch.float64, requires_grad=True)
    found, expected = add_of_table(suits, of_table, owners), torch.relu(suits + of_table[owners])
    torch.testing.assert_close(found, expected)
    of_output = torch.randn(6, W, dtype=torch.float64)
    for one, other in zip(
        torch.autograd.grad(found, (suits, of_table), of_output),
        torch.autograd.grad(expected, (suits, of_table), of_output),
        strict=True,
    ):
        torch.testing.assert_close(one, other)


def masked(num_actions: int = 12) -> tuple[Tensor, Tensor, NDArray[np.bool_]]:
    """Logits, some of them far from the others, and masks, of which one has a single legal action."""
    generator = torch.Generator().manual_seed(3)
    logits = 30 * torch.randn(N, num_actions, dtype=torch.float64, generator=generator)
    masks = (torch.rand(N, num_actions, generator=generator) < 0.3).to(torch.int8)
    masks[:, 2] = 1
    masks[0, :] = 0
    masks[0, 4] = 1
    return logits.requires_grad_(), masks, masks.numpy() != 0


def test_log_probabilities_and_entropies_are_those_of_torch_with_their_gradients() -> None:
    logits, masks, is_legal = masked()
    actions = torch.as_tensor(is_legal.argmax(axis=1))
    log_probs, entropies = evaluate(logits, masks, actions)
    expected = Categorical(logits=logits.masked_fill(masks == 0, -1e8), validate_args=False)
    torch.testing.assert_close(log_probs, expected.log_prob(actions))
    torch.testing.assert_close(entropies, expected.entropy())
    weights = torch.randn(2, N, dtype=torch.float64)
    found = torch.autograd.grad((log_probs * weights[0] + entropies * weights[1]).sum(), logits)[0]
    loss = (expected.log_prob(actions) * weights[0] + expected.entropy() * weights[1]).sum()
    torch.testing.assert_close(found, torch.autograd.grad(loss, logits)[0])


def test_illegal_actions_have_no_probability() -> None:
    logits, masks, is_legal = masked()
    chances, log_chances = legal_softmax(logits, masks)
    assert (chances.numpy()[~is_legal] == 0).all()
    assert (log_chances.numpy()[~is_legal] == 0).all()
    torch.testing.assert_close(chances.sum(dim=1), torch.ones(N, dtype=torch.float64))
    assert chances[0, 4] == 1
    for one, other in zip(dense_legal_softmax(logits.detach(), masks), (chances, log_chances), strict=True):
        torch.testing.assert_close(one, other)
