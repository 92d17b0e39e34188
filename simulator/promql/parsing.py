"""From tokens to a tree, with the checks of types that Prometheus makes before it runs a query."""

from __future__ import annotations

import re
from collections.abc import Callable

from simulator.promql.errors import ParseError, QueryError
from simulator.promql.nodes import (
    SCALAR,
    VECTOR,
    Aggregation,
    Binary,
    Call,
    Matcher,
    Matching,
    Negative,
    Node,
    Number,
    Selector,
    Text,
)
from simulator.promql.signatures import AGGREGATIONS, FUNCTIONS, NOT_HERE, WITH_PARAMETER
from simulator.promql.tokens import Token, duration_ms, tokens, unquoted

SETS = frozenset(("and", "or", "unless"))
COMPARISONS = frozenset(("==", "!=", ">", "<", ">=", "<="))
# From the weakest to the strongest; ^ is apart, since it groups from the right.
_LEVELS = (
    frozenset(("or",)),
    frozenset(("and", "unless")),
    COMPARISONS,
    frozenset(("+", "-")),
    frozenset(("*", "/", "%")),
)
_NAMED_NUMBERS = {"inf": float("inf"), "nan": float("nan")}


def parsed(text: str) -> Node:
    """The tree of a query. ParseError: it is not one."""
    if not text.strip():
        raise ParseError(0, "no expression found in input")
    parser = _Parser(tokens(text))
    tree = parser.expression(0)
    parser.expect("end", "end of input")
    return tree


def parsed_selector(text: str) -> Selector:
    """A selector, as match[] has it."""
    tree = parsed(text)
    if not isinstance(tree, Selector) or tree.range_ms is not None:
        raise ParseError(0, "expected a vector selector")
    return tree


class _Parser:
    def __init__(self, found: list[Token]) -> None:
        self.tokens = found
        self.at = 0

    # Tokens

    @property
    def token(self) -> Token:
        return self.tokens[self.at]

    def take(self) -> Token:
        self.at += 1
        return self.tokens[self.at - 1]

    def taken(self, *texts: str) -> bool:
        """Whether the next token is one of these, which is then passed."""
        if self.token.kind in ("operator", "name") and self.token.text.lower() in texts:
            self.at += 1
            return True
        return False

    def expect(self, kind: str, text: str = "") -> Token:
        token = self.token
        if token.kind != kind or (text and token.text != text):
            raise ParseError(token.position, f'unexpected "{token.text}", expected {text or kind}')
        return self.take()

    # Operators, by strength

    def expression(self, level: int) -> Node:
        if level == len(_LEVELS):
            return self.signed()
        left = self.expression(level + 1)
        while self.token.text.lower() in _LEVELS[level] and self.token.kind != "string":
            operator = self.take()
            left = self.binary(operator, left, lambda: self.expression(level + 1))
        return left

    def signed(self) -> Node:
        token = self.token
        if self.taken("-"):
            return _negated(Negative(position=token.position, of=self.signed()))
        self.taken("+")
        return self.power()

    def power(self) -> Node:
        left = self.postfixed()
        if self.token.text == "^" and self.token.kind == "operator":
            return self.binary(self.take(), left, self.signed)
        return left

    def binary(self, operator: Token, left: Node, right: Callable[[], Node]) -> Node:
        name = operator.text.lower()
        as_bool = self.taken("bool")
        matching = self.matching()
        made = Binary(
            position=operator.position,
            operator=name,
            left=left,
            right=right(),
            matching=matching,
            as_bool=as_bool,
        )
        _check_binary(made)
        return made

    def matching(self) -> Matching:
        kind = self.token.text.lower()
        if not self.taken("on", "ignoring"):
            return Matching()
        labels, many, include = self.labels(), "", tuple[str, ...]()
        side = self.token.text.lower()
        if self.taken("group_left", "group_right"):
            many = "left" if side == "group_left" else "right"
            include = self.labels() if self.token.text == "(" else ()
        return Matching(labels=labels, on=kind == "on", many=many, include=include)

    def labels(self) -> tuple[str, ...]:
        self.expect("operator", "(")
        found = []
        while not self.taken(")"):
            found.append(self.expect("name").text)
            if self.token.text != ")":
                self.expect("operator", ",")
        return tuple(found)

    # Operands

    def postfixed(self) -> Node:
        node = self.operand()
        while self.token.text in ("[", "offset", "@"):
            node = self.moved(node)
        return node

    def moved(self, node: Node) -> Node:
        token = self.take()
        if token.text == "@":
            raise QueryError("the @ modifier is not supported by this server")
        if not isinstance(node, Selector):
            raise QueryError(
                "subqueries, and offsets of anything but a selector, are not supported"
            )
        if token.text == "[":
            width = duration_ms(self.expect("duration").text)
            if self.token.text.startswith(":"):
                raise QueryError("subqueries are not supported by this server")
            self.expect("operator", "]")
            return Selector(position=node.position, matchers=node.matchers, range_ms=width)
        back = -1 if self.taken("-") else 1
        offset = back * duration_ms(self.expect("duration").text)
        return Selector(
            position=node.position,
            matchers=node.matchers,
            range_ms=node.range_ms,
            offset_ms=offset,
        )

    def operand(self) -> Node:
        token = self.token
        if token.kind == "number":
            self.take()
            value = int(token.text, 16) if token.text.startswith("0x") else float(token.text)
            return Number(position=token.position, value=float(value))
        if token.kind == "string":
            return Text(position=token.position, value=unquoted(self.take().text))
        if self.taken("("):
            inner = self.expression(0)
            self.expect("operator", ")")
            return inner
        if token.text == "{":
            return self.selector("", token.position)
        if token.kind == "name":
            return self.named()
        raise ParseError(token.position, f'unexpected "{token.text}"')

    def named(self) -> Node:
        token = self.take()
        name, following = token.text, self.token.text
        if name.lower() in _NAMED_NUMBERS and following != "{":
            return Number(position=token.position, value=_NAMED_NUMBERS[name.lower()])
        if name.lower() in AGGREGATIONS and following.lower() in ("(", "by", "without"):
            return self.aggregation(token)
        if following == "(":
            return self.call(token)
        return self.selector(name, token.position)

    def selector(self, name: str, position: int) -> Selector:
        matchers = [Matcher("__name__", "=", name)] if name else []
        if self.taken("{"):
            while not self.taken("}"):
                matchers.append(self.matcher())
                if self.token.text != "}":
                    self.expect("operator", ",")
        if all(each.holds("") for each in matchers):
            text = "vector selector must contain at least one non-empty matcher"
            raise ParseError(position, text)
        return Selector(position=position, matchers=tuple(matchers))

    def matcher(self) -> Matcher:
        name, operator = self.expect("name").text, self.take()
        if operator.text not in ("=", "!=", "=~", "!~"):
            raise ParseError(operator.position, f'unexpected "{operator.text}" in label matching')
        value = self.expect("string")
        made = Matcher(name, operator.text, unquoted(value.text))
        try:
            re.compile(made.value if "~" in made.operator else "")
        except re.error as error:
            raise ParseError(value.position, f"error parsing regexp: {error}") from None
        return made

    def aggregation(self, token: Token) -> Node:
        labels, without, operator = tuple[str, ...](), False, token.text.lower()
        grouped = self.token.text.lower()
        if self.taken("by", "without"):
            labels, without = self.labels(), grouped == "without"
        arguments = self.arguments()
        late = self.token.text.lower()
        if self.taken("by", "without"):
            labels, without = self.labels(), late == "without"
        wanted = 2 if operator in WITH_PARAMETER else 1
        if len(arguments) != wanted:
            text = f"wrong number of arguments for aggregate expression provided, expected {wanted}"
            raise ParseError(token.position, f"{text}, got {len(arguments)}")
        _check_type(arguments[-1], VECTOR, "in aggregation expression")
        return Aggregation(
            position=token.position,
            operator=operator,
            of=arguments[-1],
            labels=labels,
            without=without,
            parameter=arguments[0] if wanted == 2 else None,
        )

    def arguments(self) -> list[Node]:
        self.expect("operator", "(")
        found = list[Node]()
        while not self.taken(")"):
            found.append(self.expression(0))
            if self.token.text != ")":
                self.expect("operator", ",")
        return found

    def call(self, token: Token) -> Node:
        name, signature = token.text, FUNCTIONS.get(token.text)
        if signature is None and name in NOT_HERE:
            raise QueryError(f"function {name} is not supported by this server")
        if signature is None:
            raise ParseError(token.position, f'unknown function with name "{name}"')
        arguments, wanted = self.arguments(), len(signature.arguments)
        if not wanted - signature.optional <= len(arguments) <= wanted:
            text = f'expected {wanted} argument(s) in call to "{name}", got {len(arguments)}'
            raise ParseError(token.position, text)
        for argument, kind in zip(arguments, signature.arguments, strict=False):
            _check_type(argument, kind, f'in call to function "{name}"')
        return Call(
            position=token.position,
            function=name,
            arguments=tuple(arguments),
            type=signature.result,
        )


def _negated(node: Negative) -> Node:
    if isinstance(node.of, Number):
        return Number(position=node.position, value=-node.of.value)
    return node


def _check_type(node: Node, wanted: str, where: str) -> None:
    if node.type != wanted:
        raise ParseError(node.position, f"expected type {wanted} {where}, got {node.type}")


def _check_binary(node: Binary) -> None:
    for side in (node.left, node.right):
        if side.type not in (SCALAR, VECTOR):
            text = "binary expression must contain only scalar and instant vector types"
            raise ParseError(side.position, text)
    scalars = [side.type == SCALAR for side in (node.left, node.right)]
    if node.operator in SETS and any(scalars):
        text = f'set operator "{node.operator}" not allowed in binary scalar expression'
        raise ParseError(node.position, text)
    if node.operator in COMPARISONS and all(scalars) and not node.as_bool:
        raise ParseError(node.position, "comparisons between scalars must use BOOL modifier")
