"""The package as an Apple system sees it: evaluates Package.swift there, and checks the result."""

import json
import os
import plistlib
import re
import shutil
import subprocess

WORK = ".build/apple-package"
PRODUCTS = {"Longhaul", "LonghaulFoundation", "LonghaulApple", "LonghaulTesting"}
PRIVACY = "PrivacyInfo.xcprivacy"

CONDITION = re.compile(r"^ *#(?:if|elseif) +(.+?) *$", re.MULTILINE)
IMPORT = re.compile(
    r"^ *(?:@\w+(?:\([^)]*\))? +)*(?:(?:public|package|internal|fileprivate|private) +)?import +([A-Z]\w+)", re.MULTILINE)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:[^\"\\\n]|\\.)*\"", re.DOTALL)

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


class Refused(Exception):
    """The package does not resolve; the lines say why."""


def describe():
    """Returns the description of a copy of the package in which the condition for Linux is false."""
    with open("Package.swift", encoding="utf-8") as file:
        manifest = file.read()
    others = set(CONDITION.findall(manifest)) - {"os(Linux)"}
    if others:
        raise Refused([f"Package.swift: the only condition must be os(Linux), and there is {', '.join(sorted(others))}"])
    shutil.rmtree(WORK, ignore_errors=True)
    os.makedirs(WORK)
    with open(f"{WORK}/Package.swift", "w", encoding="utf-8") as file:
        file.write(manifest.replace("os(Linux)", "!os(Linux)"))
    # SwiftPM does not follow links to directories. What is outside Sources does not belong to an Apple system's package.
    shutil.copytree("Sources", f"{WORK}/Sources")
    command = ["swift", "package", "--package-path", WORK, "describe", "--type", "json"]
    result = subprocess.run(command, capture_output=True, text=True)
    said = [line for line in result.stderr.splitlines() if line.startswith(("error:", "warning:"))]
    if result.returncode != 0 or said:
        raise Refused(said or result.stderr.splitlines()[-5:])
    return json.loads(result.stdout)


def code(path):
    """Returns the text of a source without comments and literals."""
    with open(path, encoding="utf-8") as file:
        return COMMENT.sub("", file.read())


def findings():
    try:
        package = describe()
    except Refused as refusal:
        return refusal.args[0]
    found = []
    products = {product["name"] for product in package["products"]}
    if products != PRODUCTS:
        found.append(f"Package.swift: the products of Apple systems are {', '.join(sorted(products))}")
    ours = set(os.listdir("Sources"))
    used = {}
    for target in package["targets"]:
        allowed = {target["name"], *target.get("target_dependencies", [])}
        for source in target.get("sources", []):
            path = os.path.join(target["path"], source)
            text = code(path)
            found += [
                f"{path}: {target['name']} does not depend on {name} on Apple systems"
                for name in sorted((set(IMPORT.findall(text)) & ours) - allowed)
            ]
            for category, pattern in REASONED.items():
                if re.search(pattern, text):
                    used.setdefault(category, path)
    return found + privacy(package, used)


def privacy(package, used):
    """Compares the calls that need a reason with the reasons that the package states."""
    stated = {}
    for target in package["targets"]:
        for resource in target.get("resources", []):
            if os.path.basename(resource["path"]) == PRIVACY:
                with open(os.path.join("Sources", target["name"], PRIVACY), "rb") as file:
                    for entry in plistlib.load(file)["NSPrivacyAccessedAPITypes"]:
                        stated[entry["NSPrivacyAccessedAPIType"]] = entry["NSPrivacyAccessedAPITypeReasons"]
    return [f"{path}: {PRIVACY} states no reason for {name}" for name, path in used.items() if not stated.get(name)] + [
        f"{PRIVACY}: no source needs {name}" for name in sorted(stated) if name not in used
    ]
