"""SCRAM credentials: altered, described and rejected (KIP-554)."""

from __future__ import annotations

from integration.parity.logins import (
    PASSWORD,
    SALT,
    add_scram_user,
    scram_outcome,
    started_handshake,
)
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import SECURED
from integration.security.sasl import ITERATIONS, SHA_256, SHA_512, Scram, salted
from protocol.messages.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    ScramCredentialDeletion,
    ScramCredentialUpsertion,
)
from protocol.messages.describe_user_scram_credentials import (
    DescribeUserScramCredentialsRequest,
    UserName,
)

_256, _512 = 1, 2


def _set(
    user: str, mechanism: int = _256, iterations: int = ITERATIONS, password: str = PASSWORD
) -> ScramCredentialUpsertion:
    name = SHA_512 if mechanism == _512 else SHA_256
    return ScramCredentialUpsertion(
        name=user,
        mechanism=mechanism,
        iterations=iterations,
        salt=SALT,
        salted_password=salted(name, password, SALT, max(1, iterations)),
    )


def _altered(
    *changes: ScramCredentialUpsertion | ScramCredentialDeletion,
) -> AlterUserScramCredentialsRequest:
    return AlterUserScramCredentialsRequest(
        deletions=[each for each in changes if isinstance(each, ScramCredentialDeletion)],
        upsertions=[each for each in changes if isinstance(each, ScramCredentialUpsertion)],
    )


def _described(*users: str) -> DescribeUserScramCredentialsRequest:
    return DescribeUserScramCredentialsRequest(users=[UserName(name=user) for user in users])


def _delete(user: str, mechanism: int = _256) -> ScramCredentialDeletion:
    return ScramCredentialDeletion(name=user, mechanism=mechanism)


@scenario(on=SECURED)
def credentials_are_set_and_described(kafka: Kafka) -> Observations:
    """Both mechanisms of a user, replaced, described and deleted one by one."""
    user = kafka.new_name("user")
    for change in (
        _set(user),
        _set(user, _512, 8192),
        _set(user, _256, 5000),
        _delete(user, _256),
        _delete(user, _512),
        _delete(user, _512),
    ):
        yield type(change).__name__, kafka.request(_altered(change))
        kafka.settle()
        response = kafka.request(_described(user))
        for each in response.results:
            each.credential_infos.sort(key=lambda info: info.mechanism)
        yield response


@scenario(on=SECURED)
def rejected_credentials(kafka: Kafka) -> Observations:
    """Each rejected change has its message, and the others are made."""
    good = kafka.new_name("user")
    for what, change in (
        ("too few", _set(kafka.new_name("user"), iterations=4095)),
        ("too many", _set(kafka.new_name("user"), iterations=16385)),
        ("negative", _set(kafka.new_name("user"), iterations=-1)),
        ("no name", _set("")),
        ("mechanism 0", _set(kafka.new_name("user"), 0)),
        ("mechanism 3", _set(kafka.new_name("user"), 3)),
        ("unknown user", _delete(kafka.new_name("user"))),
        ("delete no name", _delete("")),
        ("delete mechanism 0", _delete(kafka.new_name("user"), 0)),
    ):
        response = kafka.request(_altered(change, _set(good)))
        response.results.sort(key=lambda each: each.user)
        yield what, response


@scenario(on=SECURED)
def users_named_twice(kafka: Kafka) -> Observations:
    """A user may occur once in a request, also with two mechanisms or in both lists."""
    user = kafka.new_name("user")
    yield kafka.request(_altered(_set(user), _set(user)))
    yield kafka.request(_altered(_set(user), _set(user, _512)))
    yield kafka.request(_altered(_delete(user), _set(user)))
    yield kafka.request(_described(user))


@scenario(on=SECURED)
def no_credential_changes(kafka: Kafka) -> Observations:
    """An empty request has an empty response."""
    yield kafka.request(_altered())


@scenario(on=SECURED)
def unknown_users_are_described(kafka: Kafka) -> Observations:
    """Unknown users and users named twice have errors of their own."""
    user, unknown = add_scram_user(kafka), kafka.new_name("unknown")
    for users in ((user, unknown), (user, user), (unknown, unknown, user)):
        response = kafka.request(_described(*users))
        response.results.sort(key=lambda each: each.user)
        yield response


@scenario(on=SECURED)
def all_users_are_described(kafka: Kafka) -> Observations:
    """Null and an empty list mean all users."""
    user = add_scram_user(kafka, SHA_512)
    everyone = DescribeUserScramCredentialsRequest(users=None)
    for request in (everyone, _described()):
        response = kafka.request(request)
        yield response.error_code, response.error_message
        yield [each for each in response.results if each.user == user]


@scenario(on=SECURED)
def changed_passwords(kafka: Kafka) -> Observations:
    """A new password is valid at once, and the old one no longer is."""
    user = add_scram_user(kafka)
    kafka.request(_altered(_set(user, password="new", iterations=6000)))
    kafka.settle()
    for password in ("new", PASSWORD):
        scram = Scram(SHA_256, user, password)
        yield password, scram_outcome(started_handshake(kafka, SHA_256), scram)


@scenario(on=SECURED)
def deleted_users_stay_connected(kafka: Kafka) -> Observations:
    """Deleting a credential prevents logins and leaves connections."""
    user = add_scram_user(kafka)
    client = started_handshake(kafka, SHA_256)
    yield scram_outcome(client, Scram(SHA_256, user, PASSWORD))
    yield kafka.request(_altered(_delete(user)))
    kafka.settle()
    yield "open", not client.is_closed(0)
    scram = Scram(SHA_256, user, PASSWORD)
    yield "login", scram_outcome(started_handshake(kafka, SHA_256), scram)


@scenario(on=SECURED)
def names_with_special_characters(kafka: Kafka) -> Observations:
    """The escapes of commas and equals signs in names."""
    name = f"{kafka.new_name('user')}=a,b"
    yield kafka.request(_altered(_set(name)))
    kafka.settle()
    scram = Scram(SHA_256, name, PASSWORD)
    yield scram_outcome(started_handshake(kafka, SHA_256), scram)


@scenario(on=SECURED)
def results_are_in_hash_order(kafka: Kafka) -> Observations:
    """Users are in the order of a hash table, in altered results by the kind of change."""
    users = [f"user of a hash table {number}" for number in range(14)]
    invalid = [_set(f"invalid {number}", iterations=1) for number in range(4)]
    yield kafka.request(_altered(*invalid, *map(_set, users)))
    unknown = [f"unknown {number}" for number in range(4)]
    described = kafka.request(_described(*unknown, users[3], *users, unknown[0]))
    yield [(each.user, each.error_code) for each in described.results]
    deletions = [_delete(unknown[0]), *map(_delete, users[:5])]
    settings = [*map(_set, users[5:9]), *invalid, _set(users[8])]
    yield kafka.request(_altered(*deletions, *settings))
    yield kafka.request(_altered(*map(_delete, users[5:])))
