"""What all games share.

Rules and batches: `kernel` (compiling), `state`, `cards`, `hands`, `random`, `dealing`, `dispatch` (the
kernels that every game writes), `batch` (loops over them). Views: `game` (the `Game` contract) with
`options`, `layout` and `reading`; `agent`; and the environments `aec`, `vector`, `seat`.
"""
