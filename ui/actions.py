"""Every command of the window, in one table: menu, words, keys, icon. Menus, bar and help are made from it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Command:
    """One entry of a menu."""

    name: str
    """A step of `LIST_STEPS`, or the window's method `do_<name>` carries it out."""
    menu: str
    text: str
    keys: str = ""
    """Shortcuts, separated by spaces; `,` alone is written `Comma`."""
    icon: str = ""
    """Phosphor icon for the command bar; empty: menu only."""
    needs_capture: bool = True
    separator: bool = False
    """A line above it."""


COMMANDS = (
    Command("open", "File", "Open...", "Ctrl+O", "folder-open", needs_capture=False),
    Command("open_sample", "File", "Open the sample", needs_capture=False),
    Command("close_capture", "File", "Close the capture", "Ctrl+W"),
    Command("reload", "File", "Reload", "Ctrl+R", "arrow-counter-clockwise"),
    Command("stop", "File", "Stop decoding", "Ctrl+E", "stop"),
    Command("file_problems", "File", "What is wrong with the file", separator=True),
    Command("quit", "File", "Quit", "Ctrl+Q", needs_capture=False, separator=True),
    Command("copy", "Edit", "Copy row", "Ctrl+C"),
    Command("copy_value", "Edit", "Copy value", "Ctrl+Shift+V"),
    Command("find", "Edit", "Find...", "Ctrl+F", "magnifying-glass", separator=True),
    Command("find_next", "Edit", "Find next", "Ctrl+N"),
    Command("find_previous", "Edit", "Find previous", "Ctrl+B"),
    Command("preferences", "Edit", "Preferences...", "Ctrl+Shift+P", needs_capture=False, separator=True),
    Command("zoom_in", "View", "Larger", "Ctrl++ Ctrl+=", needs_capture=False),
    Command("zoom_out", "View", "Smaller", "Ctrl+-", needs_capture=False),
    Command("zoom_reset", "View", "100 %", "Ctrl+0", needs_capture=False),
    Command("all_sessions", "View", "All sessions", separator=True),
    Command("fill", "View", "Let the pane fill the window", "F11"),
    Command("next_pane", "View", "Next pane", "F6"),
    Command("previous_pane", "View", "Previous pane", "Shift+F6"),
    Command("reset_layout", "View", "Reset layout", needs_capture=False, separator=True),
    Command("back", "Go", "Back", "Alt+Left", "arrow-left"),
    Command("forward", "Go", "Forward", "Alt+Right", "arrow-right"),
    Command("go_to", "Go", "Go to packet, tick or time...", "Ctrl+G", "arrow-line-right"),
    Command("first", "Go", "First packet", "Ctrl+Home", separator=True),
    Command("last", "Go", "Last packet", "Ctrl+End", "arrow-line-down"),
    Command("next_packet", "Go", "Next packet", "Ctrl+Down F8"),
    Command("previous_packet", "Go", "Previous packet", "Ctrl+Up F7"),
    Command("next_in_flow", "Go", "Next packet of the flow", "Ctrl+."),
    Command("previous_in_flow", "Go", "Previous packet of the flow", "Ctrl+Comma"),
    Command("next_snapshot", "Go", "Next snapshot of the client", separator=True),
    Command("previous_snapshot", "Go", "Previous snapshot of the client"),
    Command("next_failed", "Go", "Next failed snapshot"),
    Command("previous_failed", "Go", "Previous failed snapshot"),
    Command("baseline", "Go", "Baseline", separator=True),
    Command("acknowledgement", "Go", "Acknowledgement"),
    Command("next_part", "Go", "Next part"),
    Command("cause", "Go", "First cause of the failure"),
    Command("keys", "Help", "Keys", "F1", needs_capture=False),
    Command("about", "Help", "About Snapscope", needs_capture=False),
)
MENUS = ("File", "Edit", "View", "Go", "Help")
LIST_STEPS = {
    "first": "first",
    "last": "last",
    "next_packet": "next",
    "previous_packet": "previous",
    "next_in_flow": "next_in_flow",
    "previous_in_flow": "previous_in_flow",
    "next_snapshot": "next_snapshot",
    "previous_snapshot": "previous_snapshot",
    "next_failed": "next_failed",
    "previous_failed": "previous_failed",
    "baseline": "baseline",
    "acknowledgement": "acknowledgement",
    "next_part": "next_part",
    "cause": "cause",
}
"""Command -> the packet list's method `go_<step>` that carries it out."""
LETTERS = {
    "J": "next_snapshot",
    "K": "previous_snapshot",
    "Shift+J": "next_failed",
    "Shift+K": "previous_failed",
    "B": "baseline",
    "A": "acknowledgement",
    "P": "next_part",
}
"""Single keys that act in lists, trees and charts."""


def shortcuts(command: Command) -> list[str]:
    """The command's key sequences, as Qt reads them."""
    return [keys.replace("Comma", ",") for keys in command.keys.split()]
