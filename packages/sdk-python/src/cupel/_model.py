"""Read-only views of what the service sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from json import dumps
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from ._json import list_in, object_in

Self = TypeVar("Self", bound="Model")

_SECRETS = frozenset({"secret"})


class Model:
    """
    An object of the API. Its fields are attributes and cannot be changed: lists are tuples, and objects are models again. A field
    that the service adds later is an attribute too. A field whose name is a word of Python has an underscore behind it (`from_`).

    A field that the API may leave out is None if it is missing. Any other field that is missing raises an AttributeError
    when it is read: nothing is guessed.
    """

    __slots__ = ("_json", "_read")
    _parts: ClassVar[Mapping[str, Callable[[Mapping[str, Any]], Any]]] = {}
    """How objects are made of a field's object, or of the objects in its list."""
    _records: ClassVar[frozenset[str]] = frozenset()
    """Fields whose objects have keys of any name, with the parts as values."""
    _optional: ClassVar[frozenset[str]] = frozenset()

    if TYPE_CHECKING:
        _json: dict[str, Any]
        _read: dict[str, Any]

    def __init__(self, json: Mapping[str, Any]) -> None:
        object.__setattr__(self, "_json", dict(json))
        object.__setattr__(self, "_read", {})

    @classmethod
    def from_dict(cls: type[Self], json: Mapping[str, Any]) -> Self:
        """The object of parsed JSON, such as that of `to_dict`."""
        return cls(deepcopy(dict(json)))

    def to_dict(self) -> dict[str, Any]:
        """A copy of the JSON as the service sent it, with all fields."""
        return deepcopy(self._json)

    # Hidden from type checkers, which know the fields by their annotations and report all others.
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            if name not in self._read:
                self._read[name] = self._field(name)
            return self._read[name]

    def _field(self, name: str) -> Any:
        key = name[:-1] if name.endswith("_") else name
        if key in self._json:
            return _frozen(self._json[key], self._parts.get(key), key in self._records)
        if key in self._optional:
            return None
        raise AttributeError(f"This {type(self).__name__} has no {name}.")

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"A {type(self).__name__} cannot be changed.")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"A {type(self).__name__} cannot be changed.")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and isinstance(other, Model) and self._json == other._json

    def __hash__(self) -> int:
        return hash((type(self).__name__, dumps(self._json, sort_keys=True)))

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={_shown(name, value)}" for name, value in self._json.items())
        return f"{type(self).__name__}({fields})"

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._json, *self._optional})

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self._json,)


def _frozen(value: Any, part: Callable[[Mapping[str, Any]], Any] | None, is_record: bool) -> Any:
    items, members = list_in(value), object_in(value)
    if items is not None:
        return tuple(_frozen(one, part, is_record) for one in items)
    if members is None:
        return value
    if part is not None and not is_record:
        return part(members)
    return MappingProxyType({key: _frozen(one, part, False) for key, one in members.items()})


def _shown(name: str, value: object) -> str:
    if name in _SECRETS:
        return "'***'"
    items, members = list_in(value), object_in(value)
    if members is not None:
        return "{…}" if members else "{}"
    return repr(value) if items is None else f"[{len(items)} items]" if items else "[]"
