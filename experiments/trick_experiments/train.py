"""Learns a policy for all seats of a game, in minutes on two cores.

By self-play (`learning.self_play_ppo`): one policy plays all seats of many tables and learns from all
decisions, first those of an expert, then its own; at a share of the tables it meets an opponent pool:
rule-based, random, saved policies, or earlier snapshots of itself. Or one seat only learns, against that
pool, by MaskablePPO (sb3-contrib) over the native `SeatVecEnv`. A run can be stopped at any time and resumed;
a finished one evaluates itself.

    trick-envs train --game voodoo_prince --steps 1000000
    trick-envs train --resume results/RUN
"""

from collections.abc import Sequence

import tyro

from trick_experiments.common.cli import user_errors
from trick_experiments.learning.training import Config, resumed, train


@user_errors
def main(arguments: Sequence[str] | None = None, prog: str | None = None) -> None:
    """Reads the arguments; those of a run that is resumed take the place of the defaults."""
    config = tyro.cli(Config, prog=prog, description=__doc__, args=arguments)
    if config.resume is not None:
        config = tyro.cli(
            Config, prog=prog, description=__doc__, args=arguments, default=resumed(config.resume)
        )
    train(config)


if __name__ == "__main__":
    main()
