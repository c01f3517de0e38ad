"""Finds early exits that let a test pass without running the expectations after them.

Indentation, which `swift format` enforces, shows which block a line belongs to.
"""

import re

EXIT = re.compile(r"(?:^\s*|\{ )(return|continue)(?: \})?$")
CONDITION = re.compile(r"(?:\} )?(?:if|guard|else)\b")
# Blocks that `return` leaves along with the function or closure around them.
BLOCK = re.compile(r"(?:\} )?(?:\w+: )?(?:if|guard|else|for|while|repeat|do|catch|switch|case|default|defer)\b")
FAILURE = re.compile(r"#expect\(|#require\(|Issue\.record\(")
EXPECTATION = re.compile(r"#(?:expect|require)\b")


def indent(line):
    return len(line) - len(line.lstrip())


def opener(lines, index):
    """Returns the line that begins the block around a line, or -1."""
    depth = indent(lines[index])
    while index >= 0 and (not lines[index] or indent(lines[index]) >= depth):
        index -= 1
    return index


def is_test(lines, index):
    """Returns whether the function around a line is a test."""
    while index >= 0:
        index = first = opener(lines, index)
        while first > 0 and lines[first - 1]:
            first -= 1
        header = " ".join(lines[first:index + 1])
        if "func " in header:
            return "@Test" in header
    return False


def findings(path, lines):
    """Returns a line of text for each bare `return` or `continue` of a condition before an expectation of its test."""
    # The brace after a header of several lines stands alone.
    lines = [line.split("//")[0].rstrip() if line.strip() != "{" else "" for line in lines]
    exits = {index: match for index, line in enumerate(lines) if (match := EXIT.search(line))}
    found = []
    for index, exit in exits.items():
        start = index if CONDITION.match(lines[index].lstrip()) else opener(lines, index)
        is_loud = FAILURE.search("".join(lines[start + 1:index]))
        if start < 0 or not CONDITION.match(lines[start].lstrip()) or is_loud or not is_test(lines, start):
            continue
        # What the exit skips: the rest of the function, closure, or loop.
        scope = opener(lines, start)
        while scope >= 0 and (BLOCK if exit[1] == "return" else CONDITION).match(lines[scope].lstrip()):
            scope = opener(lines, scope)
        ends = (i for i in range(index + 1, len(lines)) if lines[i] and indent(lines[i]) <= indent(lines[scope]))
        if any(EXPECTATION.search(line) for line in lines[index + 1:next(ends, len(lines))]):
            found.append(f"{path}:{index + 1}: {lines[index].strip()}")
    return found


# The body of a test, and whether it can end without running its expectation.
EXAMPLES = [
    ("guard case .failed(let failure) = state else { return }\n#expect(failure.code == .timedOut)", True),
    ("guard let failure else {\n    return\n}\n#expect(failure.code == .timedOut)", True),
    ("if state == .waiting { return }\n#expect(state == .paused)", True),
    ("for state in states {\n    guard let failure = state.failure else { continue }\n    #expect(failure.code == .timedOut)\n}", True),
    ("guard case .failed = state else { throw Unexpected() }\n#expect(true)", False),
    ("guard case .failed = state else { return Issue.record() }\n#expect(true)", False),
    ("let failure = try #require(state.failure)\n#expect(failure.code == .timedOut)", False),
    ("#expect(failure.code == .timedOut)\nguard isLong else { return }\nprint(failure)", False),
]


def missed():
    """Returns a line of text for each example for which the check is wrong."""
    wrong = []
    for body, is_fault in EXAMPLES:
        lines = ["@Test func example() {", *("    " + line for line in body.split("\n")), "}"]
        if bool(findings("example", lines)) != is_fault:
            wrong.append(f"scripts/guards.py: wrong about this example: {body}")
    return wrong
