"""A screen of a terminal, as tmux captures it with colours (capture-pane -e), as an SVG.

    make-panel-picture.py COLUMNS ROWS <capture >picture.svg

Each run of cells with one style is one text element of a fixed length, so that columns stay where
they are whatever font is there.
"""
import html
import re
import sys
import unicodedata

CELL_W, CELL_H, PAD = 8.4, 18, 12
BACK, FORE = "#101418", "#d8dee4"
BASE = [
    "#2b3036", "#d9534f", "#5aa469", "#d6a32e", "#4f8fd9", "#b07cc6", "#4fb3bf", "#d8dee4",
    "#6b747d", "#ff7b72", "#7ee787", "#f2cc60", "#79c0ff", "#d2a8ff", "#7ee0e8", "#ffffff",
]
SEQUENCE = re.compile(r"\x1b\[([0-9;]*)m|\x0e|\x0f|\x1b[()][A-Z0-9]")


def colour(number):
    """Of the 256 of a terminal."""
    if number < 16:
        return BASE[number]
    if number >= 232:
        level = 8 + 10 * (number - 232)
        return f"#{level:02x}{level:02x}{level:02x}"
    number -= 16
    levels = [0, 95, 135, 175, 215, 255]
    return "#" + "".join(f"{levels[number // n % 6]:02x}" for n in (36, 6, 1))


class Style:
    def __init__(self):
        self.reset()

    def reset(self):
        self.fore = self.back = None
        self.bold = self.dim = self.reverse = self.underline = False

    def take(self, codes):
        codes = [int(code or 0) for code in codes.split(";")]
        while codes:
            code = codes.pop(0)
            if code == 0:
                self.reset()
            elif code == 1:
                self.bold = True
            elif code == 2:
                self.dim = True
            elif code == 4:
                self.underline = True
            elif code == 7:
                self.reverse = True
            elif code == 22:
                self.bold = self.dim = False
            elif code == 24:
                self.underline = False
            elif code == 27:
                self.reverse = False
            elif code in (38, 48) and len(codes) > 1 and codes[0] == 5:
                self.set(code == 38, colour(codes[1]))
                del codes[:2]
            elif 30 <= code <= 37 or 90 <= code <= 97:
                self.set(True, BASE[code - 30 if code < 90 else code - 82])
            elif 40 <= code <= 47 or 100 <= code <= 107:
                self.set(False, BASE[code - 40 if code < 100 else code - 92])
            elif code == 39:
                self.fore = None
            elif code == 49:
                self.back = None

    def set(self, fore, value):
        if fore:
            self.fore = value
        else:
            self.back = value

    def key(self):
        fore, back = self.fore or FORE, self.back or BACK
        if self.reverse:
            fore, back = back, fore
        return fore, back, self.bold, self.dim, self.underline


def width(char):
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def runs(line, style):
    """(column, columns, text, style) of what stands in a line."""
    column, at, found = 0, 0, []
    while at < len(line):
        match = SEQUENCE.match(line, at)
        if match:
            if match.group(1) is not None:
                style.take(match.group(1))
            at = match.end()
            continue
        cells = width(line[at])
        if found and found[-1][3] == style.key() and cells < 2:
            found[-1][2] += line[at]
            found[-1][1] += cells
        else:
            found.append([column, cells, line[at], style.key()])
        column += cells
        at += 1
    return found


def draw(columns, rows, lines):
    total_w, total_h = columns * CELL_W + 2 * PAD, rows * CELL_H + 2 * PAD
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" width="{total_w:.0f}" height="{total_h:.0f}" '
           f'viewBox="0 0 {total_w:.1f} {total_h:.1f}" role="img" aria-label="the panel of pksk">')
    yield f'<rect width="100%" height="100%" rx="8" fill="{BACK}"/>'
    yield ('<g font-family="ui-monospace, \'DejaVu Sans Mono\', Menlo, Consolas, monospace" '
           'font-size="14">')
    style = Style()
    for row, line in enumerate(lines[:rows]):
        top = PAD + row * CELL_H
        for column, cells, text, (fore, back, bold, dim, underline) in runs(line, style):
            left, long = PAD + column * CELL_W, cells * CELL_W
            if back != BACK:
                yield (f'<rect x="{left:.1f}" y="{top}" width="{long:.1f}" height="{CELL_H}" '
                       f'fill="{back}"/>')
            if not text.strip():
                continue
            more = ' font-weight="bold"' if bold else ""
            # blanks that no renderer collapses
            shown = html.escape(text).replace(" ", "\u00a0")
            more += ' fill-opacity="0.6"' if dim else ""
            more += ' text-decoration="underline"' if underline else ""
            yield (f'<text x="{left:.1f}" y="{top + 13.5}" textLength="{long:.1f}" '
                   f'lengthAdjust="spacingAndGlyphs" fill="{fore}"{more}>{shown}</text>')
    yield "</g></svg>"


if __name__ == "__main__":
    width_wanted, height_wanted = int(sys.argv[1]), int(sys.argv[2])
    print("\n".join(draw(width_wanted, height_wanted, sys.stdin.read().split("\n"))))
