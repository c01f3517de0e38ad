"""Finds widgets of an app by the names that assistive tools read, and prints where they are.

accessible.py find APP NAME [ROLE]     waits until one is shown; prints ROLE|NAME|X Y WIDTH HEIGHT|WINDOW|WIDTH HEIGHT
accessible.py gone APP NAME [ROLE]     waits until none is shown
accessible.py press APP NAME [ROLE]    waits until one is shown, and does what a click on it does
accessible.py value APP NAME           prints the number that a widget of that name shows
accessible.py rows APP NAME            prints the texts of the visible rows of the list of that name
accessible.py tree APP                 prints everything that is shown

In a NAME, * stands for any text; LIST>NAME searches only the list of that name. Positions are relative to the window (GTK has no others).
"""

import fnmatch
import os
import signal
import sys
import time

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib

PATIENCE = 170


def children(node):
    """Reads all children in one pass: an app with GTK 4.8 crashes if a counted window is closed before it is requested."""
    found = [node.get_child_at_index(index) for index in range(node.get_child_count())]
    return [child for child in found if child is not None]


def apps(name):
    desktop = Atspi.get_desktop(0)
    desktop.clear_cache()
    for app in children(desktop):
        if app.get_name() == name:
            app.clear_cache()
            yield app


def walk(node, window=None, depth=0):
    """Every visible node, with its window. A hidden node has no visible descendants."""
    try:
        states = node.get_state_set()
        if depth and not states.contains(Atspi.StateType.VISIBLE):
            return
        if depth == 1:
            window = node
        if depth:
            yield node, window, depth
        for child in children(node):
            yield from walk(child, window, depth + 1)
    except GLib.Error:
        return  # The widget was removed.


def matches(node, name, role):
    text = node.get_name() or ""
    if role and node.get_role_name() != role:
        return False
    return fnmatch.fnmatchcase(text, name)


def has_place(node):
    """Whether a widget has a position. Widgets on hidden pages of a stack have none."""
    place = node.get_extents(Atspi.CoordType.WINDOW)
    return place.width > 0 and place.height > 0


def lists(node, name, window=None):
    """The lists of that name. The search does not enter lists, which may be long."""
    if node.get_role() == Atspi.Role.LIST:
        if matches(node, name, None):
            yield node, window
        return
    for child in children(node):
        yield from lists(child, name, window or child)


def search(app, name, role):
    scope, _, name = name.rpartition(">")
    for root in apps(app):
        if scope:
            nodes = [found for view, window in lists(root, scope) for found in walk(view, window, 2)]
        else:
            nodes = walk(root)
        for node, window, _ in nodes:
            try:
                # A tooltip is a window without a name, and may have the same text as a button.
                if matches(node, name, role) and has_place(node) and window.get_name():
                    return node, window
            except GLib.Error:
                continue
    return None


def line(node, window):
    place = node.get_extents(Atspi.CoordType.WINDOW)
    frame = window.get_extents(Atspi.CoordType.WINDOW)
    return "{}|{}|{} {} {} {}|{}|{} {}".format(
        node.get_role_name(), node.get_name(), place.x, place.y, place.width, place.height, window.get_name(),
        frame.width, frame.height)


def wait(app, name, role, wanted):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = search(app, name, role)
        if bool(found) == wanted:
            return found
        time.sleep(0.05)
    for root in apps(app):
        tree(root)
    print([app.get_name() for app in children(Atspi.get_desktop(0))])
    sys.exit(f"timed out waiting for {name} {role or ''} to be {'shown' if wanted else 'gone'}")


def tree(root):
    for node, window, depth in walk(root):
        try:
            print(" " * depth + line(node, window))
        except GLib.Error:
            continue  # The widget has no position, or was removed.


def rows(view, window):
    """Prints a line for each visible row. A list also has rows above and below the visible ones."""
    top = view.get_extents(Atspi.CoordType.WINDOW).y
    bottom = window.get_extents(Atspi.CoordType.WINDOW).height
    for row in children(view):
        try:
            place = row.get_extents(Atspi.CoordType.WINDOW)
            if place.y + place.height > max(top, 0) and place.y < bottom:
                print("|".join(texts(row)))
        except GLib.Error:
            continue  # The row was removed.


def texts(node):
    for child in children(node):
        if child.get_role() == Atspi.Role.LABEL:
            yield child.get_name()
        elif child.get_role() == Atspi.Role.PANEL:
            yield from texts(child)


def main():
    verb, app, *rest = sys.argv[1:]
    name = rest[0] if rest else ""
    role = rest[1] if len(rest) > 1 else None
    if verb == "find":
        found = wait(app, name, role, True)
        print(line(*found))
    elif verb == "press":
        node, _ = wait(app, name, role, True)
        Atspi.Action.do_action(node, 0)
    elif verb == "gone":
        wait(app, name, role, False)
    elif verb == "value":
        node, _ = wait(app, name, role, True)
        print(node.get_value_iface().get_current_value())
    elif verb == "rows":
        for root in apps(app):
            for view, window in lists(root, name):
                rows(view, window)
    elif verb == "tree":
        for root in apps(app):
            tree(root)


def guarded():
    """Retries if libatspi (2.46) crashes: it sometimes recurses infinitely while windows open and close."""
    for _ in range(5):
        child = os.fork()
        if child == 0:
            main()
            sys.exit()
        _, status = os.waitpid(child, 0)
        if not os.WIFSIGNALED(status) or os.WTERMSIG(status) != signal.SIGSEGV:
            break
    sys.exit(0 if status == 0 else 1)


guarded()
