"""Measures types and functions of Swift sources, by their braces: enough to see what grows too large."""

import re

MODIFIERS = (
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*"
    r"(?:(?:public|package|internal|fileprivate|private|final|static|indirect|mutating|nonmutating|consuming|borrowing"
    r"|convenience|override|prefix|infix|lazy|weak|nonisolated(?:\(\w+\))?|unowned(?:\(\w+\))?)(?:\(set\))?\s+)*"
)
TYPE = re.compile(MODIFIERS + r"(class|struct|enum|actor|extension|protocol)\s+([A-Z][\w.]*)")
FUNCTION = re.compile(MODIFIERS + r"(?:func\s+([^\s(<]+)|(init)[?!]?\s*[(<])")
PROPERTY = re.compile(MODIFIERS + r"(?:var|let)\s+(.*)")
# What names the fields of a message changes it only while it is read.
NAMING = ("fields", "complete")
TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')


class Type:
    """A type with all its extensions in one target."""

    def __init__(self):
        self.lines = 0
        self.properties = 0
        # A class, or a value that changes itself; others only carry what they are given.
        self.acts = False


def measure(lines, types):
    """Adds what the lines of a file declare to `types`, by name; answers the functions as (name, first line, length)."""
    functions = []
    # What each open brace belongs to: (kind, name or type, first line).
    open_braces = []
    declared = None
    is_text = False
    for number, line in enumerate(lines, 1):
        quotes = line.count('"""')
        if is_text:
            is_text = quotes % 2 == 0
            continue
        is_text = quotes % 2 == 1
        code = TEXT.sub('""', line.replace('"""', "")).split("//")[0]
        owner = open_braces[-1] if open_braces else ("file", None, 0)
        found, function, stored = TYPE.match(code), FUNCTION.match(code), PROPERTY.match(code)
        if found:
            outer = [brace[1] for brace in open_braces if brace[0] == "type"]
            name = f"{outer[-1]}.{found[2]}" if outer else found[2]
            declared = ("type", name, number)
            if found[1] in ("class", "actor"):
                types.setdefault(name, Type()).acts = True
        elif function and owner[0] in ("type", "file"):
            declared = ("function", function[1] or function[2], number)
            if owner[0] == "type" and " mutating " in f" {code}" and function[1] not in NAMING:
                types.setdefault(owner[1], Type()).acts = True
        elif stored and owner[0] == "type" and not re.search(r"\bstatic\b", code.split("=")[0]):
            head, brace, _ = stored[1].partition("{")
            # A property with a body and no first value is computed.
            if not brace or "=" in head:
                types.setdefault(owner[1], Type()).properties += 1
        for character in code:
            if character == "{":
                open_braces.append(declared or ("block", None, number))
                declared = None
            elif character == "}" and open_braces:
                kind, name, first = open_braces.pop()
                if kind == "type":
                    types.setdefault(name, Type()).lines += number - first + 1
                elif kind == "function":
                    functions.append((name, first, number - first + 1))
    return functions
