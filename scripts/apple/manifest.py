"""The package as a Mac sees it: Package.swift is evaluated and resolved with its condition for Linux inverted."""

import glob
import json
import os
import re
import shutil
import tempfile

from modules import TOOLS, Failed, content, digest, run

PRODUCTS = {"Longhaul", "LonghaulFoundation", "LonghaulApple", "LonghaulPhotos", "LonghaulTesting"}
CONDITION = re.compile(r"^ *#(?:if|elseif) +(.+?) *$", re.MULTILINE)
IMPORT = re.compile(
    r"^ *(?:@\w+(?:\([^)]*\))? +)*(?:(?:public|package|internal|fileprivate|private) +)?import +([A-Z]\w+)", re.MULTILINE)


WORKFLOW = ".github/workflows/apple.yml"


def clashes(root):
    """Names in one directory that differ only in case. On a Mac's file system they are the same name."""
    found = []
    for top in ("Sources", "Tests", "Examples", "docs"):
        for folder, folders, files in os.walk(os.path.join(root, top)):
            folders[:] = [name for name in folders if name != ".build"]
            seen = {}
            for name in sorted([*folders, *files]):
                other = seen.setdefault(name.lower(), name)
                if other != name:
                    found.append(f"{os.path.relpath(os.path.join(folder, name), root)}: on a Mac, {other} has the same name")
    return found


class Manifest:
    def __init__(self, root):
        self.root = root
        text = content(os.path.join(root, "Package.swift"))
        others = set(CONDITION.findall(text)) - {"os(Linux)"}
        if others:
            raise Failed([f"Package.swift: the only condition must be os(Linux), not {', '.join(sorted(others))}"])
        text = text.replace("os(Linux)", "!os(Linux)")
        names = sorted(glob.glob("**", root_dir=os.path.join(root, "Sources"), recursive=True))
        cached = os.path.join(TOOLS, f"manifest-{digest(text, *names)}.json")
        if not os.path.exists(cached):
            answer = resolve(root, text)
            for old in glob.glob(os.path.join(TOOLS, "manifest-*.json")):
                os.remove(old)
            with open(cached, "w", encoding="utf-8") as file:
                json.dump(answer, file)
        package, description = json.loads(content(cached))
        self.targets = {target["name"]: target for target in package["targets"]}
        self.products = {product["name"]: product["targets"] for product in package["products"]}
        self.sources = {target["name"]: target.get("sources", []) for target in description["targets"]}
        self.resources = [
            resource["path"] for target in description["targets"] for resource in target.get("resources", [])]

    def findings(self):
        found = []
        if set(self.products) != PRODUCTS:
            found.append(f"Package.swift: the products of Apple systems are {', '.join(sorted(self.products))}")
        # The workflow is the only other place that builds every product.
        loop = re.search(r"for product in (.*?);", content(os.path.join(self.root, WORKFLOW)))
        if not loop or set(loop[1].split()) != set(self.products):
            found.append(f"{WORKFLOW}: it must build {', '.join(sorted(self.products))}")
        found += clashes(self.root)
        ours = set(os.listdir(os.path.join(self.root, "Sources")))
        for name in self.targets:
            allowed = {name, *self.dependencies(name)}
            for path in self.swift_files(name):
                found += [
                    f"{os.path.relpath(path, self.root)}: on Apple systems, {name} does not depend on {other}"
                    for other in sorted((set(IMPORT.findall(content(path))) & ours) - allowed)
                ]
        return found

    def dependencies(self, name):
        return [dependency["byName"][0] for dependency in self.targets[name]["dependencies"] if "byName" in dependency]

    def all_dependencies(self, name):
        found = []
        for need in self.dependencies(name):
            found += [other for other in [*self.all_dependencies(need), need] if other not in found]
        return found

    def path(self, name):
        return os.path.join(self.root, self.targets[name].get("path") or os.path.join("Sources", name))

    def swift_files(self, name):
        return sorted(os.path.join(self.path(name), path) for path in self.sources[name] if path.endswith(".swift"))

    def options(self, name):
        options = ["-package-name", "longhaul"] if self.targets[name].get("packageAccess", True) else []
        for setting in self.targets[name].get("settings", []):
            if setting["tool"] == "swift":
                for kind, value in setting["kind"].items():
                    if kind == "enableUpcomingFeature":
                        options += ["-enable-upcoming-feature", value["_0"]]
        return options


def resolve(root, text):
    """Returns SwiftPM's description of a copy of the package with this manifest."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "Package.swift"), "w", encoding="utf-8") as file:
            file.write(text)
        # SwiftPM does not follow links to directories. On Apple systems, only Sources belongs to the package.
        shutil.copytree(os.path.join(root, "Sources"), os.path.join(folder, "Sources"))
        answers = []
        for command in (["dump-package"], ["describe", "--type", "json"]):
            result = run(["swift", "package", "--package-path", folder, *command])
            said = [line for line in result.stderr.splitlines() if line.startswith(("error:", "warning:"))]
            if result.returncode != 0 or said:
                raise Failed(["Package.swift does not resolve as on a Mac:", *(said or result.stderr.splitlines()[-5:])])
            answers.append(json.loads(result.stdout))
        return answers
