"""All ACLs of the cluster, indexed for decisions (the data of Kafka's ``StandardAuthorizerData``).

The index has the patterns of each resource type by name: literal ones and prefixes apart. The
lengths of the prefixes are counted, so the prefixes of a name are found by one look-up per length
instead of a search in a sorted list. The ACLs of a pattern are indexed by principal, so that a
decision reads only those of its own client.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from uuid import UUID

from broker.security.acl.binding import WILDCARD, AclBinding
from broker.security.resource import PatternType, ResourceType

# The ACLs of one pattern, by principal.
PatternAcls = dict[str, list[AclBinding]]


class Acls:
    """ACLs by id; each binding occurs once."""

    def __init__(self) -> None:
        self._bindings: dict[UUID, AclBinding] = {}
        self._ids: dict[AclBinding, UUID] = {}
        self._literals: dict[tuple[ResourceType, str], PatternAcls] = {}
        self._prefixes: dict[tuple[ResourceType, str], PatternAcls] = {}
        self._prefix_lengths: dict[ResourceType, Counter[int]] = {}

    def __len__(self) -> int:
        return len(self._bindings)

    def __iter__(self) -> Iterator[AclBinding]:
        return iter(self._bindings.values())

    def __contains__(self, binding: object) -> bool:
        return binding in self._ids

    @property
    def by_id(self) -> Mapping[UUID, AclBinding]:
        """All bindings, by id."""
        return self._bindings

    def id_of(self, binding: AclBinding) -> UUID:
        """The id of a binding; raises KeyError."""
        return self._ids[binding]

    def add(self, added: Mapping[UUID, AclBinding]) -> None:
        """Add new bindings."""
        for acl_id, binding in added.items():
            assert binding not in self._ids, "a binding is added once"
            self._bindings[acl_id] = binding
            self._ids[binding] = acl_id
            self._index(binding)

    def remove(self, ids: Iterable[UUID]) -> None:
        """Remove the bindings with these ids, which exist."""
        for acl_id in ids:
            binding = self._bindings.pop(acl_id)
            del self._ids[binding]
            self._unindex(binding)

    def of_resource(self, resource_type: ResourceType, name: str) -> list[PatternAcls]:
        """The ACLs of each pattern that matches the resource, most specific pattern first.

        An empty list: no ACL names the resource.
        """
        found = []
        literals, prefixes = self._literals, self._prefixes
        if (acls := literals.get((resource_type, name))) is not None:
            found.append(acls)
        if prefixes and (lengths := self._prefix_lengths.get(resource_type)):
            for length in sorted(lengths, reverse=True):
                if length <= len(name):
                    acls = prefixes.get((resource_type, name[:length]))
                    if acls is not None:
                        found.append(acls)
        if name != WILDCARD and (acls := literals.get((resource_type, WILDCARD))) is not None:
            found.append(acls)
        return found

    def of_principals(
        self, resource_type: ResourceType, principals: Iterable[str]
    ) -> Iterator[AclBinding]:
        """All ACLs of these principals for resources of a type."""
        for patterns in (self._literals, self._prefixes):
            for (kind, _), acls in patterns.items():
                if kind is resource_type:
                    for principal in principals:
                        yield from acls.get(principal, ())

    def _index(self, binding: AclBinding) -> None:
        kind, name = binding.resource_type, binding.name
        pattern = self._patterns(binding).setdefault((kind, name), {})
        if not pattern and binding.pattern_type is PatternType.PREFIXED:
            self._prefix_lengths.setdefault(kind, Counter())[len(name)] += 1
        pattern.setdefault(binding.principal, []).append(binding)

    def _unindex(self, binding: AclBinding) -> None:
        kind, name = binding.resource_type, binding.name
        patterns = self._patterns(binding)
        pattern = patterns[kind, name]
        pattern[binding.principal].remove(binding)
        if pattern[binding.principal]:
            return
        del pattern[binding.principal]
        if pattern:
            return
        del patterns[kind, name]
        if binding.pattern_type is PatternType.PREFIXED:
            lengths = self._prefix_lengths[kind]
            lengths[len(name)] -= 1
            lengths += Counter()  # removes lengths that are not used any more

    def _patterns(self, binding: AclBinding) -> dict[tuple[ResourceType, str], PatternAcls]:
        is_prefix = binding.pattern_type is PatternType.PREFIXED
        return self._prefixes if is_prefix else self._literals
