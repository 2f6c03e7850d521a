"""JAAS lines."""

from __future__ import annotations

import pytest

from broker.security.sasl.jaas import InvalidJaas, JaasModule, parse_jaas


@pytest.mark.parametrize(
    ("line", "options"),
    [
        ("M required;", {}),
        ("M REQUIRED ;", {}),
        ('M required a="b";', {"a": "b"}),
        ("M requisite a=b c='d e';", {"a": "b", "c": "d e"}),
        ('M sufficient "user_x y"="z";', {"user_x y": "z"}),
        ("M optional a_b-c.d$1=$e;", {"a_b-c.d$1": "$e"}),
        ("M required ä=ö;", {"ä": "ö"}),
        ('M required a="b" a="c";', {"a": "c"}),
        ('M required a="\\"b\\\\\\n\\101";', {"a": '"b\\\nA'}),
        ("M required // one\n /* two\n */ a=b / three\n;", {"a": "b"}),
        ('M\n\trequired\r\na\n=\n"//b";', {"a": "//b"}),
        ('M required a="";', {"a": ""}),
    ],
)
def test_a_line_has_a_module_and_options(line: str, options: dict[str, str]) -> None:
    """The control flag is needed and has no meaning."""
    assert parse_jaas(line) == JaasModule("M", options)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("", "names no login module"),
        (";", "names no login module"),
        ("M", "no control flag"),
        ("M mandatory;", "no control flag"),
        ('M required a="b"', "semicolon"),
        ("M required a=b/;", "semicolon"),
        ("M required a@b=c;", "no = after 'a'"),
        ("M required a;", "no = after 'a'"),
        ("M required a=123;", "double quotes"),
        ("M required a=-b;", "double quotes"),
        ('M required a="b;', "double quotes"),
        ('M required a="b\nc";', "double quotes"),
        ("M required a=b:c;", "semicolon"),
        ("M required; N required;", "2 login modules"),
        ("com.sun.security.auth.module.LdapLoginModule required;", "refuses"),
        ("com.sun.security.auth.module.JndiLoginModule required;", "refuses"),
    ],
)
def test_other_lines_are_refused(line: str, reason: str) -> None:
    """With a reason that names the place."""
    with pytest.raises(InvalidJaas, match=reason):
        parse_jaas(line)


def test_the_text_of_a_module_has_no_option() -> None:
    """It may have a password."""
    assert repr(JaasModule("M", {"password": "secret"})) == "JaasModule(M)"
