"""Compares the privacy manifest with the calls for which Apple requires a reason."""

import os
import plistlib
import re

from modules import content

PRIVACY = "PrivacyInfo.xcprivacy"
LITERAL = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:[^\"\\\n]|\\.)*\"", re.DOTALL)

# https://developer.apple.com/documentation/bundleresources/describing-use-of-required-reason-api
REASONED = {
    "NSPrivacyAccessedAPICategoryFileTimestamp":
        r"\b(?:[fl]?stat|fstatat|f?getattrlist|getattrlist(?:at|bulk))\(|\b(?:creationDate|modificationDate|"
        r"fileModificationDate|contentModificationDateKey|creationDateKey)\b",
    "NSPrivacyAccessedAPICategorySystemBootTime": r"\bsystemUptime\b|\bmach_absolute_time\(",
    "NSPrivacyAccessedAPICategoryDiskSpace":
        r"\bf?stat(?:v)?fs\(|\b(?:volumeAvailableCapacity\w*|volumeTotalCapacityKey|systemFreeSize|systemSize)\b",
    "NSPrivacyAccessedAPICategoryUserDefaults": r"\b(?:NS)?UserDefaults\b|\bAppStorage\b",
    "NSPrivacyAccessedAPICategoryActiveKeyboards": r"\bactiveInputModes\b",
}


def findings(manifest):
    used = {}
    for target in manifest.targets:
        for source in manifest.sources[target]:
            path = os.path.join(manifest.path(target), source)
            text = LITERAL.sub("", content(path))
            for category, pattern in REASONED.items():
                if re.search(pattern, text):
                    used.setdefault(category, os.path.relpath(path, manifest.root))
    stated = set()
    for path in manifest.resources:
        if os.path.basename(path) == PRIVACY:
            with open(os.path.join(manifest.root, path[path.index("Sources/"):]), "rb") as file:
                stated |= {entry["NSPrivacyAccessedAPIType"] for entry in plistlib.load(file)["NSPrivacyAccessedAPITypes"]
                           if entry["NSPrivacyAccessedAPITypeReasons"]}
    return [f"{path}: {PRIVACY} states no reason for {name}" for name, path in used.items() if name not in stated] + [
        f"{PRIVACY}: no source needs {name}" for name in sorted(stated - set(used))]
