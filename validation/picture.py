"""What the pictures of all pages share: their size, colours and file format."""

import io

import matplotlib
from matplotlib.figure import Figure

COLOURS = {"blue": "#0072b2", "orange": "#c44e00", "green": "#009e73", "purple": "#a0188a", "grey": "#777777"}

matplotlib.rcParams.update(
    {
        "axes.axisbelow": True,
        "axes.grid": True,
        "figure.constrained_layout.use": True,
        "figure.figsize": (6.4, 4.3),  # inches
        "font.size": 11,
        "grid.color": "#e4e4e4",
        "legend.frameon": False,
        "lines.linewidth": 1.6,
        "lines.markersize": 5.5,
        "svg.fonttype": "path",
        "svg.hashsalt": "scree",  # the same names of shapes every time, so that a picture only changes with its data
    }
)


def axes(x, y, **settings):
    """Axes of a new picture. x and y: label, least and greatest; settings: others of matplotlib.axes.Axes.set."""
    found = Figure().subplots()
    found.set(xlabel=x[0], xlim=x[1:], ylabel=y[0], ylim=y[1:], **settings)
    return found


def points(where, name, colour, x, y, errors=None):
    """Points, with bars of one standard error either way."""
    where.errorbar(x, y, errors, label=name, color=COLOURS[colour], fmt="o", alpha=0.8, elinewidth=1.2)


def line(where, name, colour, x, y, dashed=False):
    where.plot(x, y, label=name, color=COLOURS[colour], linestyle="--" if dashed else "-")


def svg(where, legend_at="best", columns=1):
    """The picture as text. legend_at: where the legend goes, in matplotlib's words."""
    where.legend(loc=legend_at, ncols=columns)
    return text(where.figure)


def text(figure):
    """A picture without a legend as text."""
    found = io.StringIO()
    figure.savefig(found, format="svg", metadata={"Creator": None, "Date": None})
    return found.getvalue()
