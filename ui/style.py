"""The look of bars, tabs, buttons and scroll bars: flat, thin and grey, with colour only on what is chosen.

All colours come from the palette that `theme` makes: Button is `raised`, Base `panel`, Midlight `line`, Mid `line2`.
"""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QDialogButtonBox,
    QLabel,
    QProxyStyle,
    QPushButton,
    QScrollBar,
    QStyle,
    QStyleOption,
    QStyleOptionComplex,
    QStyleOptionFrame,
    QStyleOptionMenuItem,
    QStyleOptionProgressBar,
    QStyleOptionSlider,
    QStyleOptionSpinBox,
    QStyleOptionTab,
    QTabBar,
    QWidget,
)

from ui.field_style import (
    edge_pen,
    paint_check_box,
    paint_field,
    paint_focus_ring,
    paint_progress,
    paint_radio_button,
    paint_spin_box,
)
from ui.theme import RADIUS

Control, Primitive, State, Role = QStyle.ControlElement, QStyle.PrimitiveElement, QStyle.StateFlag, QPalette.ColorRole

SCROLL_EXTENT = 12
SCROLL_MARGIN = 3
SCROLL_LEAST = 28
"""A handle shorter than this could not be caught."""
TAB_HEIGHT = 30
EDGE = 2
"""Line above the tab that is open."""
FIELD_PADDING = 3
"""What a field leaves at each end of its text beyond what Qt does: as much as a box that opens has."""
MENU_HEIGHT = 24
MENU_PADDING = 8
BELOW = (QTabBar.Shape.RoundedSouth, QTabBar.Shape.TriangularSouth)

_METRICS = {
    QStyle.PixelMetric.PM_ScrollBarExtent: SCROLL_EXTENT,
    QStyle.PixelMetric.PM_TabBarTabShiftVertical: 0,
    QStyle.PixelMetric.PM_TabBarTabShiftHorizontal: 0,
    QStyle.PixelMetric.PM_TabBarTabOverlap: 0,
}


class _Drawn(QProxyStyle):
    """Fusion without its gradients and frames."""

    def __init__(self) -> None:
        super().__init__("Fusion")

    def sizeFromContents(
        self, kind: QStyle.ContentsType, option: QStyleOption, size: QSize, widget: QWidget | None = None
    ) -> QSize:
        # Qt's stubs of the proxy forget that there may be no widget; those of its bases do not.
        wanted = super().sizeFromContents(kind, option, size, widget)  # type: ignore[arg-type]
        if kind is QStyle.ContentsType.CT_TabBarTab:
            wanted.setHeight(max(TAB_HEIGHT, wanted.height()))
        elif kind is QStyle.ContentsType.CT_MenuBarItem:
            wanted = QSize(wanted.width() + MENU_PADDING, max(MENU_HEIGHT, wanted.height()))
        return wanted

    def subElementRect(self, element: QStyle.SubElement, option: QStyleOption, widget: QWidget | None = None) -> QRect:
        area = super().subElementRect(element, option, widget)  # type: ignore[arg-type]
        framed = isinstance(option, QStyleOptionFrame) and option.lineWidth > 0
        if element is QStyle.SubElement.SE_LineEditContents and framed:
            area.adjust(FIELD_PADDING, 0, -FIELD_PADDING, 0)
        return area

    def subControlRect(
        self,
        control: QStyle.ComplexControl,
        option: QStyleOptionComplex,
        part: QStyle.SubControl,
        widget: QWidget | None = None,
    ) -> QRect:
        if control is QStyle.ComplexControl.CC_ScrollBar and isinstance(option, QStyleOptionSlider):
            return _scroll_part(option, part)
        return super().subControlRect(control, option, part, widget)  # type: ignore[arg-type]

    def drawComplexControl(
        self,
        control: QStyle.ComplexControl,
        option: QStyleOptionComplex,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        if control is QStyle.ComplexControl.CC_ScrollBar and isinstance(option, QStyleOptionSlider):
            _paint_scroll_bar(option, painter)
        elif control is QStyle.ComplexControl.CC_SpinBox and isinstance(option, QStyleOptionSpinBox):
            parts = (QStyle.SubControl.SC_SpinBoxUp, QStyle.SubControl.SC_SpinBoxDown)
            up, down = (self.subControlRect(control, option, part, widget) for part in parts)
            paint_spin_box(option, painter, up, down)
        else:
            super().drawComplexControl(control, option, painter, widget)

    def drawControl(
        self, element: QStyle.ControlElement, option: QStyleOption, painter: QPainter, widget: QWidget | None = None
    ) -> None:
        palette = option.palette
        if element is Control.CE_TabBarTabShape and isinstance(option, QStyleOptionTab):
            _paint_tab(option, painter)
        elif element in (Control.CE_MenuBarItem, Control.CE_MenuBarEmptyArea):
            painter.fillRect(option.rect, palette.color(Role.Button))
            if element is Control.CE_MenuBarItem and isinstance(option, QStyleOptionMenuItem):
                self._paint_menu(option, painter, widget)
        elif element is Control.CE_ToolBar:
            painter.fillRect(option.rect, palette.color(Role.Button))
            _paint_hairline(option.rect, painter, palette, at_top=False)
        elif element is Control.CE_ProgressBar and isinstance(option, QStyleOptionProgressBar):
            paint_progress(option, painter)
        elif element is Control.CE_Splitter:
            painter.fillRect(option.rect, palette.color(Role.Window))
        else:
            super().drawControl(element, option, painter, widget)

    def drawPrimitive(
        self, element: QStyle.PrimitiveElement, option: QStyleOption, painter: QPainter, widget: QWidget | None = None
    ) -> None:
        if element is Primitive.PE_FrameTabBarBase:
            _paint_hairline(option.rect, painter, option.palette, at_top=False)
        elif element is Primitive.PE_PanelStatusBar:
            painter.fillRect(option.rect, option.palette.color(Role.Button))
            _paint_hairline(option.rect, painter, option.palette, at_top=True)
        elif element is Primitive.PE_PanelButtonCommand:
            _paint_button(option, painter)
        elif element is Primitive.PE_PanelButtonTool:
            _paint_tool_button(option, painter)
        elif element is Primitive.PE_PanelLineEdit and isinstance(option, QStyleOptionFrame) and option.lineWidth > 0:
            paint_field(option, painter)
        elif element is Primitive.PE_IndicatorCheckBox:
            paint_check_box(option, painter)
        elif element is Primitive.PE_IndicatorRadioButton:
            paint_radio_button(option, painter)
        elif element is Primitive.PE_FrameFocusRect and not isinstance(widget, QAbstractItemView | QPushButton):
            paint_focus_ring(option, painter)
        elif element is Primitive.PE_IndicatorToolBarSeparator:
            inset = option.rect.height() // 4
            line = QRect(option.rect.center().x(), option.rect.y() + inset, 1, option.rect.height() - 2 * inset)
            painter.fillRect(line, option.palette.color(Role.Midlight))
        elif element is Primitive.PE_IndicatorDockWidgetResizeHandle:
            painter.fillRect(option.rect, option.palette.color(Role.Window))
        elif element is not Primitive.PE_FrameStatusBarItem:
            super().drawPrimitive(element, option, painter, widget)

    def _paint_menu(self, option: QStyleOptionMenuItem, painter: QPainter, widget: QWidget | None) -> None:
        if option.state & State.State_Selected:
            painter.fillRect(option.rect, option.palette.color(Role.Highlight))
        flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine | Qt.TextFlag.TextDontClip
        shown = self.styleHint(QStyle.StyleHint.SH_UnderlineShortcut, option, widget)
        mnemonic = Qt.TextFlag.TextShowMnemonic if shown else Qt.TextFlag.TextHideMnemonic
        enabled = bool(option.state & State.State_Enabled)
        self.drawItemText(
            painter, option.rect, int(flags) | int(mnemonic), option.palette, enabled, option.text, Role.ButtonText
        )


class _BarStyle(_Drawn):
    """Of scroll bars and rows of tabs, which have measures of their own.

    Qt asks for measures thousands of times when a page is shown, and each answer from here takes microseconds; so only
    these widgets ask.
    """

    def polish(self, polished: QWidget | QApplication | QPalette) -> QPalette | None:  # type: ignore[override]
        """Fusion tells tabs nothing of the pointer."""
        if isinstance(polished, QTabBar):
            polished.setAttribute(Qt.WidgetAttribute.WA_Hover)
        return super().polish(polished)

    def pixelMetric(
        self, metric: QStyle.PixelMetric, option: QStyleOption | None = None, widget: QWidget | None = None
    ) -> int:
        known = _METRICS.get(metric)
        return super().pixelMetric(metric, option, widget) if known is None else known


class FlatStyle(_Drawn):
    """The style of the program."""

    def __init__(self) -> None:
        super().__init__()
        self._bars = _BarStyle()

    def polish(self, polished: QWidget | QApplication | QPalette) -> QPalette | None:  # type: ignore[override]
        """Give bars theirs; take from buttons of dialogs the pictures of Fusion, which are of no theme.

        Tool tips say what players wrote as it was written: a name with a tag in it is no markup.
        """
        if isinstance(polished, QScrollBar | QTabBar):
            polished.setStyle(self._bars)
        elif isinstance(polished, QPushButton) and isinstance(polished.parent(), QDialogButtonBox):
            polished.setIcon(QIcon())
        elif isinstance(polished, QLabel) and polished.windowType() == Qt.WindowType.ToolTip:
            polished.setTextFormat(Qt.TextFormat.PlainText)
        return super().polish(polished)


def _paint_hairline(rect: QRect, painter: QPainter, palette: QPalette, *, at_top: bool) -> None:
    line = QRect(rect.left(), rect.top() if at_top else rect.bottom(), rect.width(), 1)
    painter.fillRect(line, palette.color(Role.Midlight))


def _paint_tab(option: QStyleOptionTab, painter: QPainter) -> None:
    """The open one joins the pane below it, under a line in the colour of actions."""
    rect, palette = option.rect, option.palette
    line = palette.color(Role.Midlight)
    if option.state & State.State_Selected:
        painter.fillRect(rect, palette.color(Role.Base))
        top = rect.bottom() - EDGE + 1 if option.shape in BELOW else rect.top()
        painter.fillRect(QRect(rect.left(), top, rect.width(), EDGE), palette.color(Role.Accent))
        for x in (rect.left(), rect.right()):
            painter.fillRect(QRect(x, rect.top() + EDGE, 1, rect.height() - EDGE), line)
    else:
        hovered = option.state & State.State_MouseOver and option.state & State.State_Enabled
        painter.fillRect(rect, palette.color(Role.Base if hovered else Role.Window))
        painter.fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), line)


def _paint_button(option: QStyleOption, painter: QPainter) -> None:
    state, palette = option.state, option.palette
    pressed, over = state & (State.State_Sunken | State.State_On), state & State.State_MouseOver
    enabled = bool(state & State.State_Enabled)
    fill = Role.Highlight if enabled and pressed else Role.Button if enabled and not over else Role.Base
    pen = edge_pen(option)
    half = pen.widthF() / 2
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(palette.color(fill))
    painter.setPen(pen)
    painter.drawRoundedRect(QRectF(option.rect).adjusted(half, half, -half, -half), RADIUS, RADIUS)
    painter.restore()


def _paint_tool_button(option: QStyleOption, painter: QPainter) -> None:
    """Only where the pointer is, or what is on."""
    state = option.state
    if not state & State.State_Enabled or not state & (State.State_MouseOver | State.State_Sunken | State.State_On):
        return
    pressed = state & (State.State_Sunken | State.State_On)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(option.palette.color(Role.Highlight if pressed else Role.Midlight))
    painter.drawRoundedRect(QRectF(option.rect), RADIUS, RADIUS)
    painter.restore()


def _scroll_part(option: QStyleOptionSlider, part: QStyle.SubControl) -> QRect:
    """Where a part of a scroll bar lies; there are no arrows."""
    rect, parts = option.rect, QStyle.SubControl
    lies = option.orientation is Qt.Orientation.Horizontal
    length = rect.width() if lies else rect.height()
    span = option.maximum - option.minimum
    handle = length
    if span > 0:
        handle = min(length, max(SCROLL_LEAST, length * option.pageStep // (span + option.pageStep)))
    at = QStyle.sliderPositionFromValue(
        option.minimum, option.maximum, option.sliderPosition, length - handle, option.upsideDown
    )
    first, last = {
        parts.SC_ScrollBarSlider: (at, at + handle),
        parts.SC_ScrollBarSubPage: (0, at),
        parts.SC_ScrollBarAddPage: (at + handle, length),
        parts.SC_ScrollBarGroove: (0, length),
    }.get(part, (0, 0))
    if first >= last:
        return QRect()
    if lies:
        return QRect(rect.left() + first, rect.top(), last - first, rect.height())
    return QRect(rect.left(), rect.top() + first, rect.width(), last - first)


def _paint_scroll_bar(option: QStyleOptionSlider, painter: QPainter) -> None:
    palette, state = option.palette, option.state
    painter.fillRect(option.rect, palette.color(Role.Base))
    if option.maximum <= option.minimum or not state & State.State_Enabled:
        return
    handle = QRectF(_scroll_part(option, QStyle.SubControl.SC_ScrollBarSlider))
    slim = handle.adjusted(SCROLL_MARGIN, SCROLL_MARGIN, -SCROLL_MARGIN, -SCROLL_MARGIN)
    held = state & State.State_Sunken and option.activeSubControls & QStyle.SubControl.SC_ScrollBarSlider
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(palette.color(Role.Accent if held else Role.Mid))
    radius = min(slim.width(), slim.height()) / 2
    painter.drawRoundedRect(slim, radius, radius)
    painter.restore()
