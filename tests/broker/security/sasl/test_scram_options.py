"""SCRAM credentials in options of the command line."""

from __future__ import annotations

import base64

import pytest

from broker.security.sasl.credentials import derive, salted_password
from broker.security.sasl.scram_options import InvalidScram, parse_scram, parse_user


def test_a_user_has_credentials_for_both_mechanisms() -> None:
    """A password may have colons."""
    credentials = parse_user("alice:a:b")

    assert [(each.user, each.mechanism) for each in credentials] == [
        ("alice", "SCRAM-SHA-256"),
        ("alice", "SCRAM-SHA-512"),
    ]
    for each in credentials:
        assert each.credential == derive(each.mechanism, "a:b", each.credential.salt)


@pytest.mark.parametrize("text", ["alice", "alice:", ":secret", ""])
def test_a_user_needs_a_name_and_a_password(text: str) -> None:
    """The message does not repeat them."""
    with pytest.raises(InvalidScram, match="NAME:PASSWORD") as failure:
        parse_user(text)

    assert "secret" not in str(failure.value)


@pytest.mark.parametrize(
    "text",
    [
        "SCRAM-SHA-512=[name=alice,password=secret,salt=c2FsdA==]",
        'SCRAM-SHA-512=[ password="secret" , name="alice" , salt=c2FsdA==, iterations=4096 ]',
    ],
)
def test_a_password_with_its_salt(text: str) -> None:
    """In the grammar of Kafka's kafka-storage.sh."""
    parsed = parse_scram(text)

    assert parsed == ("alice", "SCRAM-SHA-512", derive("SCRAM-SHA-512", "secret", b"salt"))


def test_a_salt_is_made_unless_it_is_given() -> None:
    """Each has another one."""
    one, other = (parse_scram("SCRAM-SHA-256=[name=a,password=b]") for _ in range(2))

    assert one.credential.salt != other.credential.salt


def test_a_salted_password() -> None:
    """With its salt and iterations."""
    salted = base64.b64encode(salted_password("SCRAM-SHA-256", "secret", b"salt", 8192)).decode()

    parsed = parse_scram(
        f"SCRAM-SHA-256=[name=a,saltedpassword={salted},salt=c2FsdA==,iterations=8192]"
    )

    assert parsed.credential == derive("SCRAM-SHA-256", "secret", b"salt", 8192)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is not MECHANISM="),
        ("SCRAM-SHA-256=name=a,password=hush", "is not MECHANISM="),
        ("SCRAM-SHA-1=[name=a,password=hush]", "mechanism is not one of"),
        ("SCRAM-SHA-256=[password=hush]", "name is missing"),
        ("SCRAM-SHA-256=[name=a]", "one of password and saltedpassword"),
        ("SCRAM-SHA-256=[name=a,password=hush,saltedpassword=hush]", "one of password"),
        ("SCRAM-SHA-256=[name=a,saltedpassword=aHVzaA==]", "salt is missing"),
        ("SCRAM-SHA-256=[name=a,password=hush,salt=!]", "salt is not Base64"),
        ("SCRAM-SHA-256=[name=a,password=hush,iterations=4095]", "from 4096 to 16384"),
        ("SCRAM-SHA-256=[name=a,password=hush,iterations=16385]", "from 4096 to 16384"),
        ("SCRAM-SHA-256=[name=a,password=hush,iterations=x]", "from 4096 to 16384"),
        ("SCRAM-SHA-256=[name=a,password=hush,other=1]", "a part is not one of"),
        ("SCRAM-SHA-256=[name=a,password=x,hush]", "a part is not one of"),
        ("SCRAM-SHA-256=[name=a,password=]", "password is empty"),
    ],
)
def test_other_options_are_refused(text: str, reason: str) -> None:
    """The message has no secret."""
    with pytest.raises(InvalidScram, match=reason) as failure:
        parse_scram(text)

    assert "hush" not in str(failure.value)
