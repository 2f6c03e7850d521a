"""The texts of addresses, and the names of hosts."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.quotas.addresses import canonical, canonical_host

HOSTS = """\
# the machines of a test
2001:db8::1    Six both
192.0.2.1      four both  # 192.0.2.9 comment

192.0.2.2      both
"""


@pytest.mark.parametrize(
    ("address", "compared"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("localhost", "127.0.0.1"),
        ("::ffff:127.0.0.1", "127.0.0.1"),
        ("::1", "0:0:0:0:0:0:0:1"),
        ("FE80::1%eth0", "fe80:0:0:0:0:0:0:1"),
        ("(gone)", "(gone)"),
        ("no:address", "no:address"),
    ],
)
def test_an_address_is_compared_by_one_text(address: str, compared: str) -> None:
    """Zones are ignored; any other text is its own."""
    assert canonical(address) == compared


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("six", "2001:db8:0:0:0:0:0:1"),
        ("FOUR", "192.0.2.1"),
        ("both", "192.0.2.1"),
        ("comment", None),
        ("192.0.2.3", "192.0.2.3"),
        ("::1", "0:0:0:0:0:0:0:1"),
        ("localhost", "127.0.0.1"),
    ],
)
def test_a_host_has_its_address_in_the_hosts_file(
    host: str, address: str | None, tmp_path: Path
) -> None:
    """Its first IPv4 address, if it has one."""
    (tmp_path / "hosts").write_text(HOSTS)

    assert canonical_host(host, str(tmp_path / "hosts")) == address


def test_without_a_hosts_file_no_name_is_known(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A warning names the file."""
    assert canonical_host("six", str(tmp_path / "hosts")) is None
    assert str(tmp_path / "hosts") in caplog.text
