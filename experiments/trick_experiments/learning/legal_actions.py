"""The distribution over legal actions, compiled.

Most actions are illegal. Their exponentials are 0, which vectorised ones take especially long for, and none
is computed here.

Letters: N observations, A actions.
"""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from trick_envs.core.kernel import kernel

ILLEGAL = -1e8
"""The logit of an illegal action, as in sb3-contrib: finite, so that 0 times it is 0."""

Floats = NDArray[np.floating[Any]]


def legal_softmax(logits: torch.Tensor, masks: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Probabilities and their logarithms, both (N, A) and without gradients; both 0 for illegal actions.

    Args:
        logits: (N, A).
        masks: (N, A) int8, 1 for legal actions.
    """
    logits = logits.detach()
    if logits.device.type != "cpu":
        return dense_legal_softmax(logits, masks)
    chances, log_chances = torch.zeros_like(logits), torch.zeros_like(logits)
    _legal_softmax(logits.numpy(), masks.numpy(), chances.numpy(), log_chances.numpy())
    return chances, log_chances


def dense_legal_softmax(logits: torch.Tensor, masks: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The same by torch's own operations, for other devices than the CPU."""
    log_chances = logits.masked_fill(masks == 0, ILLEGAL).log_softmax(dim=1)
    return log_chances.exp(), log_chances * masks


def evaluate(
    logits: torch.Tensor, masks: torch.Tensor, actions: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """The actions' log-probabilities and the distributions' entropies, (N,), with gradients.

    Args:
        logits: (N, A).
        masks: (N, A) int8, 1 for legal actions.
        actions: (N,) legal ones.
    """
    result: tuple[torch.Tensor, torch.Tensor] = _Evaluation.apply(  # type: ignore[no-untyped-call]
        logits, masks, actions
    )
    return result


class _Evaluation(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, logits: torch.Tensor, masks: torch.Tensor, actions: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        chances, log_chances = legal_softmax(logits, masks)
        entropies = -(chances * log_chances).sum(dim=1)
        ctx.save_for_backward(chances, log_chances, entropies, actions)
        return log_chances.gather(1, actions[:, None])[:, 0], entropies

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        chances, log_chances, entropies, actions = ctx.saved_tensors
        of_log_prob, of_entropy = (gradient[:, None] for gradient in gradients)
        # d log p(a) / d logit(i) = [i = a] - p(i);  d H / d logit(i) = -p(i) * (log p(i) + H)
        of_logits = -chances * (of_log_prob + of_entropy * (log_chances + entropies[:, None]))
        return of_logits.scatter_add_(1, actions[:, None], of_log_prob), None, None


@kernel
def _legal_softmax(logits: Floats, masks: NDArray[np.int8], chances: Floats, log_chances: Floats) -> None:
    num_actions = logits.shape[1]
    for n in range(len(logits)):
        largest = -np.inf
        for action in range(num_actions):
            if masks[n, action] and logits[n, action] > largest:
                largest = logits[n, action]
        total = 0.0
        for action in range(num_actions):
            if masks[n, action]:
                chances[n, action] = np.exp(logits[n, action] - largest)
                total += chances[n, action]
        log_total = np.log(total)
        for action in range(num_actions):
            if masks[n, action]:
                chances[n, action] /= total
                log_chances[n, action] = logits[n, action] - largest - log_total
