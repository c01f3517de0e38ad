"""The example apps and the code of the documents, compiled as Xcode compiles an app that depends on the products."""

import glob
import os
import re

import sdks
from modules import TOOLS, Failed, content
from sources import IMPORT

# The language settings of a project: Swift 6 mode alone, and with those that Xcode 26 adds to a new project.
SETTINGS = {
    "": [],
    "with the settings of Xcode 26": [
        "-default-isolation", "MainActor",
        *(part for feature in ("NonisolatedNonsendingByDefault", "InferIsolatedConformances", "MemberImportVisibility")
          for part in ("-enable-upcoming-feature", feature)),
    ],
}


# A reader understands an app of this length in six minutes.
LINES = 180
FENCE = re.compile(r"^```swift\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def findings(system, manifest, modules):
    """Returns every finding. Needs the compiled products of the system."""
    found = []
    products = {*manifest.products, *system.frameworks, "Foundation", "Observation"}
    needs = modules + [name for name in system.modules if name in manifest.targets]
    for_phones = system.platform == "iOS"
    for name, files in [*(examples(system.root) if for_phones else []), *documented(system, for_phones)]:
        lines = sum(content(path).count("\n") for path in files)
        if lines > LINES:
            found.append(f"{name}: {lines} lines, {LINES} are allowed in an app")
        imports = [(path, module) for path in files for module in IMPORT.findall(content(path))]
        found += [f"{os.path.relpath(path, system.root)}: {module} is neither a product nor a framework of Apple's"
                  for path, module in imports if module not in products]
        # With an older SDK, only the names of the frameworks differ.
        for settings, options in (SETTINGS if system.sdk == sdks.NEWEST else {"": []}).items():
            try:
                system.swift(name, files, needs, options)
            except Failed as failure:
                headline, *diagnostics = failure.args[0]
                found += [" ".join([headline.rstrip(":"), settings]).strip() + ":", *diagnostics]
    return found


def examples(root):
    """The name and the files of each app in Examples/iOS."""
    for folder in sorted(glob.glob(os.path.join(root, "Examples/iOS/*/"))):
        yield os.path.basename(os.path.dirname(folder)), sorted(glob.glob(os.path.join(folder, "**", "*.swift"), recursive=True))


def documented(system, for_phones):
    """The name and the file of each block that imports LonghaulApple or LonghaulPhotos: one with AppKit for a Mac, all others for iOS.
    The first SDK has no uploads of photos by the system."""
    products = {"LonghaulApple", "LonghaulPhotos"} if system.sdk == sdks.NEWEST else {"LonghaulApple"}
    root = system.root
    folder = os.path.join(TOOLS, "documents")
    os.makedirs(folder, exist_ok=True)
    for path in sorted(glob.glob(os.path.join(root, "docs/**/*.md"), recursive=True)
                       + glob.glob(os.path.join(root, "Sources/**/*.md"), recursive=True)):
        text = content(path)
        for block in FENCE.finditer(text):
            imports = IMPORT.findall(block[1])
            if not products & set(imports) or ("AppKit" in imports) == for_phones:
                continue
            line = text.count("\n", 0, block.start(1)) + 1
            name = f"{os.path.basename(path).removesuffix('.md')}_{line}"
            file = os.path.join(folder, name + ".swift")
            with open(file, "w", encoding="utf-8") as copy:
                # Errors name the line of the document.
                copy.write(f'#sourceLocation(file: "{os.path.relpath(path, root)}", line: {line})\n{block[1]}')
            yield name, [file]
