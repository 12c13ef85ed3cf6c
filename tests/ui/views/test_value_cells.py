"""Values as they are painted: the square that shows a colour, and what fits of a meaning."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter

from ui import theme
from ui.fonts import Use
from ui.models.change_cells import ValueCell
from ui.theme import ROW_HEIGHT, Theme
from ui.views.cells import Cell, Row
from ui.views.change_rows import ChangeRowPainter
from ui.views.row_painter import RowPainter

COLOUR = (0x33, 0xFD, 0xFF)
MEANING = "#33FDFF, sent as hsl(181, 100%, 20%)"
WIDTH = 600


def painted(painter: RowPainter, cell: Cell, zoom: float, background: str = "panel") -> QImage:
    height = round(ROW_HEIGHT * zoom)
    image = QImage(WIDTH, height, QImage.Format.Format_RGB32)
    image.fill(painter._theme.color(background))
    painter.set_zoom(zoom)
    painter.set_columns(((0, WIDTH),), height)
    canvas = QPainter(image)
    painter.paint(canvas, Row((cell,)), 0, WIDTH)
    canvas.end()
    return image


def places(image: QImage, colour: QColor) -> list[tuple[int, int]]:
    wanted = colour.rgb()
    return [(x, y) for y in range(image.height()) for x in range(image.width()) if image.pixel(x, y) == wanted]


@pytest.mark.parametrize("scheme", [theme.LIGHT, theme.DARK], ids=["light", "dark"])
@pytest.mark.parametrize("zoom", [0.75, 1.0, 1.5, 3.0])
@pytest.mark.parametrize("right", [False, True], ids=["packet", "snapshot"])
def test_a_swatch_is_as_high_as_its_letters(qapp: object, scheme: Theme, zoom: float, right: bool) -> None:
    if right:
        painter: RowPainter = ChangeRowPainter(scheme)
        cell: Cell = ValueCell("8453939", right=True, use=Use.VALUE, swatch=COLOUR, explained=True, meaning=MEANING)
    else:
        painter, cell = RowPainter(scheme), Cell(f"8453939  {MEANING}", use=Use.VALUE, swatch=COLOUR)
    image = painted(painter, cell, zoom)
    inside = places(image, QColor(*COLOUR))
    left, top = min(x for x, _ in inside), min(y for _, y in inside)
    wide, high = max(x for x, _ in inside) - left + 1, max(y for _, y in inside) - top + 1
    ascent = round(QFontMetricsF(painter.texts.natural("0", Use.VALUE).font).ascent())
    assert (wide, high) == (ascent - 1, ascent - 1)
    assert len(inside) == wide * high
    around = {image.pixel(x, y) for x in (left - 1, left + wide) for y in range(top, top + high)}
    around |= {image.pixel(x, y) for y in (top - 1, top + high) for x in range(left, left + wide)}
    assert around == {scheme.color("text2").rgb()}


def test_without_room_there_is_no_swatch(qapp: object) -> None:
    painter = RowPainter(theme.LIGHT)
    painter.set_columns(((0, 20),), ROW_HEIGHT)
    image = QImage(WIDTH, ROW_HEIGHT, QImage.Format.Format_RGB32)
    image.fill(theme.LIGHT.color("panel"))
    canvas = QPainter(image)
    painter.paint(canvas, Row((Cell(MEANING, swatch=COLOUR),)), 0, WIDTH)
    canvas.end()
    assert not places(image, QColor(*COLOUR))


@pytest.mark.parametrize(
    ("width", "text"),
    [(600, "10.00 units/tick, 15.62 tiles/s"), (215, "10.00 units/tick"), (140, "10.00 un")],
)
def test_meanings_are_cut_between_their_parts(qapp: object, width: int, text: str) -> None:
    painter = ChangeRowPainter(theme.LIGHT)
    painter.set_columns(((0, width),), ROW_HEIGHT)
    meaning = "10.00 units/tick, 15.62 tiles/s"
    cell = ValueCell("2560", right=True, use=Use.VALUE, explained=True, meaning=meaning)
    said = [shaped.text() for _, _, shaped, _, _ in painter._lay(Row((cell,))).texts]
    assert said[0].startswith(text)
    assert said[0].endswith(text) or said[0].endswith("…")
    assert said[1] == "2560"


@pytest.mark.parametrize(("runs_on", "second", "reaches"), [(True, "", True), (False, "", False), (True, "1", False)])
def test_a_first_cell_goes_on_over_empty_ones(qapp: object, runs_on: bool, second: str, reaches: bool) -> None:
    painter = RowPainter(theme.LIGHT)
    painter.set_columns(((0, 60), (60, 60), (120, 60)), 20)
    image = QImage(180, 20, QImage.Format.Format_RGB32)
    image.fill(theme.LIGHT.color("panel"))
    onto = QPainter(image)
    painter.paint(
        onto, Row((Cell("player 56 in tick 74"), Cell(second), Cell("3219", right=True)), runs_on=runs_on), 0, 180
    )
    onto.end()
    inked = {x for x in range(80, 104) for y in range(20) if image.pixelColor(x, y) != theme.LIGHT.color("panel")}
    assert bool(inked) == reaches
