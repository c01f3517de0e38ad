#!/usr/bin/env python3
"""Measures types and functions of Swift sources, by their braces. That is precise enough to find large ones.

scripts/shape.py --lower       writes the sizes that have fallen to scripts/shape-exceptions
scripts/shape.py --selftest    checks samples with planted faults

A struct that stores a class of its module and uses three or more of the class's members is a part of that class in another
file. Its lines and its other properties count toward the limits of the class.
"""

import collections
import os
import re
import sys

# The limits of a type with all its files, of the stored properties of a type that acts, and of a function. The sums have no limit here:
# the exceptions contain them.
LIMITS = {"lines": 600, "properties": 15, "function": 60, "sum": 0}
# The sums count the lines of each type and of each function above these lengths.
LONG = {"types": 300, "functions": 30}
# Larger sizes that are allowed, and why.
EXCEPTIONS = "scripts/shape-exceptions"
# A struct that uses so many members of a class counts with the class.
MEMBERS_OF_A_PART = 3

MODIFIERS = (
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*"
    r"(?:(?:public|package|internal|fileprivate|private|final|static|indirect|mutating|nonmutating|consuming|borrowing"
    r"|convenience|override|prefix|infix|lazy|weak|nonisolated(?:\(\w+\))?|unowned(?:\(\w+\))?)(?:\(set\))?\s+)*"
)
TYPE = re.compile(MODIFIERS + r"(class|struct|enum|actor|extension|protocol)\s+([A-Z][\w.]*)")
FUNCTION = re.compile(MODIFIERS + r"(?:func\s+([^\s(<]+)|(init)[?!]?\s*[(<])")
PROPERTY = re.compile(MODIFIERS + r"(?:var|let)\s+(.*)")
# The name of a property, and its type or the type of its first value.
STORED = re.compile(r"(\w+)\s*(?::\s*([A-Z][\w.]*)|=\s*([A-Z][\w.]*)\()")
MEMBER = re.compile(r"(?<![\w.$])(?:self\.)?(\w+)[?!]?\.(\w+)")
# Methods that list the fields of a message. They are mutating only because decoding uses them too.
NAMING = ("fields", "complete")
TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')


class Type:
    """A type with all its extensions in one target."""

    def __init__(self):
        self.kind = None
        self.lines = 0
        self.properties = 0
        # A class, or a value with mutating methods. Other values only carry data.
        self.acts = False
        # The types of stored properties, by name, and the members that are used, by the name before the dot.
        self.stored = {}
        self.used = collections.defaultdict(set)


def measure(lines, types):
    """Adds the declarations in the lines of a file to `types`, by name. Returns the functions as (name, first line, length)."""
    functions = []
    # The declaration of each open brace: (kind, name or type, first line).
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
        outer = next((brace[1] for brace in reversed(open_braces) if brace[0] == "type"), None)
        found, function, stored = TYPE.match(code), FUNCTION.match(code), PROPERTY.match(code)
        if found:
            name = f"{outer}.{found[2]}" if outer else found[2]
            declared = ("type", name, number)
            if found[1] != "extension":
                types.setdefault(name, Type()).kind = found[1]
            if found[1] in ("class", "actor"):
                types[name].acts = True
        elif function and owner[0] in ("type", "file"):
            declared = ("function", function[1] or function[2], number)
            if owner[0] == "type" and " mutating " in f" {code}" and function[1] not in NAMING:
                types.setdefault(owner[1], Type()).acts = True
        elif stored and owner[0] == "type" and not re.search(r"\bstatic\b", code.split("=")[0]):
            head, brace, _ = stored[1].partition("{")
            # A property with a body and no initial value is computed.
            if not brace or "=" in head:
                types.setdefault(owner[1], Type()).properties += 1
                if named := STORED.match(head):
                    types[owner[1]].stored[named[1]] = named[2] or named[3]
        if outer:
            for base, member in MEMBER.findall(code):
                types.setdefault(outer, Type()).used[base].add(member)
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


def parts(types):
    """Returns the structs that count with each class, by the name of the class."""
    found = collections.defaultdict(list)
    for name, type in types.items():
        outer = name.split(".")
        for property, stored in type.stored.items() if type.kind == "struct" else ():
            # A nested type is named without the types around it, and its lines are theirs already.
            names = [".".join([*outer[:depth], stored]) for depth in range(len(outer), -1, -1)]
            whole = next((other for other in names if other in types), None)
            if (whole and types[whole].kind in ("class", "actor") and len(type.used[property]) >= MEMBERS_OF_A_PART
                    and not f"{name}.".startswith(f"{whole}.") and not f"{whole}.".startswith(f"{name}.")
                    and name not in found[whole]):
                found[whole].append(name)
    return found


def sizes(files):
    """Returns every size as {(kind, name): (size, place)}, for files as (target, path, lines)."""
    found, types, sums = {}, {}, dict.fromkeys(LONG, 0)
    for target, path, lines in files:
        for name, first, length in measure(lines, types.setdefault(target, {})):
            key = ("function", f"{target}.{name}")
            found[key] = max(found.get(key, (0, "")), (length, f"{path}:{first}"))
            sums["functions"] += max(0, length - LONG["functions"])
    for target, own in types.items():
        counted = parts(own)
        for name, type in own.items():
            others = [own[part] for part in counted[name]]
            place = f"Sources/{target}" + (f", with {', '.join(sorted(counted[name]))}" if others else "")
            found["lines", f"{target}.{name}"] = (type.lines + sum(part.lines for part in others), place)
            if type.acts:
                # The property that holds the class is no property of the class.
                kept = type.properties + sum(part.properties - 1 for part in others)
                found["properties", f"{target}.{name}"] = (kept, place)
            sums["types"] += max(0, type.lines - LONG["types"])
    return found | {("sum", name): (size, "Sources") for name, size in sums.items()}


def exceptions():
    """Returns the allowed sizes as {(kind, name): size}."""
    with open(EXCEPTIONS, encoding="utf-8") as file:
        rows = [line.split(None, 3) for line in file if line.strip() and not line.startswith("#")]
    return {(kind, name): int(size) for kind, name, size, _ in rows}


def findings(found, allowed):
    """Returns a line of text for each size that is not allowed, and for each exception that is not needed."""
    faults = []
    for (kind, name), (size, place) in sorted(found.items()):
        limit = allowed.get((kind, name), LIMITS[kind])
        if size > limit:
            what = f"all {name} together have {size} lines above {LONG[name]}" if kind == "sum" else f"{name}: {kind}: {size}"
            faults.append(f"{place}: {what}, {limit} are allowed")
    for kind, name in sorted(allowed):
        if found.get((kind, name), (0, ""))[0] <= LIMITS[kind]:
            faults.append(f"{EXCEPTIONS}: {kind} {name} needs no exception: remove the line")
    return faults


def notes(found, allowed):
    """Returns a line of text for each sum that has fallen below its allowed size."""
    return [
        f"all {name} together have {found['sum', name][0]} lines above {LONG[name]}, {size} are allowed; "
        "scripts/shape.py --lower writes the lower size"
        for (kind, name), size in allowed.items() if kind == "sum" and found["sum", name][0] < size
    ]


def lowered(text, found):
    """Returns the text of the exceptions with each size that has fallen."""
    def row(match):
        size = found.get((match[1], match[2]), (0, ""))[0]
        return f"{match[1]} {match[2]} {min(size, int(match[3]))}"
    return re.sub(r"^(\w+) (\S+) (\d+)", row, text, flags=re.MULTILINE)


def sample(type_lines=310, function_lines=31, part_lines=10, members=3):
    """Returns the sizes of a class with a struct beside it, and a function."""
    uses = [f"        state.member{number}()" for number in range(members)]
    return sizes([("Target", "Sources/Target/A.swift", [
        "final class State {", *["    // A line."] * (type_lines - 2), "}",
        "struct Part {", "    let state: State", "    func use() {", *uses, "    }",
        *["    // A line."] * (part_lines - 5 - members), "}",
        "func long() {", *["    print()"] * (function_lines - 2), "}",
    ])])


def missed():
    """Returns a line of text for each planted fault that is not found, and for each sample that is wrongly found."""
    allowed = {("sum", "types"): 10, ("sum", "functions"): 1}
    large = {("sum", "types"): 200, ("sum", "functions"): 1}
    examples = [
        ("nothing", sample(), allowed, []),
        ("a type that grows", sample(type_lines=311), allowed, ["all types together have 11 lines"]),
        ("a function that grows", sample(function_lines=32), allowed, ["all functions together have 2 lines"]),
        ("a sum without an allowed size", sample(), {("sum", "types"): 10}, ["all functions together have 1 lines"]),
        ("a type of 601 lines", sample(type_lines=601, members=2), {**large, ("sum", "types"): 301}, ["Target.State: lines: 601"]),
        ("a function of 61 lines", sample(function_lines=61), {**allowed, ("sum", "functions"): 31}, ["Target.long: function: 61"]),
        ("a struct with three members of a class", sample(500, part_lines=101), large, ["Target.State: lines: 601"]),
        ("a struct with two members of a class", sample(500, part_lines=101, members=2), large, []),
        ("an exception that is not needed", sample(), {**allowed, ("lines", "Target.State"): 700}, ["needs no exception"]),
    ]
    wrong = []
    for name, found, sizes_allowed, expected in examples:
        texts = findings(found, sizes_allowed)
        if len(texts) != len(expected) or not all(part in text for part, text in zip(expected, texts)):
            wrong.append(f"scripts/shape.py: wrong about {name}: {texts}")
    if lowered("# Text.\nsum types 12 all\nsum functions 0 all\n", sample()) != "# Text.\nsum types 10 all\nsum functions 0 all\n":
        wrong.append("scripts/shape.py: a size that has fallen is not lowered, or another is changed")
    if len(notes(sample(type_lines=305), allowed)) != 1 or notes(sample(), allowed):
        wrong.append("scripts/shape.py: wrong about sums that have fallen")
    return wrong


def main():
    os.chdir(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    if sys.argv[1:] == ["--selftest"]:
        wrong = missed()
        print("\n".join(wrong) or "ok")
        return 1 if wrong else 0
    if sys.argv[1:] != ["--lower"]:
        print(__doc__.strip(), file=sys.stderr)
        return 64
    files = []
    for folder, _, names in os.walk("Sources"):
        for path in (os.path.join(folder, name) for name in names if name.endswith(".swift")):
            with open(path, encoding="utf-8") as file:
                files.append((path.split(os.sep)[1], path, file.read().splitlines()))
    with open(EXCEPTIONS, encoding="utf-8") as file:
        text = file.read()
    with open(EXCEPTIONS, "w", encoding="utf-8") as file:
        file.write(lowered(text, sizes(files)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
