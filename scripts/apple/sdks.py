"""The SDKs with which the library compiles, from that of Xcode 26.0 on.

`#available` is a check at run time: a name that the SDK lacks does not compile inside of it either. The condition for a newer name is
`#if canImport(SwiftUI, _version: 8)`, since each SDK has another version of SwiftUI: 7.0 to 7.5 with iOS 26.0 to 26.5, and 8.0 with
iOS 27 (reported by developers; Apple documents no versions of modules).
"""

import glob
import os
import re

import sources

# The first iOS version of declarations that the doubles have, and the version of SwiftUI in the SDK of that version. Xcode 26.3 has
# the SDK of 26.2, and Xcode 26.6 that of 26.5.
SWIFTUI = {"26.0": "7.0", "26.1": "7.1", "26.4": "7.4", "26.5": "7.5", "27.0": "8.0"}
*OLDER, NEWEST = SWIFTUI
CONDITION = re.compile(r"\bcanImport\(\w+, _version:")
FIRST = re.compile(r"\b(iOS|macOS)(?:, introduced:)? (\d+(?:\.\d+)*)")


def versions(attribute):
    """Returns the first version of each system that an `@available` states."""
    return {system: tuple(int(part) for part in version.split(".")) for system, version in FIRST.findall(attribute)}


def findings(root):
    """Returns a line for each declaration whose first version is newer than the first SDK and is missing in the table."""
    known = [tuple(int(part) for part in version.split(".")) for version in SWIFTUI]
    found = []
    for path in sorted(glob.glob(os.path.join(root, "Tests/AppleDoubles/*/*.swift"))):
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if line.lstrip().startswith("@available"):
                    found += [
                        f"{os.path.relpath(path, root)}:{number}: scripts/apple/sdks.py has no SDK of {'.'.join(map(str, version))}"
                        for version in versions(line).values() if version > known[0] and version not in known]
    return found


def without_newer(text, system, sdk):
    """Returns the text of a double without the declarations that are newer than the SDK. Each line keeps its number."""
    if sdk == NEWEST:
        return text
    lines = text.split("\n")
    newest = tuple(int(part) for part in sdk.split("."))
    number = 0
    while number < len(lines):
        first = number
        attributes = ""
        while number < len(lines) and sources.ATTRIBUTE.match(lines[number]):
            attributes += lines[number]
            number += 1
        # A declaration that the system lacks may name types that only newer SDKs have.
        if versions(attributes).get(system, newest) <= newest and f"@available({system}, unavailable)" not in attributes:
            number = max(number, first + 1)
            continue
        number = end(lines, number)
        lines[first:number] = [""] * (number - first)
    return "\n".join(lines)


def end(lines, number):
    """Returns the line after the declaration that begins at this line."""
    depth = 0
    while number < len(lines):
        code = lines[number].split("//")[0]
        depth += sum(code.count(opening) for opening in "({[") - sum(code.count(closing) for closing in ")}]")
        number += 1
        if depth <= 0:
            break
    return number
