"""Charts as SVG: points with error bars, lines, a legend."""

import math

COLOURS = {"blue": "#0072b2", "orange": "#c44e00", "green": "#009e73", "purple": "#a0188a", "grey": "#777777"}
WIDTH, HEIGHT = 640, 430
LEFT, RIGHT, TOP, BOTTOM = 70, 15, 15, 55
STYLE = """\
text { font: 14px sans-serif; fill: #222 } .axis { fill: none; stroke: #222 } .grid { stroke: #e4e4e4 }
.bar { stroke-width: 1.2 } .line { fill: none; stroke-width: 1.8 } .dashed { stroke-dasharray: 6 4 }"""


class Chart:
    """x and y: (label, least, greatest); an axis that is logarithmic says so by `log`."""

    def __init__(self, x, y, log=""):
        self.labels = x[0], y[0]
        self.limits = x[1:], y[1:]
        self.log = log
        self.marks = []
        self.legend = []

    def points(self, name, colour, x, y, errors=None):
        """Points, with bars of one standard error either way."""
        stroke = COLOURS[colour]
        for i, (xi, yi) in enumerate(zip(x, y)):
            px, py = self.place(xi, yi)
            self.marks.append(f'<circle cx="{px:.1f}" cy="{py:.1f}" r="3.6" fill="{stroke}" fill-opacity=".75"/>')
            if errors and math.isfinite(errors[i]):
                low, high = self.place(xi, yi - errors[i])[1], self.place(xi, yi + errors[i])[1]
                self.marks.append(f'<path class="bar" stroke="{stroke}" d="M{px:.1f} {low:.1f}V{high:.1f}"/>')
        self.legend.append((name, f'<circle cx="14" cy="-5" r="3.6" fill="{stroke}"/>'))

    def line(self, name, colour, x, y, dashed=False):
        style = f'class="line{" dashed" if dashed else ""}" stroke="{COLOURS[colour]}"'
        path = " ".join("{:.1f},{:.1f}".format(*self.place(xi, yi)) for xi, yi in zip(x, y))
        self.marks.append(f'<polyline {style} points="{path}"/>')
        if name:
            self.legend.append((name, f'<path {style} d="M0 -5H28"/>'))

    def place(self, x, y):
        """A point in the picture."""
        (x0, x1), (y0, y1) = self.limits
        if "x" in self.log:
            x, x0, x1 = math.log(x), math.log(x0), math.log(x1)
        across = (x - x0) / (x1 - x0)
        up = (y - y0) / (y1 - y0)
        return LEFT + across * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - up * (HEIGHT - TOP - BOTTOM)

    def svg(self, legend_at=(0.05, 0.97)):
        """legend_at: its upper left corner as shares of the frame's width and height."""
        left, right, top, bottom = LEFT, WIDTH - RIGHT, TOP, HEIGHT - BOTTOM
        out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}">']
        out.append(f'<style>\n{STYLE}\n</style>\n<rect width="100%" height="100%" fill="#fff"/>')
        for x in ticks(*self.limits[0], "x" in self.log):
            px = self.place(x, self.limits[1][0])[0]
            out.append(f'<path class="grid" d="M{px:.1f} {top}V{bottom}"/>')
            out.append(f'<text text-anchor="middle" x="{px:.1f}" y="{bottom + 20}">{x:g}</text>')
        for y in ticks(*self.limits[1], False):
            py = self.place(self.limits[0][0], y)[1]
            out.append(f'<path class="grid" d="M{left} {py:.1f}H{right}"/>')
            out.append(f'<text text-anchor="end" x="{left - 8}" y="{py + 5:.1f}">{y:g}</text>')
        clip = f'<clipPath id="frame"><rect x="{left}" y="{top}" width="{right - left}" height="{bottom - top}"/></clipPath>'
        out += [clip, '<g clip-path="url(#frame)">', *self.marks, "</g>"]
        out.append(f'<path class="axis" d="M{left} {top}V{bottom}H{right}V{top}Z"/>')
        out.append(f'<text text-anchor="middle" x="{(left + right) / 2}" y="{HEIGHT - 12}">{self.labels[0]}</text>')
        middle = (top + bottom) / 2
        out.append(f'<text text-anchor="middle" transform="translate(18 {middle}) rotate(-90)">{self.labels[1]}</text>')
        x, y = left + legend_at[0] * (right - left), bottom - legend_at[1] * (bottom - top)
        for name, symbol in self.legend:
            y += 20
            out.append(f'<g transform="translate({x:.1f} {y:.1f})">{symbol}<text x="36">{name}</text></g>')
        return "\n".join([*out, "</svg>\n"])


def ticks(low, high, logarithmic):
    """Round numbers from low to high."""
    if logarithmic:
        decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        return [t for t in (m * 10.0**d for d in decades for m in (1, 2, 3, 5)) if low <= t <= high]
    rough = (high - low) / 6
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(s * power for s in (1, 2, 5, 10) if s * power >= rough)
    return [round(k * step, 12) for k in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]
