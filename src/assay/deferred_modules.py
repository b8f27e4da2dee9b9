"""Imports a package without modules that are not used: each of these is imported when it is first used.

Until then a stand-in takes its place, and what others import from it by name is a stand-in too. After the
first use all is as if the module had been imported before.

What it does not cover: an `except` clause and pydantic cannot use the stand-in of a class. So a module can be
deferred if others import from it, by name, only functions, and classes that they call, subclass or name as
the type of something.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

_ASKED_OF_EVERY_MODULE = ("__cached__", "__file__", "__path__")
"""Attributes for which Python looks when it makes or lists a module."""


class _StandIn(ModuleType):
    """Stands for a module until something of it is used."""

    def __init__(self, name: str, names: Sequence[str]) -> None:
        super().__init__(name)
        self._assay_names = {own: _StandInName(self, own) for own in names}

    def __getattr__(self, name: str) -> Any:
        if name in _ASKED_OF_EVERY_MODULE:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        if name in self._assay_names and sys.modules.get(self.__name__) is self:
            return self._assay_names[name]
        return getattr(self._assay_load(), name)

    def _assay_load(self) -> ModuleType:
        """Import the module itself; modules that have a name of the stand-in get the real one."""
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        loaded = import_module(self.__name__)
        while self._assay_names:
            name, stand_in = self._assay_names.popitem()
            for module in list(sys.modules.values()):
                if getattr(module, "__dict__", {}).get(name) is stand_in:
                    setattr(module, name, getattr(loaded, name))
        return loaded


class _StandInName:
    """Stands for a class or function of a deferred module: it can be called, looked into and subclassed."""

    def __init__(self, module: _StandIn, name: str) -> None:
        self._assay_module, self._assay_name = module, name

    def _assay_load(self) -> Any:
        return getattr(self._assay_module._assay_load(), self._assay_name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._assay_load()(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_assay"):  # a copy that has nothing yet
            raise AttributeError(name)
        return getattr(self._assay_load(), name)

    def __mro_entries__(self, bases: tuple[object, ...]) -> tuple[object, ...]:
        return (self._assay_load(),)

    def __instancecheck__(self, instance: object) -> bool:
        return isinstance(instance, self._assay_load())

    def __subclasscheck__(self, subclass: type) -> bool:
        return issubclass(subclass, self._assay_load())

    def __or__(self, other: Any) -> Any:
        return self._assay_load() | other

    def __ror__(self, other: Any) -> Any:
        return other | self._assay_load()


class _StandInLoader(Loader):
    def __init__(self, names: Sequence[str]) -> None:
        self._names = names

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _StandIn(spec.name, self._names)

    def exec_module(self, module: ModuleType) -> None:
        """Leave the module empty."""


class _LoadedLoader(Loader):
    """Gives a module that was imported while Python looked for it."""

    def __init__(self, module: ModuleType) -> None:
        self._module, self._spec = module, module.__spec__

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        """Leave the module as it was."""
        module.__spec__ = self._spec


class _DeferringFinder(MetaPathFinder):
    """Finds each deferred module once: the second time, the module itself is wanted."""

    def __init__(self, deferred: Mapping[str, Sequence[str]]) -> None:
        self.deferred = dict(deferred)

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        package = sys.modules.get(name.rpartition(".")[0])
        if isinstance(package, _StandIn):
            package._assay_load()
            loaded = sys.modules.pop(name, None)  # Python would execute it again if it were there
            return None if loaded is None else ModuleSpec(name, _LoadedLoader(loaded))
        if name not in self.deferred:
            return None
        names = self.deferred.pop(name)
        own_spec = PathFinder.find_spec(name, path)
        if own_spec is None:
            return None
        spec = ModuleSpec(name, _StandInLoader(names), origin=own_spec.origin)
        spec.has_location = own_spec.has_location
        spec.submodule_search_locations = own_spec.submodule_search_locations
        return spec


@contextmanager
def deferred_modules(modules: Mapping[str, Sequence[str]]) -> Iterator[None]:
    """Import a stand-in for each of these modules that is not imported yet.

    `modules` says for each module what other modules import from it by name.
    """
    finder = _DeferringFinder(modules)
    sys.meta_path.insert(0, finder)  # and it stays: a module of a package may be what is used first
    try:
        yield
    finally:
        finder.deferred.clear()
