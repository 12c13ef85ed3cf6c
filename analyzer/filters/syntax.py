"""The grammar of filters, and the tree that a text becomes. What the names mean is not looked at here.

snapshot.status == crc && (client == 10.0.0.0/8 || !session.player in {"ann", "bob"})
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from lark import Lark, Token, Transformer, v_args
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken
from lark.parsers.lalr_interactive_parser import InteractiveParser

from analyzer.filters.errors import FilterError

MOST_CHARACTERS = 20_000
MOST_DEPTH = 100
"""Brackets, negations and functions in one another."""

GRAMMAR = r"""
?start: either

?either: both (OR both)*
?both: negation (AND negation)*
?negation: NOT negation -> negated
    | "(" either ")" -> group
    | test
?test: operand -> present
    | operand OPERATOR value -> compared
    | operand IN "{" entry ("," entry)* "}" -> member
    | operand NOT IN "{" entry ("," entry)* "}" -> no_member
?operand: term
    | term AMPERSAND value -> masked
?term: NAME -> named
    | NAME "(" term ")" -> called
?entry: value
    | STRING DOTS STRING -> stretch
value: WORD | STRING

OR.2: /\|\||or\b/
AND.2: /&&|and\b/
NOT.2: /!(?!=)|not\b/
IN.2: /in\b/
OPERATOR.2: /==|!=|>=|<=|>|<|~|(?:eq|ne|ge|le|gt|lt|contains|matches)\b/
AMPERSAND: /&(?!&)/
NAME: /[A-Za-z_][A-Za-z0-9_]*(?:\[[^\[\]\s]*\])?(?:\.[A-Za-z0-9_]+(?:\[[^\[\]\s]*\])?)*/
DOTS.2: /\.\.(?=\s*")/
STRING: /"(?:[^"\\]|\\.)*"/s
WORD.-1: /[^\s(){},"&|!<>=~]+/

%ignore /\s+/
"""
SYNONYMS = {"eq": "==", "ne": "!=", "ge": ">=", "le": "<=", "gt": ">", "lt": "<", "~": "matches"}
EXPECTED = {
    "NAME": "a field",
    "NOT": "not",
    "LPAR": "(",
    "RPAR": ")",
    "OPERATOR": "an operator such as ==",
    "IN": "in",
    "AMPERSAND": "&",
    "AND": "&&",
    "OR": "||",
    "WORD": "a value",
    "LBRACE": "{",
    "RBRACE": "}",
    "COMMA": "a comma",
    "DOTS": ".. with a quoted value",
    "$END": "the end",
}
"""What terminals are called in a sentence, in the order in which they are named; those that are missing are not."""


@dataclass(frozen=True, slots=True)
class Place:
    """Part of the text: from a position to the one behind its end."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Value(Place):
    """A value as it is written."""

    text: str
    """Of a quoted one what is between the quotes, escapes resolved."""
    quoted: bool


@dataclass(frozen=True, slots=True)
class Stretch(Place):
    """Quoted values from one to another."""

    low: Value
    high: Value


@dataclass(frozen=True, slots=True)
class Name(Place):
    """A field."""

    text: str


@dataclass(frozen=True, slots=True)
class Call(Place):
    """A function of something."""

    function: Name
    argument: Term


@dataclass(frozen=True, slots=True)
class Masked(Place):
    """Some bits of something."""

    term: Term
    mask: Value


Term = Name | Call
Operand = Name | Call | Masked


@dataclass(frozen=True, slots=True)
class Present(Place):
    """Something is there."""

    operand: Operand


@dataclass(frozen=True, slots=True)
class Compared(Place):
    """Something is compared with a value."""

    operand: Operand
    operator: str
    """`==`, `!=`, `>`, `>=`, `<`, `<=`, `contains` or `matches`."""
    value: Value


@dataclass(frozen=True, slots=True)
class Member(Place):
    """Something is one of some values."""

    operand: Operand
    values: tuple[Value | Stretch, ...]


@dataclass(frozen=True, slots=True)
class Negated(Place):
    """Not."""

    inner: Node


@dataclass(frozen=True, slots=True)
class Joined(Place):
    """`&&` (every) or `||` of two or more."""

    every: bool
    parts: tuple[Node, ...]


Node = Present | Compared | Member | Negated | Joined


def read(text: str) -> Node | None:
    """The tree of a text, None of one that is blank. Raises FilterError."""
    if len(text) > MOST_CHARACTERS:
        raise FilterError(f"a filter has at most {MOST_CHARACTERS:,} characters", MOST_CHARACTERS, len(text))
    if not text.strip():
        return None
    try:
        tree = _built(_parser().parse(text))
    except UnexpectedInput as error:
        raise _explained(text, error) from None
    _refuse_deep(tree)
    return tree


def _built(tree: object) -> Node:
    """What the builder made of the whole text."""
    assert isinstance(tree, Present | Compared | Member | Negated | Joined)
    return tree


def begin(text: str) -> tuple[list[Token], set[str]]:
    """The tokens of the beginning of a filter, and the terminals that may follow. Raises FilterError."""
    parser: InteractiveParser = _parser().parse_interactive(text)
    try:
        tokens = list(parser.iter_parse())
    except UnexpectedInput as error:
        raise _explained(text, error) from None
    return tokens, set(parser.accepts())  # type: ignore[no-untyped-call]


@v_args(inline=True)
class _Builder(Transformer[Token, Node]):
    """Makes the tree while the text is parsed, which needs no recursion however deep it is."""

    def named(self, name: Token) -> Name:
        return Name(*_place(name), str(name))

    def called(self, name: Token, argument: Term) -> Call:
        function = self.named(name)
        return Call(function.start, argument.end + 1, function, argument)

    def masked(self, term: Term, _: Token, mask: Value) -> Masked:
        return Masked(term.start, mask.end, term, mask)

    def value(self, token: Token) -> Value:
        start, end = _place(token)
        quoted = token.type == "STRING"
        return Value(start, end, _unescaped(str(token)[1:-1], start + 1) if quoted else str(token), quoted)

    def stretch(self, low: Token, _: Token, high: Token) -> Stretch:
        first, last = self.value(low), self.value(high)
        return Stretch(first.start, last.end, first, last)

    def present(self, operand: Operand) -> Present:
        return Present(operand.start, operand.end, operand)

    def compared(self, operand: Operand, operator: Token, value: Value) -> Compared:
        return Compared(operand.start, value.end, operand, SYNONYMS.get(str(operator), str(operator)), value)

    def member(self, operand: Operand, _: Token, *values: Value | Stretch) -> Member:
        return Member(operand.start, values[-1].end, operand, values)

    def no_member(self, operand: Operand, _: Token, inside: Token, *values: Value | Stretch) -> Negated:
        found = self.member(operand, inside, *values)
        return Negated(found.start, found.end, found)

    def negated(self, sign: Token, inner: Node) -> Negated:
        return Negated(_place(sign)[0], inner.end, inner)

    def group(self, inner: Node) -> Node:
        return inner

    def either(self, *parts: Node | Token) -> Joined:
        return self._joined(parts, every=False)

    def both(self, *parts: Node | Token) -> Joined:
        return self._joined(parts, every=True)

    def _joined(self, parts: tuple[Node | Token, ...], *, every: bool) -> Joined:
        nodes = tuple(part for part in parts if not isinstance(part, Token))
        return Joined(nodes[0].start, nodes[-1].end, every, nodes)


@cache
def _parser() -> Lark:
    return Lark(GRAMMAR, parser="lalr", lexer="contextual", transformer=_Builder(), propagate_positions=False)


def _place(token: Token) -> tuple[int, int]:
    start = token.start_pos or 0
    return start, start + len(token)


ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", '"': '"', "\\": "\\"}


def _unescaped(text: str, start: int) -> str:
    if "\\" not in text:
        return text
    found: list[str] = []
    at = 0
    while at < len(text):
        if text[at] != "\\":
            found.append(text[at])
            at += 1
            continue
        sign = text[at + 1]
        digits = {"x": 2, "u": 4}.get(sign, 0)
        code = text[at + 2 : at + 2 + digits]
        if digits and len(code) == digits and all(digit in "0123456789abcdefABCDEF" for digit in code):
            found.append(chr(int(code, 16)))
        elif sign in ESCAPES:
            found.append(ESCAPES[sign])
        else:
            # Regular expressions are full of them.
            found.append(f"\\{sign}")
            digits = 0
        at += 2 + digits
    return "".join(found)


def _explained(text: str, error: UnexpectedInput) -> FilterError:
    """What was expected where reading stopped."""
    start = min(error.pos_in_stream or 0, len(text))
    end = start + 1
    accepted: set[str] = set()
    if isinstance(error, UnexpectedToken):
        accepted = set(error.accepts or error.expected)
        end = start + max(1, len(error.token))
        if error.token.type == "$END":
            start = end = len(text)
    elif isinstance(error, UnexpectedCharacters):
        accepted = set(error.allowed or ())
    # Behind a field they are the beginnings of `not in` and of a function, which a misspelling rarely is.
    unlikely = {"AMPERSAND", "NOT", "LPAR"} if "OPERATOR" in accepted else {"AMPERSAND"}
    names = [words for terminal, words in EXPECTED.items() if terminal in accepted - unlikely]
    wanted = ", ".join(names[:-1]) + (" or " if len(names) > 1 else "") + names[-1] if names else "something else"
    if start >= len(text):
        return FilterError(f"the filter ends too early: {wanted} is expected", len(text), len(text))
    rest = text[start:]
    if rest.startswith('"') and "WORD" in accepted:
        return FilterError("the closing quote is missing", start, len(text))
    if rest.startswith("=") and not rest.startswith("==") and "OPERATOR" in accepted:
        return FilterError("= is no operator", start, start + 1, ("==",))
    shown = rest[: max(1, end - start)] if rest[0].isprintable() else f"character {ord(rest[0]):#x}"
    shown = shown if len(shown) < 40 else f"{shown[:37]}..."
    return FilterError(f"{wanted} is expected here, not {shown}", start, end)


def children(node: Node | Operand) -> Iterator[Node | Operand]:
    """What a node is made of."""
    if isinstance(node, Joined):
        yield from node.parts
    elif isinstance(node, Negated):
        yield node.inner
    elif isinstance(node, Present | Compared | Member):
        yield node.operand
    elif isinstance(node, Masked):
        yield node.term
    elif isinstance(node, Call):
        yield node.argument


def _refuse_deep(tree: Node) -> None:
    """Whatever looks at the tree later does so by recursion."""
    waiting: list[tuple[Node | Operand, int]] = [(tree, 1)]
    while waiting:
        node, depth = waiting.pop()
        if depth > MOST_DEPTH:
            raise FilterError(f"more than {MOST_DEPTH} brackets or functions are in one another", node.start, node.end)
        waiting += [(child, depth + 1) for child in children(node)]
