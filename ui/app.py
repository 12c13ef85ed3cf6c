"""The `snapscope` command: opens the window, with a capture if one is named."""

from __future__ import annotations

import argparse
import logging
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import TracebackType

from PySide6.QtCore import QAbstractEventDispatcher, qVersion
from PySide6.QtWidgets import QApplication

import analyzer
from analyzer import kernel_cache
from analyzer.engine.machine import memory_bytes
from analyzer.engine.pins import NO_PINS, Pins, parse_pin
from analyzer.protocols import PROTOCOLS
from ui import fonts
from ui.display import display_fault
from ui.fast_decoder import FastDecoder
from ui.icons import product_icon
from ui.main_window import MainWindow
from ui.settings import CaptureOptions, Settings
from ui.style import FlatStyle
from ui.turn import TURN

_LOG = logging.getLogger(__name__)
EXIT_WAIT_S = 3.0
SWITCH_INTERVAL_S = 0.0001
"""How long the decoder may keep the interpreter while the window waits for it, which is many times in each repaint."""


def main(argv: list[str] | None = None) -> int:
    """Run the window until it is closed. The exit code is Qt's; 1 if no window can be shown here."""
    options = _read_arguments(sys.argv[1:] if argv is None else argv)
    if fault := display_fault():
        print(f"snapscope: {fault}", file=sys.stderr)
        return 1
    application = QApplication(["snapscope"])
    settings = Settings()
    window = start(
        application,
        options.capture,
        settings,
        follow=options.follow,
        pins=options.pins,
        schemas=options.schema,
    )
    sys.excepthook = _reporter(window)
    decoder = FastDecoder()
    window.prepare(decoder)
    begin_capture(window, options, settings.capture_options)
    code = application.exec()
    decoder.stop(EXIT_WAIT_S)
    # What still reads gives its temporary files back; a question that runs longer ends with the process.
    window.opening.wait(EXIT_WAIT_S)
    window.capturing.wait(EXIT_WAIT_S)
    window.recovery.wait(EXIT_WAIT_S)
    window.saving.wait(EXIT_WAIT_S)
    return code


def start(
    application: QApplication,
    capture: str | None,
    settings: Settings,
    *,
    follow: bool = False,
    pins: Pins = NO_PINS,
    schemas: Sequence[str] = (),
) -> MainWindow:
    """Set the application up and show the window, with a capture if one is named; `follow` what is written to it.

    `pins`: how flows of the first capture are read. `schemas`: files that name what a mod adds.
    """
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    TURN.follow(QAbstractEventDispatcher.instance())
    threading.Thread(target=_look_around, name="kernels", daemon=True).start()
    application.setApplicationName("Snapscope")
    application.setApplicationVersion(analyzer.__version__)
    application.setStyle(FlatStyle())
    fonts.load()
    application.setWindowIcon(product_icon())
    window = MainWindow(settings)
    window.opening.given = pins
    window.show()
    window.recovery.look()
    if schemas:
        window.schema_files.give(schemas)
    if capture:
        window.streams.open_path(capture, follow=follow)
    return window


def _look_around() -> None:
    """What is found is kept: whoever opens a capture need not wait for it."""
    kernel_cache.ready()
    memory_bytes()


def begin_capture(window: MainWindow, options: argparse.Namespace, last: CaptureOptions) -> None:
    """As the command line says: capture at once, or show the options with what it names."""
    named = {"interface": options.interface, "filter": options.filter, "file": options.write}
    given = {name: value for name, value in named.items() if value is not None}
    if not given and not options.begin:
        return
    # A filter that was meant for another interface would be a surprise.
    wanted = replace(last, filter="") if options.interface else last
    wanted = replace(wanted, **given)
    if options.begin and wanted.interface:
        window.capturing.start(wanted)
    else:
        window.capturing.ask_options(wanted)


def _read_arguments(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="snapscope", description="Show what a game server told each of its clients.")
    parser.add_argument(
        "capture",
        nargs="?",
        help="a pcap or pcapng file, plain or gzip-compressed; a named pipe, or - for the standard input",
    )
    parser.add_argument("--follow", action="store_true", help="the file is still being written: show what comes")
    parser.add_argument(
        "--schema", action="append", default=[], metavar="JSON", help="items and messages of a mod; may be repeated"
    )
    parser.add_argument("-i", "--interface", metavar="IFACE", help="a network interface to capture on")
    parser.add_argument("-f", "--filter", metavar="BPF", help='a capture filter, such as "udp port 8303"')
    parser.add_argument("-w", "--write", metavar="FILE", help="write the capture to this pcapng file, a new one")
    parser.add_argument("-k", "--begin", action="store_true", help="begin to capture at once, without asking")
    parser.add_argument(
        "--decode-as",
        metavar="PORT=DIALECT",
        action="append",
        default=[],
        help="read the flows of a server so, whatever they look like: 8303=ddnet, 10.0.0.2:8303=0.6.5, or "
        "CLIENT:PORT-SERVER:PORT=none for one flow that is not decoded; may be repeated",
    )
    version = f"snapscope {analyzer.__version__}, Qt {qVersion()}"
    parser.add_argument("--version", action="version", version=version)
    options = parser.parse_args(arguments)
    options.pins = NO_PINS
    for text in options.decode_as:
        try:
            options.pins = options.pins.with_pin(parse_pin(text, PROTOCOLS))
        except ValueError as error:
            parser.error(f"--decode-as: {error}")
    if options.capture and (options.begin or options.interface or options.filter or options.write):
        parser.error("either a file is opened or an interface is captured on")
    if options.follow and not options.capture:
        parser.error("--follow needs a file")
    return options


def _reporter(
    window: MainWindow,
) -> Callable[[type[BaseException], BaseException, TracebackType | None], None]:
    """An exception of ours in the window becomes a report that a person can copy, and the window goes on."""

    def report(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            QApplication.quit()
            return
        _LOG.error("the window failed", exc_info=(kind, error, trace))
        window.dialogs.show_report(str(error) or kind.__name__, "".join(traceback.format_exception(kind, error, trace)))

    return report


if __name__ == "__main__":
    sys.exit(main())
