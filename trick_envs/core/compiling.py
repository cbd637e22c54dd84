"""How kernels are compiled: each once as a part of what Python calls, and by one process for all.

Numba by itself makes every function ready to be called from Python: optimised, turned into machine code, with
wrappers, and stored; then it optimises the same again in each caller, and in that one's callers. Of a game's
hundred kernels Python calls only a few. Here all others stay as they are after type inference, until what one
call from Python needs is put together, optimised and stored, once.
"""

import gc
import hashlib
import logging
import threading
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from time import perf_counter
from typing import Any

import numba
from filelock import FileLock, Timeout
from numba.core import event, ir
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder, Flags, compile_extra
from numba.core.compiler_machinery import AnalysisPass, register_pass
from numba.core.registry import CPUDispatcher
from numba.core.sigutils import normalize_signature
from numba.core.typed_passes import AnnotateTypes
from numba.core.typing import make_concrete_template

_types: Any = numba.types

LONG = 1.0
"""Seconds of compiling in a process after which it says so."""

MAX_WAIT = 600.0
"""Seconds after which a process no longer waits for another one that compiles the same."""

logger = logging.getLogger("trick_envs")


class Part(JITCodeLibrary):  # type: ignore[misc]
    """Compiled code that is only ever linked into other code, which is optimised as a whole."""

    def _optimize_final_module(self) -> None: ...

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=False, analysis_only=True)
class CountNoReferences(AnalysisPass):  # type: ignore[misc]
    """Leaves out the counting of references to arrays where a kernel only uses those that it is given.

    Its caller keeps them alive. Otherwise numba counts up and down in every kernel that an array is handed
    to, for other threads to see, which takes longer than to write a hundred features.
    """

    _name = "count_no_references"

    def __init__(self) -> None:
        """Called by numba."""
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        """Called by numba once the types in a kernel are known; returns whether it was changed."""
        if not _makes_arrays(state):
            state.targetctx = state.targetctx.subtarget(enable_nrt=False)
        return False


def _makes_arrays(state: Any) -> bool:
    """Whether a kernel makes, copies or returns an array or a view of one; True when in doubt."""

    def any_counted(kinds: Iterable[Any]) -> bool:
        models = state.targetctx.data_model_manager
        return any(models[kind].contains_nrt_meminfo() for kind in kinds)

    results = [call.return_type for call in state.calltypes.values() if call is not None]
    if any_counted([state.return_type, *results]):
        return True
    for block in state.func_ir.blocks.values():
        for line in block.body:
            if isinstance(line, ir.SetItem | ir.StaticSetItem):
                if any_counted(state.calltypes[line].args[1:]):
                    return True
            elif not isinstance(line, _HARMLESS):
                return True
    return False


_HARMLESS = (ir.Assign, ir.Del, ir.SetAttr, ir.Branch, ir.Jump, ir.Return, ir.StaticRaise)
"""Statements that make no array, unless what is assigned does."""


class PartCompiler(CompilerBase):  # type: ignore[misc]
    """Numba's usual steps and one more."""

    def define_pipelines(self) -> list[Any]:
        """Called by numba."""
        steps = DefaultPassBuilder.define_nopython_pipeline(self.state)
        steps.add_pass_after(CountNoReferences, AnnotateTypes)
        steps.finalize()
        return [steps]


class Kernel(CPUDispatcher):  # type: ignore[misc]
    """A function that is compiled for each combination of types that it is called with."""

    def __init__(self, function: Any, locals: Any = None, targetoptions: Any = None) -> None:  # noqa: A002
        """As numba makes it; `enable_caching` comes next."""
        super().__init__(function, locals, targetoptions)
        self._parts: dict[tuple[Any, ...], Any] = {}

    # --- called by another kernel --------------------------------------------------------------------------

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """What numba asks for when it infers the types of a caller."""
        signature, args = self._compiler.fold_argument_types(args, kws)
        part = self._part(tuple(widened(_plain(arg)) for arg in args))
        name = self.py_func.__name__
        return make_concrete_template(name, key=name, signatures=[part.signature]), signature, args, {}

    def get_overload(self, sig: Any) -> Any:
        """What numba asks for when it compiles the call."""
        args, _ = normalize_signature(sig)
        part = self._parts.get(tuple(args))
        return super().get_overload(sig) if part is None else part.entry_point

    def _part(self, args: tuple[Any, ...]) -> Any:
        if args not in self._parts:
            flags = Flags()
            options = {**self.targetoptions, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
            self.targetdescr.options.parse_as_flags(flags, options)
            flags.no_compile = True
            library = Part(self.targetctx.codegen(), self.py_func.__qualname__)
            # The counter tells numba of recursion.
            with self._compiling_counter, event.trigger_event("numba:compile", data={"dispatcher": self}):
                compiled = compile_extra(
                    self.typingctx, self.targetctx, self.py_func, args, None, flags, {}, library, PartCompiler
                )
            library.finalize()
            # There is nothing to call from Python: the description stands for it as a key.
            compiled = compiled._replace(entry_point=compiled.fndesc)
            self.targetctx.insert_user_function(compiled.entry_point, compiled.fndesc, [library])
            self._parts[args] = compiled
        return self._parts[args]

    # --- called from Python --------------------------------------------------------------------------------

    def compile(self, sig: Any) -> Any:
        """Reads what was compiled before, or compiles while other processes that want the same wait."""
        args = tuple(map(widened, normalize_signature(sig)[0]))
        if args in self.overloads or self._is_stored(args):
            return self.overloads[args].entry_point
        with ExitStack() as while_compiling:
            while_compiling.enter_context(_announced())
            while_compiling.enter_context(_alone(self._lock_of(args)))
            while_compiling.enter_context(_without_garbage_collection())
            return super().compile(args)

    def _is_stored(self, args: tuple[Any, ...]) -> bool:
        compiled = self._cache.load_overload(args, self.targetctx)
        if compiled is None:
            return False
        self._cache_hits[args] += 1
        self.targetctx.insert_user_function(compiled.entry_point, compiled.fndesc, [compiled.library])
        self.add_overload(compiled)
        return True

    def _lock_of(self, args: tuple[Any, ...]) -> Path:
        what = f"{self.py_func.__module__}.{self.py_func.__qualname__}{args}"
        return Path(self._cache.cache_path) / f"{hashlib.sha256(what.encode()).hexdigest()[:16]}.lock"


def widened(arg: Any) -> Any:
    """The type that a kernel gets for an argument: all whole numbers are alike, so that it is compiled once.

    Except for 64 bits without a sign, which wrap around in another way.
    """
    return _types.int64 if isinstance(arg, _types.Integer) and arg != _types.uint64 else arg


def _plain(arg: Any) -> Any:
    """Without what is special about a constant or a member of an enum, which kernels pass to each other."""
    return arg.dtype if isinstance(arg, _types.IntEnumMember) else _types.unliteral(arg)


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """Waits until no other process has the lock; where there can be none, it goes on without."""
    with ExitStack() as held:
        with suppress(OSError, NotImplementedError, Timeout):
            lock.parent.mkdir(parents=True, exist_ok=True)
            held.enter_context(FileLock(lock).acquire(timeout=MAX_WAIT))
        yield


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Compiling makes millions of objects that stay; to look through them takes a tenth of its time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class _Announcement:
    """One line that something is being compiled, once in a process, when that has taken a while in all."""

    def __init__(self) -> None:
        self.left = LONG
        self.is_made = False

    def make(self) -> None:
        if not self.is_made:
            self.is_made = True
            logger.warning(
                "trick_envs: compiling rules, once for this version and computer; later runs start at once "
                "(`trick-envs warm-up` compiles everything beforehand)"
            )


_announcement = _Announcement()


@contextmanager
def _announced() -> Iterator[None]:
    timer = threading.Timer(max(0.0, _announcement.left), _announcement.make)
    timer.daemon = True
    if not _announcement.is_made:
        timer.start()
    start = perf_counter()
    try:
        yield
    finally:
        timer.cancel()
        _announcement.left -= perf_counter() - start
