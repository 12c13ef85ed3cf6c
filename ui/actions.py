"""Every command of the window, in one table: menu, words, keys, icon. Menus, bar and help are made from it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Command:
    """One entry of a menu."""

    name: str
    """A step of `LIST_STEPS`, or one of those that the window carries out by name."""
    menu: str
    text: str
    keys: str = ""
    """Shortcuts, separated by spaces; `,` alone is written `Comma`."""
    icon: str = ""
    """Phosphor icon for the command bar; empty: menu only."""
    needs_capture: bool = True
    separator: bool = False
    """A line above it."""
    toggles: bool = False
    """It is on or off."""
    lacks: str = ""
    """With a capture open, why it cannot be carried out while it is disabled."""


COMMANDS = (
    Command("capture_options", "Capture", "Options...", "Ctrl+K", "sliders-horizontal", needs_capture=False),
    Command(
        "capture_start", "Capture", "Start", "Ctrl+E", "record-fill", needs_capture=False, lacks="one runs already"
    ),
    Command(
        "stop",
        "Capture",
        "Stop",
        "Ctrl+E",
        "stop-fill",
        needs_capture=False,
        lacks="nothing is being captured or decoded",
    ),
    Command(
        "pause", "Capture", "Pause the view", "Ctrl+Shift+E", "pause", toggles=True, lacks="nothing is being captured"
    ),
    Command("capture_restart", "Capture", "Restart", "Ctrl+R", needs_capture=False, lacks="nothing is being captured"),
    Command("open", "File", "Open...", "Ctrl+O", "folder-open", needs_capture=False),
    Command("open_sample", "File", "Open the sample", needs_capture=False),
    Command("save", "File", "Save", "Ctrl+S", "floppy-disk", lacks="there is nothing that is not saved"),
    Command("save_as", "File", "Save as...", "Ctrl+Shift+S", lacks="it is still being written or decoded"),
    Command("close_capture", "File", "Close the capture", "Ctrl+W"),
    Command("reload", "File", "Reload", "Ctrl+R", "arrow-counter-clockwise", lacks="it has no file of its own yet"),
    Command("follow", "File", "Follow the file", "Ctrl+Shift+R", lacks="it is followed, or has no file of its own yet"),
    Command("file_problems", "File", "What is wrong with the file", separator=True, lacks="nothing is wrong"),
    Command("quit", "File", "Quit", "Ctrl+Q", needs_capture=False, separator=True),
    Command("undo", "Edit", "Undo", "Ctrl+Z", lacks="nothing was done to packets, columns or filters"),
    Command("redo", "Edit", "Redo", "Ctrl+Shift+Z", lacks="nothing was taken back"),
    Command("copy", "Edit", "Copy", "Ctrl+C", separator=True),
    Command("copy_value", "Edit", "Copy value", "Ctrl+Shift+V"),
    Command("copy_filter", "Edit", "Copy as filter", "Ctrl+Shift+C"),
    Command("find", "Edit", "Find...", "Ctrl+F", "magnifying-glass", separator=True),
    Command("find_next", "Edit", "Find next", "Ctrl+N"),
    Command("find_previous", "Edit", "Find previous", "Ctrl+B"),
    Command("mark", "Edit", "Mark or unmark", "Ctrl+M", separator=True, lacks="no packet is selected"),
    Command("mark_all", "Edit", "Mark all displayed", "Ctrl+Shift+M"),
    Command("unmark_all", "Edit", "Unmark all displayed", "Ctrl+Alt+M", lacks="none is marked"),
    Command("next_mark", "Edit", "Next mark", "Ctrl+Shift+N", lacks="none is marked"),
    Command("previous_mark", "Edit", "Previous mark", "Ctrl+Shift+B", lacks="none is marked"),
    Command("ignore", "Edit", "Ignore or stop ignoring", "Ctrl+D", separator=True, lacks="no packet is selected"),
    Command("ignore_all", "Edit", "Ignore all displayed", "Ctrl+Shift+D"),
    Command("unignore_all", "Edit", "Stop ignoring all displayed", "Ctrl+Alt+D", lacks="none is ignored"),
    Command(
        "reference", "Edit", "Set or take off time reference", "Ctrl+T", separator=True, lacks="no packet is selected"
    ),
    Command("unreference_all", "Edit", "Take off all time references", "Ctrl+Alt+T", lacks="there is none"),
    Command("next_reference", "Edit", "Next time reference", "Ctrl+Alt+N", lacks="there is none"),
    Command("previous_reference", "Edit", "Previous time reference", "Ctrl+Alt+B", lacks="there is none"),
    Command("filter", "Edit", "Go to the filter", "Ctrl+/", separator=True),
    Command("filter_save", "Edit", "Save the filter as a button..."),
    Command("filter_clear", "Edit", "Clear the filter"),
    Command("decode_as", "Edit", "Decode as...", "Ctrl+Shift+U", separator=True, lacks="no packet is selected"),
    Command("preferences", "Edit", "Preferences...", "Ctrl+Shift+P", needs_capture=False, separator=True),
    Command("zoom_in", "View", "Zoom in", "Ctrl++ Ctrl+=", needs_capture=False),
    Command("zoom_out", "View", "Zoom out", "Ctrl+-", needs_capture=False),
    Command("zoom_reset", "View", "Zoom to 100 %", "Ctrl+0", needs_capture=False),
    Command("columns", "View", "Columns...", "Ctrl+Shift+L", separator=True),
    Command("columns_reset", "View", "Reset the columns"),
    Command("time_first", "View", "Time since the first packet", "Ctrl+Alt+5", separator=True, toggles=True),
    Command("time_previous", "View", "Time since the packet shown before", "Ctrl+Alt+7", toggles=True),
    Command("time_reference", "View", "Time since the time reference", "Ctrl+Alt+6", toggles=True),
    Command("time_utc", "View", "Time of day (UTC)", "Ctrl+Alt+8", toggles=True),
    Command("all_sessions", "View", "Show all sessions", separator=True, lacks="all are shown"),
    Command("fill", "View", "Let the pane fill the window", "F11"),
    Command("next_pane", "View", "Next pane", "F6"),
    Command("previous_pane", "View", "Previous pane", "Shift+F6"),
    Command("show_list", "View", "Go to the packet list", "Alt+1", separator=True),
    Command("show_packet", "View", "Go to the packet", "Alt+2"),
    Command("show_snapshot", "View", "Go to the snapshot", "Alt+3"),
    Command("show_charts", "View", "Go to the charts", "Alt+4"),
    Command("show_clients", "View", "Go to the clients", "Alt+5"),
    Command("show_findings", "View", "Go to the findings", "Alt+6"),
    Command("reset_layout", "View", "Reset layout", needs_capture=False, separator=True),
    Command("back", "Go", "Back", "Alt+Left", "arrow-left", lacks="there is no selection before"),
    Command("forward", "Go", "Forward", "Alt+Right", "arrow-right", lacks="there is no selection after"),
    Command("go_to", "Go", "Go to packet, tick or time...", "Ctrl+G", "arrow-line-right"),
    Command("first", "Go", "First packet", "Ctrl+Home", separator=True),
    Command("last", "Go", "Last packet", "Ctrl+End", "arrow-line-down"),
    Command("next_packet", "Go", "Next packet", "Ctrl+Down F8"),
    Command("previous_packet", "Go", "Previous packet", "Ctrl+Up F7"),
    Command("next_in_flow", "Go", "Next packet of the flow", "Ctrl+."),
    Command("previous_in_flow", "Go", "Previous packet of the flow", "Ctrl+Comma"),
    Command("next_in_session", "Go", "Next packet of the session", "Ctrl+Alt+."),
    Command("previous_in_session", "Go", "Previous packet of the session", "Ctrl+Alt+Comma"),
    Command("next_snapshot", "Go", "Next snapshot of the client", separator=True, lacks="there are no snapshots"),
    Command("previous_snapshot", "Go", "Previous snapshot of the client", lacks="there are no snapshots"),
    Command("next_failed", "Go", "Next failed snapshot", lacks="there are no snapshots"),
    Command("previous_failed", "Go", "Previous failed snapshot", lacks="there are no snapshots"),
    Command("next_finding", "Go", "Next finding", "Shift+F8", separator=True),
    Command("previous_finding", "Go", "Previous finding", "Shift+F7"),
    Command("baseline", "Go", "Baseline", separator=True, lacks="no snapshot with a baseline is selected"),
    Command("acknowledgement", "Go", "Acknowledgement", lacks="no snapshot with one is selected"),
    Command("next_part", "Go", "Next part", lacks="no snapshot of several parts is selected"),
    Command("cause", "Go", "First cause of the failure", lacks="no snapshot with an earlier cause is selected"),
    Command("palette", "Help", "All commands by name...", "Ctrl+Shift+Space", needs_capture=False),
    Command("keys", "Help", "Keys", "F1", needs_capture=False),
    Command("colours", "Help", "Colours and signs", needs_capture=False),
    Command("about", "Help", "About Snapscope", needs_capture=False),
)
MENUS = ("File", "Edit", "View", "Go", "Capture", "Help")
LIST_STEPS = {
    "first": "first",
    "last": "last",
    "next_packet": "next",
    "previous_packet": "previous",
    "next_in_flow": "next_in_flow",
    "previous_in_flow": "previous_in_flow",
    "next_in_session": "next_in_session",
    "previous_in_session": "previous_in_session",
    "next_snapshot": "next_snapshot",
    "previous_snapshot": "previous_snapshot",
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
"""Single keys that act in lists, trees, charts and the overview."""


OTHER_KEYS = (
    ("Trees", "Open, close", "Right Left"),
    ("Trees", "Open all below", "Shift+Right"),
    ("Trees", "Open all, close all", "Ctrl+Right Ctrl+Left"),
    ("Snapshot", "Show raw values only, while held", "Alt"),
    ("Findings", "Next, previous finding of the list", "F8 F7"),
    ("Findings", "Go to the packet", "Enter"),
    ("Charts", "Zoom the time axis", "+ -"),
    ("Charts", "Show the whole capture", "0"),
    ("Charts", "Fit to the marked range", "F"),
    ("Charts", "Move along", "Left Right"),
    ("Overview", "Snapshot before, behind; with Shift a second away", "Left Right"),
    ("Overview", "Another client", "Up Down"),
    ("Overview", "Range from the baseline to the snapshot", "R"),
    ("Overview", "Zoom to the range, show all", "F 0"),
    ("Overview", "Zoom", "+ -"),
    ("Overview", "Copy the numbers of the range", "Ctrl+C"),
    ("Overview", "Clear the range", "Esc"),
    ("Filter", "Candidates, also where nothing is typed", "Ctrl+Space"),
    ("Filter", "Take a candidate", "Tab"),
    ("Filter", "Filters that were applied", "Up Down"),
    ("Filter", "Leave it; in the list, clear the filter, then the range", "Esc"),
    ("Welcome page", "Refresh the interfaces", "F5"),
    ("Everywhere", "Menu of what is selected", "Menu"),
    ("Everywhere", "Leave the search", "Esc"),
)
"""Where, what, keys: what single panes do by keys of their own, for help to list."""


def shortcuts(command: Command) -> list[str]:
    """The command's key sequences, as Qt reads them."""
    return [keys.replace("Comma", ",") for keys in command.keys.split()]


def all_keys(command: Command) -> list[str]:
    """Its shortcuts, and the single keys that do the same in lists, trees and charts."""
    return shortcuts(command) + [keys for keys, name in LETTERS.items() if name == command.name]


def title(command: Command) -> str:
    """Its words without the dots that announce a question."""
    return command.text.rstrip(".")
