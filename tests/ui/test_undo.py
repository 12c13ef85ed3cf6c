"""What was done is taken back and done again, in order."""

from __future__ import annotations

from ui.undo import MOST_STEPS, Step, UndoStack


def pushed(stack: UndoStack, log: list[str], *names: str) -> None:
    for name in names:
        stack.push(Step(name, lambda name=name: log.append(f"-{name}"), lambda name=name: log.append(f"+{name}")))


def test_back_and_forth() -> None:
    stack, log = UndoStack(), list[str]()
    assert not stack.can_undo
    assert stack.undo() == stack.redo() == ""
    pushed(stack, log, "a", "b")
    assert (stack.undo(), stack.undo(), stack.undo()) == ("b", "a", "")
    assert (stack.redo(), stack.redo(), stack.redo()) == ("a", "b", "")
    assert log == ["-b", "-a", "+a", "+b"]


def test_what_was_taken_back_is_forgotten_when_something_else_is_done() -> None:
    stack, log = UndoStack(), list[str]()
    pushed(stack, log, "a", "b")
    stack.undo()
    pushed(stack, log, "c")
    assert not stack.can_redo
    assert (stack.undo(), stack.undo()) == ("c", "a")


def test_only_the_newest_are_kept() -> None:
    stack, log = UndoStack(), list[str]()
    pushed(stack, log, *map(str, range(MOST_STEPS + 5)))
    while stack.can_undo:
        last = stack.undo()
    assert last == "5"


def test_a_step_that_is_walked_is_not_a_new_one() -> None:
    stack = UndoStack()
    stack.push(Step("a", lambda: stack.push(Step("x", int, int)), int))
    stack.undo()
    assert not stack.can_undo
    assert stack.can_redo
