"""What the style promises of bars, tabs, buttons and scroll bars: sizes, and what is painted, in light and dark."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QDialogButtonBox,
    QLabel,
    QLineEdit,
    QMainWindow,
    QMenuBar,
    QProgressBar,
    QPushButton,
    QRadioButton,
    QScrollBar,
    QSpinBox,
    QStatusBar,
    QStyle,
    QTabBar,
    QToolBar,
    QToolButton,
    QToolTip,
    QWidget,
)
from pytestqt.qtbot import QtBot

from ui.style import EDGE, MENU_HEIGHT, SCROLL_EXTENT, SCROLL_LEAST, SCROLL_MARGIN, TAB_HEIGHT
from ui.theme import DARK, LIGHT, Theme

LONG = 300
BELOW = (QTabBar.Shape.RoundedSouth,)


@pytest.fixture(params=[LIGHT, DARK], ids=["light", "dark"])
def theme(qtbot: QtBot, qapp: QApplication, request: pytest.FixtureRequest) -> Iterator[Theme]:
    """Both themes, one after the other."""
    chosen: Theme = request.param
    qapp.setPalette(chosen.palette())
    yield chosen
    qapp.setPalette(LIGHT.palette())


def shown(qtbot: QtBot, widget: QWidget, width: int, height: int) -> QImage:
    """The widget in this size, as it is painted while the pointer is elsewhere."""
    widget.setWindowFlag(Qt.WindowType.FramelessWindowHint)
    qtbot.addWidget(widget)
    widget.resize(width, height)
    widget.show()
    widget.activateWindow()
    qtbot.waitUntil(widget.isActiveWindow)
    return widget.grab().toImage()


def is_in(theme: Theme, image: QImage, x: int, y: int, name: str) -> bool:
    return image.pixelColor(x, y).rgb() == theme.color(name).rgb()


def scroll_bar(span: int = 1000, page: int = 100, *, lies: bool = False) -> QScrollBar:
    bar = QScrollBar(Qt.Orientation.Horizontal if lies else Qt.Orientation.Vertical)
    bar.setRange(0, span)
    bar.setPageStep(page)
    return bar


def handle(theme: Theme, image: QImage, name: str = "line2") -> list[int]:
    """The pixels along the middle of a scroll bar that are its handle's."""
    lies = image.width() > image.height()
    middle = SCROLL_EXTENT // 2
    along = range(image.width() if lies else image.height())
    return [at for at in along if is_in(theme, image, at if lies else middle, middle if lies else at, name)]


@pytest.mark.parametrize("lies", [False, True])
def test_a_scroll_bar_is_a_slim_handle_on_the_panel(qtbot: QtBot, theme: Theme, lies: bool) -> None:
    bar = scroll_bar(lies=lies)
    assert bar.sizeHint().height() if lies else bar.sizeHint().width() == SCROLL_EXTENT
    size = (LONG, SCROLL_EXTENT) if lies else (SCROLL_EXTENT, LONG)
    found = handle(theme, shown(qtbot, bar, *size))
    page = LONG * 100 // 1100
    whole = max(SCROLL_LEAST, page)
    assert found[0] == pytest.approx(SCROLL_MARGIN, abs=1)
    assert len(found) == pytest.approx(whole - 2 * SCROLL_MARGIN, abs=2)
    bar.setValue(bar.maximum())
    assert handle(theme, bar.grab().toImage())[-1] == pytest.approx(LONG - SCROLL_MARGIN - 1, abs=1)
    edge = bar.grab().toImage()
    assert is_in(theme, edge, 0, 0, "panel")
    assert is_in(theme, edge, edge.width() - 1, edge.height() - 1, "panel")


def test_the_handle_can_be_caught_however_much_there_is(qtbot: QtBot, theme: Theme) -> None:
    bar = scroll_bar(10_000_000, 30)
    image = shown(qtbot, bar, SCROLL_EXTENT, LONG)
    assert len(handle(theme, image)) == pytest.approx(SCROLL_LEAST - 2 * SCROLL_MARGIN, abs=2)


def test_nothing_to_scroll_shows_no_handle(qtbot: QtBot, theme: Theme) -> None:
    assert handle(theme, shown(qtbot, scroll_bar(0), SCROLL_EXTENT, LONG)) == []
    off = scroll_bar()
    off.setEnabled(False)
    assert handle(theme, shown(qtbot, off, SCROLL_EXTENT, LONG)) == []


def test_a_scroll_bar_is_paged_and_drawn_by_the_pointer(qtbot: QtBot, theme: Theme) -> None:
    bar = scroll_bar(200, 100)
    shown(qtbot, bar, SCROLL_EXTENT, LONG)
    middle = SCROLL_EXTENT // 2
    # There is no arrow at the end: a click there is one page on.
    qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=QPoint(middle, LONG - 2))
    assert bar.value() == 100
    qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=QPoint(middle, 2))
    assert bar.value() == 0
    qtbot.mousePress(bar, Qt.MouseButton.LeftButton, pos=QPoint(middle, 50))
    assert handle(theme, bar.grab().toImage(), "accent")
    QTest.mouseMove(bar, QPoint(middle, 150))
    qtbot.waitUntil(lambda: bar.value() == 100)
    qtbot.mouseRelease(bar, Qt.MouseButton.LeftButton, pos=QPoint(middle, 150))
    assert not handle(theme, bar.grab().toImage(), "accent")


@pytest.mark.parametrize("shape", [QTabBar.Shape.RoundedNorth, QTabBar.Shape.RoundedSouth])
def test_the_open_tab_has_a_line_and_joins_its_pane(qtbot: QtBot, theme: Theme, shape: QTabBar.Shape) -> None:
    tabs = QTabBar()
    tabs.setShape(shape)
    tabs.setDrawBase(False)
    for name in ("Packet", "Snapshot", "Charts"):
        tabs.addTab(name)
    tabs.setCurrentIndex(1)
    image = shown(qtbot, tabs, LONG, tabs.sizeHint().height())
    rects = [tabs.tabRect(number) for number in range(3)]
    assert {(rect.top(), rect.height()) for rect in rects} == {(0, TAB_HEIGHT)}
    assert rects[0].right() + 1 == rects[1].left()
    words = tabs.fontMetrics().horizontalAdvance("Packet")
    assert rects[0].width() >= words + 24
    is_below = shape in BELOW
    lines = range(TAB_HEIGHT - EDGE, TAB_HEIGHT) if is_below else range(EDGE)
    x = rects[1].left() + 4
    assert all(is_in(theme, image, x, y, "accent") for y in lines)
    assert is_in(theme, image, x, EDGE if is_below else TAB_HEIGHT - 1, "panel")
    assert is_in(theme, image, rects[1].left(), TAB_HEIGHT // 2, "line")
    for rect in (rects[0], rects[2]):
        assert is_in(theme, image, rect.left() + 4, 4, "window")
        assert is_in(theme, image, rect.left() + 4, rect.bottom(), "line")


def test_a_tab_that_is_not_open_is_lit_by_the_pointer(qtbot: QtBot, theme: Theme) -> None:
    tabs = QTabBar()
    tabs.addTab("Packet")
    tabs.addTab("Snapshot")
    shown(qtbot, tabs, LONG, TAB_HEIGHT)
    place = tabs.tabRect(1).topLeft() + QPoint(4, 4)
    QTest.mouseMove(tabs, place)
    qtbot.waitUntil(lambda: is_in(theme, tabs.grab().toImage(), place.x(), place.y(), "panel"))
    QApplication.sendEvent(tabs, QEvent(QEvent.Type.HoverLeave))
    QTest.mouseMove(tabs, tabs.tabRect(0).center())
    qtbot.waitUntil(lambda: is_in(theme, tabs.grab().toImage(), place.x(), place.y(), "window"))


def test_bars_are_flat_with_a_hairline_towards_the_panes(qtbot: QtBot, theme: Theme) -> None:
    window = QMainWindow()
    tools, status = QToolBar(), QStatusBar()
    tools.setMovable(False)
    tools.addAction("Open")
    window.addToolBar(tools)
    window.setStatusBar(status)
    window.menuBar().addMenu("&File")
    shown(qtbot, window, 400, 300)
    bar, foot = tools.grab().toImage(), status.grab().toImage()
    right = tools.width() - 4
    assert is_in(theme, bar, right, 2, "raised")
    assert is_in(theme, bar, right, tools.height() - 2, "raised")
    assert is_in(theme, bar, right, tools.height() - 1, "line")
    assert is_in(theme, foot, 20, 0, "line")
    assert is_in(theme, foot, 20, 1, "raised")
    menus = window.menuBar()
    assert menus.actionGeometry(menus.actions()[0]).height() >= MENU_HEIGHT
    assert is_in(theme, menus.grab().toImage(), menus.width() - 4, menus.height() // 2, "raised")


def test_the_menu_that_is_chosen_is_tinted(qtbot: QtBot, theme: Theme) -> None:
    bar = QMenuBar()
    action = bar.addMenu("&File").menuAction()
    bar.addMenu("&Edit")
    shown(qtbot, bar, LONG, MENU_HEIGHT)
    place = bar.actionGeometry(action).topLeft() + QPoint(2, 2)
    assert is_in(theme, bar.grab().toImage(), place.x(), place.y(), "raised")
    bar.setActiveAction(action)
    assert is_in(theme, bar.grab().toImage(), place.x(), place.y(), "select")
    action.menu().close()


def test_a_button_has_an_outline_that_tells_focus(qtbot: QtBot, theme: Theme) -> None:
    holder = QWidget()
    button, other = QPushButton("Open a capture", holder), QPushButton("Close", holder)
    button.setGeometry(10, 10, 140, 28)
    other.setGeometry(10, 50, 140, 28)
    shown(qtbot, holder, 200, 100)
    other.setFocus()
    image = holder.grab().toImage()
    assert is_in(theme, image, 20, 12, "raised")
    assert is_in(theme, image, 80, 10, "line2")
    # Corners are round: what is behind is seen there.
    assert is_in(theme, image, 10, 10, "window")
    qtbot.waitUntil(other.hasFocus)
    assert is_in(theme, holder.grab().toImage(), 80, 50, "accent")
    button.setDown(True)
    assert is_in(theme, holder.grab().toImage(), 20, 12, "select")
    button.setEnabled(False)
    assert is_in(theme, holder.grab().toImage(), 20, 12, "panel")


def test_a_tool_button_is_seen_only_when_it_is_on_or_pointed_at(qtbot: QtBot, theme: Theme) -> None:
    holder = QWidget()
    button = QToolButton(holder)
    button.setAutoRaise(True)
    button.setCheckable(True)
    button.setGeometry(10, 10, 40, 30)
    shown(qtbot, holder, 100, 60)
    assert is_in(theme, holder.grab().toImage(), 14, 20, "window")
    button.setChecked(True)
    assert is_in(theme, holder.grab().toImage(), 14, 20, "select")
    button.setEnabled(False)
    assert is_in(theme, holder.grab().toImage(), 14, 20, "window")
    button.setEnabled(True)
    button.setChecked(False)
    QTest.mouseMove(button, QPoint(20, 15))
    qtbot.waitUntil(lambda: is_in(theme, holder.grab().toImage(), 14, 20, "line"))


@pytest.mark.parametrize("kind", [QLineEdit, QSpinBox])
def test_a_field_is_outlined_and_ringed_with_the_focus(
    qtbot: QtBot, theme: Theme, kind: type[QLineEdit] | type[QSpinBox]
) -> None:
    field = kind()
    field.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    image = shown(qtbot, field, 120, 26)
    for x, y in ((60, 0), (60, 25), (0, 13), (119, 13)):
        assert is_in(theme, image, x, y, "line2")
    assert is_in(theme, image, 60, 2, "panel")
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    image = field.grab().toImage()
    for x, y in ((60, 0), (60, 1), (60, 25), (0, 13), (1, 13), (119, 13)):
        assert is_in(theme, image, x, y, "accent")


def test_a_check_box_is_outlined_and_filled_when_it_is_on(qtbot: QtBot, theme: Theme) -> None:
    box = QCheckBox("Use")
    box.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    image = shown(qtbot, box, 120, 24)
    row = [image.pixelColor(x, 12).name() for x in range(24)]
    assert row.count(theme.hex("line2").lower()) == 2
    box.setChecked(True)
    image = box.grab().toImage()
    row = [image.pixelColor(x, 12).name() for x in range(24)]
    assert row.count(theme.hex("accent").lower()) >= 4


def test_a_radio_button_is_outlined_and_filled_when_it_is_on(qtbot: QtBot, theme: Theme) -> None:
    button = QRadioButton("Whole")
    button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    image = shown(qtbot, button, 120, 24)
    row = [image.pixelColor(x, 12).name() for x in range(24)]
    ground, edge = image.pixelColor(23, 12).name(), row.index(theme.hex("panel").lower()) - 1
    assert ground != row[max(0, edge - 1)] != theme.hex("panel").lower()
    assert row.count(theme.hex("panel").lower()) >= 6
    assert theme.hex("accent").lower() not in row
    button.setChecked(True)
    image = button.grab().toImage()
    row = [image.pixelColor(x, 12).name() for x in range(24)]
    assert row.count(theme.hex("accent").lower()) >= 4
    assert row.count(theme.hex("panel").lower()) >= 2


def test_a_progress_bar_is_filled_from_the_left(qtbot: QtBot, theme: Theme) -> None:
    bar = QProgressBar()
    bar.setTextVisible(False)
    bar.setValue(40)
    image = shown(qtbot, bar, 200, 8)
    assert is_in(theme, image, 70, 4, "accent")
    assert is_in(theme, image, 90, 4, "line")
    bar.setValue(0)
    assert is_in(theme, bar.grab().toImage(), 20, 4, "line")


def test_the_buttons_of_a_dialog_have_no_pictures(qtbot: QtBot, theme: Theme) -> None:
    buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close | QDialogButtonBox.StandardButton.Cancel)
    shown(qtbot, buttons, 300, 40)
    assert [button.icon().isNull() for button in buttons.buttons()] == [True, True]


def test_buttons_of_dialogs_have_no_pictures_of_the_system(qtbot: QtBot, theme: Theme) -> None:
    icon = QApplication.style().standardIcon(QStyle.StandardPixmap.SP_DialogCloseButton)
    box, button, outside = QDialogButtonBox(), QPushButton(icon, "Close"), QPushButton(icon, "Elsewhere")
    box.addButton(button, QDialogButtonBox.ButtonRole.RejectRole)
    for widget in (box, outside):
        qtbot.addWidget(widget)
        widget.show()
    assert button.icon().isNull()
    assert not outside.icon().isNull()


def test_measures_are_asked_of_the_system_but_for_bars(qtbot: QtBot, theme: Theme) -> None:
    """Each answer from Python costs microseconds, and a page that is shown asks thousands of times."""
    label, bar = QPushButton("Open"), QScrollBar()
    for widget in (label, bar):
        qtbot.addWidget(widget)
        widget.show()
    for name in ("pixelMetric", "styleHint"):
        assert name not in vars(type(label.style())), name
    assert "pixelMetric" in vars(type(bar.style()))


def test_a_tool_tip_says_what_was_written(qtbot: QtBot) -> None:
    """Names and chat come from the network: a tag in them is text."""
    QToolTip.showText(QPoint(10, 10), "Player <b>ann</b>")
    tip = next(one for one in QApplication.topLevelWidgets() if one.windowType() == Qt.WindowType.ToolTip)
    assert isinstance(tip, QLabel)
    assert tip.text() == "Player <b>ann</b>"
    assert tip.textFormat() == Qt.TextFormat.PlainText
    QToolTip.hideText()
    qtbot.waitUntil(lambda: not QToolTip.isVisible())
