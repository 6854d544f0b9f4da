#!/usr/bin/env python3
"""Writes tests/vectors/numbers.tsv: what Python's decimal says about DynamoDB numbers.

Usage: python3 tests/support/num_oracle.py > tests/vectors/numbers.tsv

Rows (tab separated):
    parse  text  status  result  size      size: bytes by the item-size rule
    add    a  b  status  result
    sub    a  b  status  result
    cmp    a  b  order

The rules are written down here a second time, from their description and not from the C code:
a number has at most 38 significant digits and is 0 or 1E-130 <= |x| < 1E126; a sum that needs more
digits overflows; the exponent is a 64-bit integer; a zero is checked by its last digit's exponent.
"""
import random
import re
from decimal import Context, Decimal

EXACT = Context(prec=2000, Emax=10**9, Emin=-(10**9))
TEXT = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE]([+-]?\d+))?", re.ASCII)


def plain(number):
    """Positional notation without an exponent or superfluous zeros."""
    text = format(number, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def digits_of(number):
    return len("".join(map(str, number.as_tuple().digits)).strip("0"))


def verdict(number, too_long):
    if number != 0 and number.adjusted() > 125:
        return "overflow"
    if number != 0 and number.adjusted() < -130:
        return "underflow"
    return too_long if digits_of(number) > 38 else "ok"


def parse(text):
    match = TEXT.fullmatch(text)
    if not match or not -(2**63) <= int(match.group(4) or 0) < 2**63:
        return "syntax", None
    exponent = int(match.group(4) or 0)
    mantissa = text.lower().split("e")[0]
    fraction = len(mantissa.split(".")[1]) if "." in mantissa else 0
    if not re.search("[1-9]", mantissa):
        last = exponent - fraction
        return ("overflow" if last > 125 else "underflow" if last < -130 else "ok"), Decimal(0)
    if abs(exponent) > 10**6:
        return ("overflow" if exponent > 0 else "underflow"), None
    number = EXACT.create_decimal(text)
    return verdict(number, "precision"), number


def size(number):
    if number == 0:
        return 1
    whole, _, fraction = plain(number.copy_abs()).partition(".")
    whole = whole.zfill(len(whole) + len(whole) % 2)
    fraction += "0" * (len(fraction) % 2)
    pairs = re.findall("..", whole + fraction)
    while pairs[0] == "00":
        pairs.pop(0)
    while pairs[-1] == "00":
        pairs.pop()
    return 1 + len(pairs) + (number < 0)


def row(*cells):
    print("\t".join(cells))


def parse_row(text):
    status, number = parse(text)
    ok = status == "ok"
    row("parse", text, status, plain(number) if ok else "", str(size(number)) if ok else "")


def pair_rows(a, b):
    x, y = parse(a)[1], parse(b)[1]
    for name, number in (("add", EXACT.add(x, y)), ("sub", EXACT.subtract(x, y))):
        status = verdict(number, "overflow")
        row(name, a, b, status, plain(number) if status == "ok" else "")
    row("cmp", a, b, str((x > y) - (x < y)))


FIXED = """
0 -0 +0 0.0 -0.0 00 . + - e5 1e 1e+ 1e- .e1 --5 +-5 5. .5 1.e2 +5 01 1.0 5.. 1.2.3 0x10 1_000 1,000
1d NaN Infinity -Infinity inf nan 1e5 1E+5 1.5e3 1e-5 123e-10 -00012.500 1e21 1e125 1e126 0.1e126
-1e125 -1e126 1e-130 1e-131 10e-131 0.01e-128 0e125 0e126 0.0e126 0.0e127 00e126 0e-130 0e-131
0.0e-129 0.0e-130 0e500 1.0e100000000 1e99999999999 1e-99999999999 1e2147483647 1e2147483648
1e9223372036854775807 1e9223372036854775808 1e-9223372036854775808 1e-9223372036854775809
0e9223372036854775808 1e000000000000000000000000000001 1e-000000000000000000000000000001
12345678901234567890.1234567890123456789 9.9999999999999999999999999999999999999E+125
9.9999999999999999999999999999999999999E+126 1234567890123456789012345678901234567.8e-130
""".split()


def random_digits(rng):
    shape = rng.randrange(6)
    n = rng.choice((1, 1, 2, 3, 5, 8, 16, 19, 20, 36, 37, 38, 38))
    if shape == 0:
        return "9" * n
    if shape == 1:
        return "1" + "0" * (n - 1)
    if shape == 2:
        return rng.choice("123456789") + "0" * max(0, n - 2) + rng.choice("0123456789")
    return "".join(rng.choice("0123456789") for _ in range(n))


def random_text(rng, spread):
    """A number as somebody might write it; most are valid."""
    digits = random_digits(rng)
    point = rng.randrange(len(digits) + 1)
    text = rng.choice(("", "", "-", "+")) + digits[:point]
    text += ("." if point < len(digits) or rng.random() < 0.2 else "") + digits[point:]
    if rng.random() < 0.7:
        text += rng.choice("eE") + rng.choice(("", "+") if (e := rng.randint(-spread, spread)) >= 0
                                              else ("",)) + str(e)
    return text


def main():
    rng = random.Random(20251)
    blanks = [" 1", "1 ", "", "1 2"]
    ones = ["1" * 38, "1" * 39, "1" * 38 + "00", "1" * 38 + ".0", "0." + "0" * 129 + "1",
            "0." + "0" * 130 + "1", "0." + "0" * 131, "1" + "0" * 125, "1" + "0" * 126, "1." + "0" * 300]
    for text in FIXED + blanks + ones:
        parse_row(text)
    for spread in (4, 20, 140):
        for _ in range(300):
            parse_row(random_text(rng, spread))
    made = 0
    while made < 700:
        spread = rng.choice((3, 20, 130))
        a = random_text(rng, spread)
        b = rng.choice((a, "-" + a.lstrip("+-"), random_text(rng, spread), random_text(rng, spread)))
        if parse(a)[0] == "ok" and parse(b)[0] == "ok":
            pair_rows(a, b)
            made += 1
    for a, b in (("1e125", "1e-130"), ("9" * 38, "1"), ("9" * 38 + "e88", "1e88"), ("1e37", "0.1"),
                 ("1.1e-130", "1e-130"), ("1e-130", "1e-130"), ("0", "-1"), ("0", "0"),
                 ("1" + "0" * 37, "9" * 37), ("1e125", "9e125"), ("-9.9e125", "-1e124")):
        pair_rows(a, b)


main()
