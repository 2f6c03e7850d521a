"""Distinguished names as text; the expected texts are those of a real Kafka on a JVM."""

from __future__ import annotations

import pytest
from cryptography import x509
from cryptography.x509.oid import NameOID

from broker.security.tls.der import DerReader
from broker.security.tls.distinguished_name import distinguished_name


def text(*attributes: tuple[x509.ObjectIdentifier, str], multi: bool = False) -> str:
    """The text for a name with these attributes, in the order of the certificate."""
    values = [x509.NameAttribute(*attribute) for attribute in attributes]
    parts = [values] if multi else [[value] for value in values]
    name = x509.Name([x509.RelativeDistinguishedName(part) for part in parts])
    return distinguished_name(DerReader(name.public_bytes()).octets())


def test_the_most_specific_part_comes_first() -> None:
    """Special characters get a backslash."""
    assert (
        text(
            (NameOID.COUNTRY_NAME, "DE"),
            (NameOID.ORGANIZATION_NAME, "Example, Inc."),
            (NameOID.ORGANIZATIONAL_UNIT_NAME, "Eng"),
            (NameOID.COMMON_NAME, "alice"),
        )
        == "CN=alice,OU=Eng,O=Example\\, Inc.,C=DE"
    )


def test_other_attributes_are_numbers_and_hexadecimal_digits() -> None:
    """The digits include the tag and the length of the value."""
    assert (
        text((NameOID.EMAIL_ADDRESS, "bob@example.org"), (NameOID.COMMON_NAME, "bob"))
        == "CN=bob,1.2.840.113549.1.9.1=#160f626f62406578616d706c652e6f7267"
    )
    assert text((NameOID.TITLE, "Dr")) == "2.5.4.12=#0c024472"


def test_a_part_with_several_attributes_is_joined() -> None:
    """They are in the order of the encoding."""
    assert text((NameOID.COMMON_NAME, "a"), (NameOID.USER_ID, "b"), multi=True) == "CN=a+UID=b"


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ('a=b+c<d>e#f;g"h\\i', 'a\\=b\\+c\\<d\\>e\\#f\\;g\\"h\\\\i'),
        (" a b ", "\\ a b\\ "),
        ("Jürgen Λ", "Jürgen Λ"),
    ],
)
def test_special_characters_are_escaped(name: str, written: str) -> None:
    """Blanks only at the ends; other characters stay."""
    assert text((NameOID.COMMON_NAME, name)) == f"CN={written}"


def test_an_empty_name_is_an_empty_text() -> None:
    """A certificate may have no subject."""
    assert text() == ""
