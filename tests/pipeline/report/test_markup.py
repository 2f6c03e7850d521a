"""Elements whose texts and attributes are escaped."""

from __future__ import annotations

from pipeline.report.markup import data, element, table, text


def test_texts_are_escaped() -> None:
    """In content, attributes and cells."""
    assert text("b", "<i>&") == "<b>&lt;i&gt;&amp;</b>"
    assert element("a", class_='"x"', data_places=None) == '<a class="&quot;x&quot;"></a>'
    assert "<td>&lt;b&gt;</td>" in table(["a"], [["<b>"]])


def test_data_is_json_in_an_attribute() -> None:
    """Names that contain markup end neither the attribute nor the element."""
    assert "<" not in element("p", title=data(["</p><script>'\""])).removeprefix("<p ")[:-5]
