"""Values as they are written: numbers, durations, times, texts, words, addresses, bytes; and the tests they make."""

from __future__ import annotations

import ipaddress
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from analyzer.filters.endpoints import Endpoint, endpoint_of
from analyzer.filters.errors import FilterError, near
from analyzer.filters.kinds import Kind
from analyzer.filters.regular import searcher
from analyzer.filters.syntax import Place, Stretch, Value
from analyzer.filters.value_tests import ORDERS, AnyTest, Number, NumberTest, RangeTest, Test, TextTest, text_of

SECOND = 1_000_000_000
UNITS = {"ns": 1, "us": 1_000, "\u00b5s": 1_000, "ms": 1_000_000, "s": SECOND, "min": 60 * SECOND, "h": 3600 * SECOND}
NUMBER = re.compile(r"([+-]?)(?:0[xX]([0-9a-fA-F]{1,32})|(\d{1,40})(\.\d{0,40})?(?:[eE]([+-]?\d{1,3}))?)", re.ASCII)
DURATION = re.compile(r"([+-]?)(\d{1,18}(?:\.\d{0,18})?|\.\d{1,18})(ns|us|\u00b5s|ms|s|min|h)", re.ASCII)
HEX_BYTES = re.compile(r"[0-9a-fA-F]{2}(?:[:-][0-9a-fA-F]{2})*")
MOST_PORT = 65_535
YES, NO = ("true", "yes", "1"), ("false", "no", "0")


@dataclass(frozen=True, slots=True)
class Meaning:
    """What is needed to read a value that a field is compared with."""

    name: str
    """Of the field, for a sentence."""
    kind: Kind
    words: Mapping[str, tuple[Number, ...]]
    """Words of a field of numbers, in lower case, and what they stand for."""
    choices: Sequence[str] = ()
    """The texts it may have, in their order where that means something; empty: any."""
    aliases: Mapping[str, tuple[str, ...]] | None = None
    """Other spellings of choices, in lower case."""
    closed: bool = True
    """It has no other texts than `choices`."""


def test_of(meaning: Meaning, sign: str, value: Value) -> Test:
    """The test that an operator and a value make; != is the contrary of ==, which is not made here.

    Raises FilterError.
    """
    if sign == "contains":
        return _contains(meaning, value)
    if sign == "matches":
        return _matches(value)
    readers = {
        Kind.NUMBER: _number_test,
        Kind.DURATION: _number_test,
        Kind.TIME: _number_test,
        Kind.TEXT: _text_test,
        Kind.CHOICE: _choice_test,
        Kind.ORDERED: _ordered_test,
        Kind.FLAG: _flag_test,
        Kind.ADDRESS: _address_test,
        Kind.BYTES: _bytes_test,
        Kind.ANY: _any_test,
    }
    return readers[meaning.kind](meaning, sign, value)


def entry_test(meaning: Meaning, value: Value | Stretch) -> Test:
    """The test of an entry between braces: a value or, of numbers, a range `low..high`. Raises FilterError."""
    if isinstance(value, Stretch):
        return _range_test(meaning, value, value.low, value.high)
    low, dots, high = value.text.partition("..")
    if value.quoted or not dots:
        return test_of(meaning, "==", value)
    middle = value.start + len(low)
    first, last = (
        Value(start, start + len(text), text, quoted=False) for start, text in ((value.start, low), (middle + 2, high))
    )
    return _range_test(meaning, value, first, last)


def _range_test(meaning: Meaning, whole: Place, low: Value, high: Value) -> Test:
    if meaning.kind not in (Kind.NUMBER, Kind.DURATION, Kind.TIME, Kind.ANY):
        raise FilterError(f"{meaning.name} is {_a(meaning.kind)}, which has no ranges", whole.start, whole.end)
    first, last = number_of(meaning, low), number_of(meaning, high)
    if first > last:
        raise FilterError(f"the range is empty: {_shown(low)} is above {_shown(high)}", whole.start, whole.end)
    return RangeTest(first, last)


def number_of(meaning: Meaning, value: Value) -> Number:
    """A number, a duration or a time. Raises FilterError."""
    if meaning.kind is Kind.TIME:
        return _time(value)
    known = meaning.words.get(value.text.lower())
    if known is not None:
        return known[0]
    found = DURATION.fullmatch(value.text)
    if meaning.kind is Kind.DURATION and found is not None:
        return _signed(found[1], _exact(found[2], UNITS[found[3]]))
    number = _plain_number(value)
    if number is None:
        suggestions = near(value.text, meaning.words) if meaning.words else ()
        example = {Kind.DURATION: "a duration such as 20ms or 1.5s"}.get(meaning.kind, "a number")
        example += f" or one of its words ({_few(list(meaning.words))})" if meaning.words else ""
        extra = "; durations are for fields of time" if found is not None else ""
        raise FilterError(
            f"{meaning.name} is compared with {example}, not {_shown(value)}{extra}",
            value.start,
            value.end,
            suggestions,
        )
    if meaning.kind is Kind.DURATION:
        number *= SECOND
        return int(number) if math.isfinite(number) and number == int(number) else number
    return number


def mask_of(name: str, bits: Mapping[str, int], value: Value) -> int:
    """Bits to look at: a number, or the name of one. Raises FilterError."""
    known = bits.get(value.text.lower())
    if known is not None:
        return known
    number = _plain_number(value)
    if isinstance(number, int) and 0 < number < 1 << 63:
        return number
    wanted = f"a mask such as 0x20 or one of its bits ({_few(list(bits))})" if bits else "a mask such as 0x20"
    text = f"{name} & wants {wanted}, not {_shown(value)}"
    raise FilterError(text, value.start, value.end, near(value.text, bits))


def _plain_number(value: Value) -> Number | None:
    found = None if value.quoted else NUMBER.fullmatch(value.text)
    if found is None:
        return None
    if found[2]:
        return _signed(found[1], int(found[2], 16))
    if found[4] is None and found[5] is None:
        return _signed(found[1], int(found[3]))
    number = float(value.text)
    return number if math.isfinite(number) else None


def _signed(sign: str, number: Number) -> Number:
    return -number if sign == "-" else number


def _exact(digits: str, unit: int) -> Number:
    """Without rounding where it is whole."""
    whole, _, fraction = digits.partition(".")
    scaled: int = int(whole or "0") * unit * 10 ** len(fraction) + int(fraction or "0") * unit
    unit = int(10 ** len(fraction))
    quotient, rest = divmod(scaled, unit)
    return quotient if not rest else scaled / unit


def _number_test(meaning: Meaning, sign: str, value: Value) -> Test:
    known = meaning.words.get(value.text.lower())
    if known is not None and sign == "==" and len(known) > 1:
        return AnyTest(tuple(NumberTest("==", number) for number in known))
    return NumberTest(sign, number_of(meaning, value))


def _time(value: Value) -> Number:
    """Nanoseconds since 1970 of a date, with or without a time of day, in UTC unless it says otherwise."""
    text = value.text.strip()
    number = _plain_number(value)
    if number is not None and abs(number) < 1 << 62:
        return int(number * SECOND) if isinstance(number, float) else number * SECOND
    match = re.fullmatch(r"(.*:\d\d)\.(\d{1,9})(.*)", text)
    try:
        moment = datetime.fromisoformat(match[1] + match[3] if match else text)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        whole = (moment - datetime(1970, 1, 1, tzinfo=UTC)) // _MICROSECOND
    except (ValueError, OverflowError):
        text = 'a time is written as "2026-01-31 12:00:00.5" or in seconds since 1970'
        raise FilterError(text, value.start, value.end) from None
    return whole * 1000 + (int(match[2].ljust(9, "0")) if match else 0)


_MICROSECOND = datetime(1970, 1, 1, microsecond=1) - datetime(1970, 1, 1)


def _text_test(meaning: Meaning, sign: str, value: Value) -> Test:
    text = value.text
    if meaning.choices:
        _refuse_misspelt(meaning, value)
    return TextTest(lambda own: own == text)


def _refuse_misspelt(meaning: Meaning, value: Value) -> None:
    """A text that is none of those that are known, but near one."""
    known = [*meaning.choices, *(meaning.aliases or ())]
    if value.text.lower() in {text.lower() for text in known}:
        return
    found = near(value.text, known)
    if meaning.closed:
        text = f"{meaning.name} is never {_shown(value)}; it may be {_few(list(meaning.choices))}"
        raise FilterError(text, value.start, value.end, found)
    if found and not value.quoted:
        text = f"no {meaning.name} is known that is {_shown(value)}; in quotes it is taken as it is"
        raise FilterError(text, value.start, value.end, found)


def _choice_test(meaning: Meaning, sign: str, value: Value) -> Test:
    _refuse_misspelt(meaning, value)
    lower = value.text.lower()
    wanted = {lower, *(text.lower() for text in (meaning.aliases or {}).get(lower, ()))}
    return TextTest(lambda own: isinstance(own, str) and own.lower() in wanted)


def _ordered_test(meaning: Meaning, sign: str, value: Value) -> Test:
    _refuse_misspelt(meaning, value)
    order = [text.lower() for text in meaning.choices]
    wanted, compare = order.index(value.text.lower()), ORDERS[sign]
    return TextTest(lambda own: isinstance(own, str) and own in order and bool(compare(order.index(own), wanted)))


def _flag_test(meaning: Meaning, sign: str, value: Value) -> Test:
    word = value.text.lower()
    if word not in YES + NO:
        text = f"{meaning.name} is true or false, not {_shown(value)}"
        raise FilterError(text, value.start, value.end, near(word, ("true", "false")))
    return NumberTest("==", int(word in YES))


def _address_test(meaning: Meaning, sign: str, value: Value) -> Test:
    if "/" in value.text:
        return _network_test(value)
    wanted = endpoint_of(value.text)
    if wanted.address is None:
        text = "an address is written as 10.0.0.1, 10.0.0.1:8303, ::1, [::1]:8303 or as a network such as 10.0.0.0/8"
        raise FilterError(f"{text}, not {_shown(value)}", value.start, value.end)
    if wanted.port is not None and wanted.port > MOST_PORT:
        start = value.end - value.quoted - len(str(wanted.port))
        raise FilterError(f"ports end at {MOST_PORT}", start, value.end - value.quoted)

    def fits(own: object) -> bool:
        return (
            isinstance(own, Endpoint)
            and own.address == wanted.address
            and (wanted.port is None or own.port == wanted.port)
        )

    return TextTest(fits)


def _network_test(value: Value) -> Test:
    try:
        network = ipaddress.ip_network(value.text, strict=False)
    except ValueError:
        text = f"a network is written as 10.0.0.0/8 or fe80::/10, not {_shown(value)}"
        raise FilterError(text, value.start, value.end) from None
    return TextTest(lambda own: isinstance(own, Endpoint) and own.address is not None and own.address in network)


def _bytes_test(meaning: Meaning, sign: str, value: Value) -> Test:
    wanted = _bytes(value)
    return TextTest(lambda own: own == wanted)


def _bytes(value: Value) -> bytes:
    if value.quoted:
        return value.text.encode("utf-8", "surrogatepass")
    text = value.text.removeprefix("0x")
    if HEX_BYTES.fullmatch(text) is None and (len(text) % 2 or re.fullmatch(r"[0-9a-fA-F]+", text) is None):
        text = f"bytes are written as de:ad:be:ef or as quoted text, not {_shown(value)}"
        raise FilterError(text, value.start, value.end)
    return bytes.fromhex(text.replace(":", "").replace("-", ""))


def _any_test(meaning: Meaning, sign: str, value: Value) -> Test:
    number = _plain_number(value)
    if sign in (">", ">=", "<", "<=") and number is None:
        raise FilterError(f"{sign} wants a number, not {_shown(value)}", value.start, value.end)
    words = meaning.words.get(value.text.lower(), ())
    tests: list[Test] = [NumberTest("==", word) for word in words]
    if number is not None:
        tests.append(NumberTest(sign, number))
    if sign == "==":
        text = value.text
        tests.append(TextTest(lambda own: own == text))
    return AnyTest(tuple(tests))


def _contains(meaning: Meaning, value: Value) -> Test:
    if meaning.kind is Kind.BYTES:
        wanted = _bytes(value)
        return TextTest(lambda own: isinstance(own, bytes) and wanted in own)
    text = value.text
    return TextTest(lambda own: text in text_of(own))


def _matches(value: Value) -> Test:
    try:
        in_text = searcher(value.text)
        # Bytes are looked at as if each were a character.
        in_bytes = searcher(value.text.encode("utf-8", "surrogatepass").decode("latin-1"), re.ASCII)
    except ValueError as error:
        raise FilterError(str(error), value.start, value.end) from None

    def fits(own: object) -> bool:
        return in_bytes(own.decode("latin-1")) if isinstance(own, bytes) else in_text(text_of(own))

    return TextTest(fits)


def _a(kind: Kind) -> str:
    return f"an {kind.value}" if kind.value[0] in "aeiou" else f"a {kind.value}"


def _shown(value: Value) -> str:
    text = value.text if value.text.isprintable() else ascii(value.text)[1:-1]
    text = text if len(text) < 40 else f"{text[:37]}..."
    return f'"{text}"' if value.quoted or not text else text


def _few(words: list[str]) -> str:
    shown = ", ".join(words[:12])
    return f"{shown}, ..." if len(words) > 12 else shown
