"""No secret of a configuration, a login or a token is in an output of the broker.

Known secrets are used in every way, also in wrong logins and in requests with errors. Then every
output is searched for them, as text and in base64: logs, wait records, the ready file, responses of
the admin interface and of DescribeConfigs, the command line of the process, and the messages of
starts and commands that are refused.
"""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]  # no types there
import pytest

from antechamber.admin_client import AdminClient, AdminError
from integration.machine.deadlines import ENDS_WITHIN_S, eventually
from integration.parity.acls import acl_filter
from integration.parity.admin_requests import BROKER, describe_configs
from integration.parity.client import Client, Closed, Receiver
from integration.parity.logins import authenticate, handshake, trusting
from integration.parity.timing import Events
from integration.processes.antechamber import Antechamber, Serve, start_serve
from integration.security.certificates import certificates
from integration.security.sasl import (
    OAUTHBEARER,
    PLAIN,
    SHA_256,
    Scram,
    bearer,
    plain,
    salted,
    unsecured_token,
)
from integration.security.secured import Secured
from integration.security.users import ADMIN, OWN_PASSWORD, password_of
from protocol.messages.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    ScramCredentialUpsertion,
)
from protocol.messages.create_delegation_token import CreateDelegationTokenRequest
from protocol.messages.describe_delegation_token import DescribeDelegationTokenRequest
from protocol.messages.expire_delegation_token import ExpireDelegationTokenRequest
from protocol.messages.metadata import MetadataRequest

_WRONG = "wrong-8c1d5b"
_SCRAM_WORD = "scram-77e0a4"
_SALT = b"salt-31f9c2"
_ADMIN_TOKEN, _READ_ONLY_TOKEN = "admin-token-5b2f90", "read-token-c66d13"
_PATHS = (
    "cluster",
    "requests",
    "sessions",
    "share_partitions",
    "statistics",
    "timers",
    "transactions",
)


class Secrets:
    """The secrets that have been used."""

    def __init__(self) -> None:
        self._each: dict[str, bytes] = {}

    def add(self, name: str, secret: str | bytes) -> None:
        """Search for a secret."""
        raw = secret.encode() if isinstance(secret, str) else bytes(secret)
        assert len(raw) > 5, name
        self._each[name] = raw
        self._each[f"{name} in base64"] = base64.b64encode(raw).rstrip(b"=")
        self._each[f"{name} as repr"] = repr(raw)[2:-1].encode()
        self._each[f"{name} in hex"] = raw.hex().encode()

    def found_in(self, outputs: dict[str, bytes]) -> list[str]:
        """The secrets in outputs, each with the name of the output."""
        return [
            f"{name} in {output}"
            for output, content in outputs.items()
            for name, secret in self._each.items()
            if secret in content
        ]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """Receives for the clients of a test."""
    made = Receiver()
    yield made
    made.close()


class _Player:
    """Uses the secrets on the listeners of a node."""

    def __init__(self, receiver: Receiver, listeners: dict[str, str], secrets: Secrets) -> None:
        self._receiver = receiver
        self._listeners = listeners
        self._secrets = secrets
        self._open = ExitStack()
        self.close = self._open.close

    def client(self, listener: str) -> Client:
        context = trusting() if listener == "SASLTLS" else None
        made = Client(self._receiver, self._listeners[listener], Events(), context=context)
        return self._open.enter_context(closing(made))

    def log_in(self, listener: str, mechanism: str, *tokens: bytes) -> Client:
        client = self.client(listener)
        client.request(handshake(mechanism), 1)
        for token in tokens:
            try:
                client.request(authenticate(token), 2)
            except Closed:
                break
        return client

    def plain_logins(self) -> None:
        for listener in ("SASL", "SASLTLS"):
            for password in (password_of(ADMIN), _WRONG):
                self.log_in(listener, PLAIN, plain(ADMIN, password))
            self.log_in(listener, PLAIN, f"a\0b\0{_WRONG}\0more".encode())
            self.log_in(listener, PLAIN, b"\0\xff\0" + _WRONG.encode())
            raw = self.client(listener)
            raw.request(handshake(PLAIN), 0)
            raw.start_frame(plain(ADMIN, _WRONG))
        early = self.client("SASL")
        early.start(authenticate(plain(ADMIN, _WRONG)), 2)
        early.is_closed()

    def scram_logins(self) -> None:
        word = salted(SHA_256, _SCRAM_WORD, _SALT)
        self._secrets.add("the salted password", word)
        upsertion = ScramCredentialUpsertion(
            name="scram", mechanism=1, iterations=4096, salt=_SALT, salted_password=word
        )
        administrator = self.client("PLAINTEXT")
        for mechanism in (1, 9):
            upsertion.mechanism = mechanism
            administrator.request(
                AlterUserScramCredentialsRequest(deletions=[], upsertions=[upsertion])
            )
        for password in (_SCRAM_WORD, _WRONG):
            client = self.client("SASL")
            client.request(handshake(SHA_256), 1)
            scram = Scram(SHA_256, "scram", password)
            first = client.request(authenticate(scram.first()), 2)
            final = scram.final(bytes(first.auth_bytes))
            self._secrets.add(f"the proof of {password}", final.rpartition(b"p=")[2])
            client.request(authenticate(final), 2)

    def bearer_logins(self) -> None:
        for name, lifetime_s in (("good", 3600), ("expired", -10)):
            token = unsecured_token("bearer", lifetime_s)
            self._secrets.add(f"the {name} token", token)
            self.log_in("SASL", OAUTHBEARER, bearer(token), b"\x01")
        self._secrets.add("the junk token", f"junk.{_WRONG}.")
        self.log_in("SASL", OAUTHBEARER, bearer(f"junk.{_WRONG}."), b"\x01")

    def tokens(self) -> None:
        client = self.log_in("SASL", PLAIN, plain(ADMIN, password_of(ADMIN)))
        token = client.request(CreateDelegationTokenRequest(renewers=[], max_lifetime_ms=-1))
        hmac = bytes(token.hmac)
        self._secrets.add("the hmac of a token", hmac)
        client.request(DescribeDelegationTokenRequest(owners=None))
        for known in (hmac, hmac + b"x"):
            client.request(ExpireDelegationTokenRequest(hmac=known, expiry_time_period_ms=-1))

    def all_settings(self) -> bytes:
        response = self.client("PLAINTEXT").request(
            describe_configs("1", kind=BROKER, synonyms=True)
        )
        return repr(response).encode()

    def all_acls(self) -> bytes:
        return repr(self.client("PLAINTEXT").request(acl_filter())).encode()


def test_no_output_has_a_secret(
    serve: Serve, receiver: Receiver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The outputs of a broker on which every kind of login and token has been used."""
    secured, records = Secured({}), tmp_path / "records.jsonl"
    secrets = Secrets()
    for name, secret in _configured().items():
        secrets.add(name, secret)
    token = tmp_path / "token"
    token.write_text(_READ_ONLY_TOKEN)
    monkeypatch.setenv("ANTECHAMBER_ADMIN_TOKEN", _ADMIN_TOKEN)
    arguments = ("--properties", str(secured.file), "--records", str(records))
    running = serve(*arguments, "--admin-read-only-token-file", str(token), "--verbose")
    player = _Player(receiver, secured.listeners, secrets)
    player.plain_logins()
    player.scram_logins()
    player.bearer_logins()
    player.tokens()
    outputs = {"DescribeConfigs": player.all_settings(), "DescribeAcls": player.all_acls()}
    outputs["process"] = " ".join(psutil.Process(running.pid).cmdline()).encode()
    outputs |= {path: _admin(running, "GET", f"/v1/{path}") for path in _PATHS}
    outputs["a change"] = _admin(running, "POST", "/v1/nodes/1/pause", _READ_ONLY_TOKEN)
    outputs["an unknown path"] = _admin(running, "GET", f"/{_WRONG}?token={_WRONG}")
    outputs["a wrong token"] = _admin(running, "GET", "/v1/cluster", _WRONG)
    outputs["a command"] = _command(running)
    last = player.client("PLAINTEXT")
    last.request(MetadataRequest(topics=[]))
    eventually(lambda: records.exists() and b'"DescribeAcls"' in records.read_bytes(), "records")
    player.close()
    outputs["ready file"] = (running.directory / "ready.json").read_bytes()
    running.process.stop()
    outputs["records"] = records.read_bytes()
    outputs["stdout"] = running.process.stdout_path.read_bytes()
    outputs["stderr"] = running.process.stderr_path.read_bytes()
    assert secrets.found_in(outputs) == []


_REFUSED = {
    "a JAAS line without an end": (
        "listener.name.sasl.plain.sasl.jaas.config",
        f'org.apache.kafka.common.security.plain.PlainLoginModule required user_a="{_WRONG}"',
    ),
    "a JAAS line with another flag": (
        "listener.name.sasl.plain.sasl.jaas.config",
        f'org.apache.kafka.common.security.plain.PlainLoginModule wanted user_a="{_WRONG}";',
    ),
    "a JAAS line with an unquoted value": (
        "listener.name.sasl.plain.sasl.jaas.config",
        f"org.apache.kafka.common.security.plain.PlainLoginModule required user_a=1{_WRONG}@;",
    ),
    "a password of a PEM store": ("ssl.keystore.password", _WRONG),
    "a password without a store": ("listener.name.tls.ssl.truststore.password", _WRONG),
}


_REFUSED_TOKENS = {
    "an option": ("--admin-token", f"two {_WRONG}"),
    "an option and a file": ("--admin-token", _WRONG, "--admin-token-file", "f"),
    "equal ones": ("--admin-token", _WRONG, "--admin-read-only-token", _WRONG),
}


@pytest.mark.parametrize("what", _REFUSED_TOKENS)
def test_no_refused_token_is_shown(what: str, tmp_path: Path) -> None:
    """The message names the options."""
    process = start_serve(tmp_path, *_REFUSED_TOKENS[what])
    code = process.wait(60)
    printed = process.stderr()
    assert code == 2, printed
    assert printed.count("\n") == 1, printed
    assert _WRONG not in printed


@pytest.mark.parametrize("what", _REFUSED)
def test_no_refused_start_has_a_secret(what: str, tmp_path: Path) -> None:
    """The message of a start that fails names the key, and not the value of a password."""
    key, value = _REFUSED[what]
    secured = Secured({})
    with secured.file.open("a") as file:
        file.write(f"{key}={value}\n")
    process = start_serve(tmp_path, "--properties", str(secured.file))
    code = process.wait(60)
    printed = process.stderr()
    assert code == 2, printed
    assert printed.count("\n") == 1, printed
    assert _WRONG not in printed


def _configured() -> dict[str, str | bytes]:
    key = certificates().server.path.read_text().split("-----")[2].strip()
    return {
        "the broker's password": OWN_PASSWORD,
        "a configured password": password_of("user-001"),
        "the administrator's password": password_of(ADMIN),
        "a wrong password": _WRONG,
        "a password of SCRAM": _SCRAM_WORD,
        "the private key": key.splitlines()[1],
        "the token of the admin interface": _ADMIN_TOKEN,
        "its read-only token": _READ_ONLY_TOKEN,
    }


def _admin(running: Antechamber, method: str, path: str, token: str = _ADMIN_TOKEN) -> bytes:
    """The response, or the message of the error."""
    try:
        response: Any = AdminClient(running.ready["admin"], token=token).call(method, path)
    except AdminError as error:
        return str(error).encode()
    return json.dumps(response).encode()


def _command(running: Antechamber) -> bytes:
    """The output of a command with a wrong token."""
    words = ("-m", "antechamber", "requests", "--admin", running.ready["admin"])
    given = ("--admin-token", _WRONG)
    ran = subprocess.run(
        [sys.executable, *words, *given], capture_output=True, timeout=ENDS_WITHIN_S, check=False
    )
    assert ran.returncode == 1
    return ran.stdout + ran.stderr
