"""Checks the sources that the declarations of Apple's frameworks cite.

A comment `// Source: usernotifications/unnotificationrequest` names a page below developer.apple.com/documentation. The
prefix `swift:` names a file of github.com/swiftlang/swift, and `darwin:` a header or manual page of Apple's open source.
The comment holds for the declarations below it, up to the next empty line. "Double only", in a documentation comment
of a declaration, at its end, or in the first line of a file, marks a declaration that Apple does not have.
A framework's declarations at the top level, and those of extensions, have `@available` with their first versions, on
them or on the extension. Without it, a use of them compiles for systems that lack them.
Declarations that only a double has are for tests: each member and each of its argument labels needs a caller.
"""

import glob
import os
import re

PLACES = ["Tests/AppleDoubles/*/*.swift", "scripts/apple/*.swift"]
# Declares nothing of Apple's: it imports the declarations of swift-corelibs-foundation.
EXCEPT = ["Tests/AppleDoubles/Witness/"]
# Dispatch and Darwin are on every system.
FRAMEWORKS = "Tests/AppleDoubles/"

SOURCE = re.compile(r"^\s*// Source: (.+)$")
REFERENCE = re.compile(r"^(?:(?:swift|darwin): [\w./ ()-]+|[a-z0-9_]+(?:/[a-z0-9_().:,-]+)*)$")
# A declaration of a module's interface: marked so, or in the body of a public protocol or enumeration.
PUBLIC = re.compile(r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:nonisolated\s+)?(?:public|open)\b(?! import)")
MEMBER = re.compile(r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:mutating\s+|static\s+|nonisolated\s+)*(?:func|var|let|init|subscript|typealias|associatedtype|case)\b")
EXTENSION = re.compile(r"^\s*(?:public )?extension\b")
ATTRIBUTE = re.compile(r"^\s*(?:@\w+(?:\([^)]*\))?\s*)+$")
# A member of a double that a test can use, and the labels of its arguments.
USABLE = re.compile(r"^\s*(?:@\w+\s+)*(?:nonisolated\s+)?public (?:nonisolated |static |internal\(set\) |private\(set\) )*(?:func|var|let) (\w+)(.*)")
IMPORT = re.compile(r"^\s*(?:@\w+ )*(?:\w+ )?import (?:struct |class |enum |protocol |func |var |let )?(\w+)", re.MULTILINE)
LABEL = re.compile(r"^[( ]*(\w+)(?: \w+)?:")


def findings(root):
    """Returns a line for each declaration without a source, a first version, or a caller, and for each source without a page."""
    found = uncalled(root)
    for place in PLACES:
        for path in sorted(glob.glob(os.path.join(root, place))):
            name = os.path.relpath(path, root)
            if not name.startswith(tuple(EXCEPT)):
                with open(path, encoding="utf-8") as file:
                    found += file_findings(name, file.read().splitlines())
    return found


def file_findings(name, lines):
    if lines and "Double only" in lines[0]:
        return []
    found = []
    is_covered = is_double = is_versioned = False
    # The declaration of each open brace.
    braces = []
    for number, line in enumerate(lines, 1):
        source = SOURCE.match(line)
        if source:
            is_covered = True
            for reference in source[1].split(", "):
                if not REFERENCE.match(reference):
                    found.append(f"{name}:{number}: no page has the name {reference}")
            continue
        if "Double only" in line:
            is_covered = is_double = True
        elif not line.strip():
            is_covered = False
        code = line.split("//")[0]
        if "double" in braces:
            is_covered = True
        is_versioned = is_versioned or "@available" in code
        is_member = bool(braces) and braces[-1] == "members" and MEMBER.match(code)
        is_extension = bool(EXTENSION.match(code))
        if (PUBLIC.match(code) or is_member) and not is_covered and not is_extension:
            found.append(f"{name}:{number}: the declaration cites no source: {code.strip()}")
        if (name.startswith(FRAMEWORKS) and PUBLIC.match(code) and not is_extension and not is_versioned and not is_double
                and braces[-1:] in ([], ["unversioned extension"])):
            found.append(f"{name}:{number}: the declaration has no first version: {code.strip()}")
        kind = "members" if re.search(r"\bpublic (protocol|enum)\b", code) else "other"
        if is_double and re.search(r"\b(struct|class|enum)\b", code):
            kind = "double"
        if is_extension and not is_versioned:
            kind = "unversioned extension"
        if code.strip() and not ATTRIBUTE.match(code):
            is_double = is_versioned = False
        for character in re.sub(r'"(?:[^"\\]|\\.)*"', "", code):
            if character == "{":
                braces.append(kind)
            elif character == "}" and braces:
                braces.pop()
    return found


def uncalled(root):
    """Returns a line for each member that only a double has, and for each of its argument labels, that no test uses."""
    texts = {}
    for path in glob.glob(os.path.join(root, "Tests/**/*.swift"), recursive=True):
        with open(path, encoding="utf-8") as file:
            texts[path] = file.read()
    found = []
    for path in sorted(glob.glob(os.path.join(root, "Tests/AppleDoubles/*/*.swift"))):
        others = "\n".join(text for other, text in texts.items() if other != path)
        for number, name, labels in double_only(texts[path].splitlines()):
            calls = re.findall(rf"\.{name}\b(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))?", others)
            missing = [f"{name}({label}:)" for label in labels if not any(re.search(rf"\b{label}:", call) for call in calls)]
            place = f"{os.path.relpath(path, root)}:{number}"
            found += [f"{place}: no test uses {use}" for use in (missing if calls else [name])]
    return found


def double_only(lines):
    """Yields each member that only the double has: its line number, its name, and its argument labels."""
    is_file = "Double only" in lines[0]
    is_next = False
    for number, line in enumerate(lines, 1):
        is_next = is_next or "/// Double only" in line
        member = USABLE.match(line)
        if member and (is_file or is_next):
            text = " ".join(lines[number - 1:number + 4])
            arguments = arguments_of(text[text.index(member[1]) + len(member[1]):]) if " func " in line else ""
            # A trailing closure has no label.
            labels = [label for argument in arguments.split(",") if "->" not in argument for label in LABEL.findall(argument)]
            yield number, member[1], [label for label in labels if label != "_"]
        if line.strip() and not line.lstrip().startswith(("//", "@")):
            is_next = False


def arguments_of(text):
    """Returns the text up to the parenthesis that closes the first one, without the contents of nested ones."""
    found, depth = "", 0
    for character in text:
        depth -= character == ")"
        if depth <= 1:
            found += character
        depth += character == "("
        if character == ")" and depth == 0:
            break
    return found


def without_double_only(text):
    """Returns the text of a double in which the declarations that only the double has are internal. Each line keeps its number."""
    lines = text.split("\n")
    if "Double only" in lines[0]:
        return "\n".join(re.sub(r"^(\s*(?:@\w+\s+)*)(?:public|open) (?!import)", r"\1", line) for line in lines)
    is_next = False
    for number, line in enumerate(lines):
        if "Double only" in line and line.lstrip().startswith("///"):
            is_next = True
        elif "// Double only" in line:
            lines[number] = re.sub(r"\b(?:public|open) ", "", line, count=1)
        elif is_next and not line.lstrip().startswith("//") and not ATTRIBUTE.match(line):
            lines[number] = re.sub(r"\b(?:public|open) ", "", line, count=1)
            is_next = False
    return "\n".join(lines)
