"""Layouts are plain values."""

from __future__ import annotations

from analyzer.snapshots.layouts import Layout, LayoutField, Layouts, ValueKind


def test_what_is_not_said_is_empty() -> None:
    assert Layouts() == Layouts((), ())
    assert Layout("NETMSG_INPUT", "Input") == Layout("NETMSG_INPUT", "Input", (), "")
    field = LayoutField("x", ValueKind.NUMBER)
    assert (field.meaning, dict(field.words), field.bits) == ("", {}, ())
