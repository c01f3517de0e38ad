"""The modules of an Apple system, compiled on Linux: the standard library, Foundation, the frameworks, and our targets."""

import copy
import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

import sdks
import sources

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOLS = os.path.join(os.environ.get("LONGHAUL_TOOLS") or os.path.join(ROOT, ".tools"), "apple")
ZIGLANG = "0.17.1"

# x86_64, because the interface of the standard library has Float80.
TRIPLES = {"iOS 18": "x86_64-apple-ios18.0-simulator", "macOS 15": "x86_64-apple-macosx15.0"}
# The doubles of Apple's frameworks that each system has, in the order of their imports.
FRAMEWORKS = {
    "iOS 18": [
        "UIKit", "BackgroundTasks", "UserNotifications", "Network", "UniformTypeIdentifiers", "SwiftUI", "CoreTransferable",
        "ExtensionFoundation", "Photos", "PhotosUI",
    ],
    "macOS 15": ["AppKit", "UserNotifications", "Network", "SwiftUI", "ExtensionFoundation", "Photos"],
}
INTERFACES = ["Swift", "SwiftOnoneSupport", "_Concurrency", "_StringProcessing"]
AFTER_DARWIN = ["Synchronization", "Observation"]
# The toolchain's module, and its name here. `Foundation` is another module, which also has our declarations. A Sendable class may
# inherit from NSObject only if that class is in a module of this name.
FOUNDATION = {
    "FoundationEssentials": "FoundationEssentials",
    "FoundationInternationalization": "FoundationInternationalization",
    "Foundation": "ObjectiveC",
}
DECLARATION = r"\b(func|var|let|init|subscript|struct|class|enum|protocol|typealias|extension|case)\b"


class Failed(Exception):
    """A finding that ends the check of one system. Its argument is the list of lines to print."""


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, **options)


def digest(*parts):
    total = hashlib.sha256()
    for part in parts:
        total.update(part.encode() + b"\0")
    return total.hexdigest()[:20]


def content(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def diagnostics(output):
    found = [line for line in output.splitlines() if re.search(r": (error|warning): ", line)]
    return list(dict.fromkeys(found)) or output.splitlines()[-20:]


class Headers:
    """Apple's C headers, and zig's C compiler, from the wheel of ziglang."""

    def __init__(self):
        self.wheel = os.path.join(TOOLS, f"ziglang-{ZIGLANG}")
        if not os.path.isdir(self.wheel):
            self.fetch()
        self.sdk = os.path.join(self.wheel, "sdk")
        self.compiler = os.path.join(self.wheel, "ziglang", "zig")

    def fetch(self):
        os.makedirs(TOOLS, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=TOOLS) as folder:
            # Debian's python3 has no pip; an environment has one.
            run([sys.executable, "-m", "venv", os.path.join(folder, "venv")])
            result = run([os.path.join(folder, "venv/bin/python"), "-m", "pip", "download", "--quiet", "--no-deps",
                          "--only-binary=:all:", "--dest", folder, f"ziglang=={ZIGLANG}"])
            if result.returncode != 0:
                raise Failed([f"pip could not download ziglang {ZIGLANG}. Check the network and pip's index.", result.stderr])
            unpacked = os.path.join(folder, "unpacked")
            with zipfile.ZipFile(glob.glob(os.path.join(folder, "*.whl"))[0]) as archive:
                archive.extractall(unpacked)
            os.chmod(os.path.join(unpacked, "ziglang", "zig"), 0o755)
            libc = os.path.join(unpacked, "ziglang", "lib", "libc", "include", "any-darwin-any")
            os.makedirs(os.path.join(unpacked, "sdk", "usr", "lib", "swift"))
            shutil.copytree(libc, os.path.join(unpacked, "sdk", "usr", "include"))
            os.rename(unpacked, self.wheel)


class System:
    """The modules of one Apple system. Each module has a separate directory, named after a digest of its origin."""

    def __init__(self, name, root, headers):
        self.name, self.root, self.headers = name, root, headers
        self.frameworks = FRAMEWORKS[name]
        self.platform = name.split()[0]
        self.triple = TRIPLES[name]
        self.toolchain = os.path.dirname(os.path.dirname(os.path.realpath(shutil.which("swiftc"))))
        version = run(["swiftc", "--version"]).stdout
        self.modules = {}  # name -> (directory, key)
        self.options = []  # for our targets
        self.sdk = sdks.NEWEST
        self.apple = os.path.join(root, "scripts", "apple")
        texts = [content(path) for path in sorted(glob.glob(self.apple + "/Darwin/**/*.*", recursive=True))]
        # A copy with a fixed path: compiled modules name it.
        self.darwin = os.path.join(TOOLS, "darwin-" + digest(*texts))
        if not os.path.isdir(self.darwin):
            shutil.copytree(os.path.join(self.apple, "Darwin"), self.darwin)
        self.flags = [
            "-target", self.triple, "-disable-objc-interop", "-sdk", headers.sdk,
            "-module-cache-path", os.path.join(TOOLS, "clang"), "-I", os.path.join(self.toolchain, "lib/swift/shims"),
            "-I", self.darwin, "-plugin-path", os.path.join(self.toolchain, "lib/swift/host/plugins"),
        ]
        self.base_key = digest(version, content(os.path.abspath(__file__)), *self.flags)

    def include(self, names):
        return [flag for name in names for flag in ("-I", self.modules[name][0])]

    def module(self, name, inputs, needs, build):
        """Registers a module, and builds it unless a module from the same inputs exists."""
        key = digest(self.base_key, name, *inputs, *(self.modules[need][1] for need in needs))
        folder = os.path.join(TOOLS, self.triple, f"{name}-{key}")
        self.modules[name] = (folder, key)
        if os.path.exists(os.path.join(folder, "done")):
            os.utime(folder)
            return
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        build(folder)
        open(os.path.join(folder, "done"), "w", encoding="utf-8").close()

    def compile(self, folder, name, files, needs, options=()):
        result = run([
            "swift-frontend", "-emit-sil", "-o", "/dev/null", "-emit-module-path", os.path.join(folder, name + ".swiftmodule"),
            "-module-name", name, "-parse-as-library", *self.flags, *self.include(needs), *options, *files,
        ])
        if result.returncode != 0 or re.search(r": warning: ", result.stderr):
            raise Failed([f"{name} does not compile for {self.name}:", *diagnostics(result.stderr)])

    # The standard library and Darwin.

    def interface(self, name, needs):
        path = glob.glob(os.path.join(
            self.toolchain, "lib/swift_static/linux", name + ".swiftmodule", "*.private.swiftinterface"))[0]
        text = content(path)
        for pattern, replacement in [
            (r"-target x86_64-unknown-linux-gnu", "-target " + self.triple),
            (r"-target-min-inlining-version min|-library-level api|-enable-library-evolution", ""),
            (r"(?m)^import Glibc", "import Darwin"),
            (r"@backDeployed\([^)]*\)", ""),
        ]:
            text = re.sub(pattern, replacement, text)

        def build(folder):
            source = os.path.join(folder, name + ".swiftinterface")
            with open(source, "w", encoding="utf-8") as file:
                file.write(text)
            result = self.compile_interface(folder, name, source, needs, ["-parse-stdlib"])
            if result.returncode != 0:
                raise Failed([f"the interface of {name} does not compile for {self.name}:", *diagnostics(result.stderr)])

        self.module(name, [text], needs, build)

    def compile_interface(self, folder, name, source, needs, options=()):
        return run(["swift-frontend", "-compile-module-from-interface", source, "-o",
                    os.path.join(folder, name + ".swiftmodule"), "-module-name", name, *options, *self.flags,
                    *self.include(needs)])

    def standard_library(self):
        for index, name in enumerate(INTERFACES):
            self.interface(name, INTERFACES[:index])
        overlay = os.path.join(self.apple, "Darwin.swift")
        self.module("Darwin", [content(overlay)], INTERFACES, lambda folder: self.compile(
            folder, "Darwin", [overlay], INTERFACES, ["-swift-version", "5"]))
        for name in AFTER_DARWIN:
            self.interface(name, INTERFACES + ["Darwin"])
        return INTERFACES + ["Darwin"] + AFTER_DARWIN

    # Foundation.

    def foundation(self, needs):
        needs = list(needs)
        for name, kept_name in FOUNDATION.items():
            self.module(kept_name, [], needs, lambda folder, name=name, kept=kept_name, needs=tuple(needs): self.declare(
                folder, name, kept, needs))
            needs.append(kept_name)
        # Apple's Foundation also exports Dispatch and URLSession, whose double is compiled here.
        self.double("Dispatch", [os.path.join(self.apple, "Dispatch.swift")], needs)
        needs.append("Dispatch")
        additions = glob.glob(os.path.join(self.root, "Tests/AppleDoubles/FoundationDouble/*.swift"))
        self.double("FoundationDouble", additions, needs, {"Foundation": "ObjectiveC"})
        needs.append("FoundationDouble")
        text = "".join(f"@_exported public import {name}\n" for name in ["ObjectiveC", "FoundationDouble", "Dispatch"])
        # The compiler calls these functions of Foundation for `as NSError` and back.
        text += "public func _convertErrorToNSError(_ error: any Error) -> NSError { fatalError() }\n"
        text += "public func _convertNSErrorToError(_ error: NSError?) -> any Error { fatalError() }\n"

        def build(folder):
            path = os.path.join(folder, "Foundation.swift")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            self.compile(folder, "Foundation", [path], needs)

        self.module("Foundation", [text], needs, build)
        return needs + ["Foundation"]

    def declare(self, folder, name, kept_name, needs):
        """Compiles the toolchain's declarations of a module, and repeatedly removes declarations that the target cannot have."""
        lines = self.printed(name, kept_name)
        source = os.path.join(folder, kept_name + ".swiftinterface")
        for _ in range(30):
            with open(source, "w", encoding="utf-8") as file:
                file.write("\n".join(lines))
            result = self.compile_interface(folder, kept_name, source, needs)
            if result.returncode == 0:
                return
            errors = [(int(number) - 1, message) for number, message in re.findall(
                re.escape(source) + r":(\d+):\d+: error: (.*)", result.stderr) if "failed to build module" not in message]
            if not errors:
                raise Failed([f"the declarations of {name} do not compile for {self.name}:", result.stderr[-2000:]])
            doomed = set()
            for number, message in errors:
                if "stored propert" in message and "{" not in lines[number]:
                    lines[number] += " { get set }"
                else:
                    doomed.update(range(number, end_of(lines, number)))
            for number in sorted(doomed):
                # Attributes on the lines before a declaration belong to it.
                before = number - 1
                while before >= 0 and re.fullmatch(r"\s*@\w+(\(.*\))?\s*", lines[before]):
                    lines[before] = ""
                    before -= 1
                lines[number] = ""
        raise Failed([f"the declarations of {name} still do not compile for {self.name} after 30 rounds"])

    def printed(self, name, kept_name):
        library = os.path.join(self.toolchain, "lib/swift")
        result = run(["swift-synthesize-interface", "-module-name", name, "-target", "x86_64-unknown-linux-gnu",
                      "-I", library + "/linux", "-I", library, "-o", "-"])
        if result.returncode != 0:
            raise Failed([f"swift-synthesize-interface cannot print {name}:", result.stderr])
        lines = [
            "// swift-interface-format-version: 1.0", "// swift-compiler-version: any",
            f"// swift-module-flags: -target {self.triple} -disable-objc-interop -module-name {kept_name} -swift-version 5 "
            "-enable-library-evolution",
            "import Swift", "import _Concurrency", "import _StringProcessing",
        ]
        raw = [line for line in result.stdout.split("\n") if not line.lstrip().startswith("///")]
        number = 0
        while number < len(raw):
            line = raw[number]
            if re.match(r"\s*@available\(\*, unavailable", line):
                # Such a declaration is useless to a client, and it hides the requirement of a protocol.
                while re.match(r"\s*@", raw[number]) and not re.search(
                        DECLARATION, re.sub(r"@available\([^)]*\)", "", raw[number])):
                    number += 1
                number = end_of(raw, number)
                continue
            line = re.sub(r"^import Glibc$", "import Darwin", line)
            line = re.sub(r"^import Dispatch$", "", line).replace("private(set) ", "")
            line = re.sub(r"^import (FoundationEssentials|FoundationInternationalization)$",
                          r"@_exported import \1" if name == "Foundation" else r"import \1", line)
            if re.search(r"\bsubscript\b *(<[^(]*>)?\(", line) and not line.rstrip().endswith("}"):
                line = line.rstrip() + " { get set }"
            lines.append(line)
            number += 1
            # The printed form lacks the members that a raw type adds to an enumeration.
            raw_type = re.search(r"\benum \w+ : (String|U?Int(?:8|16|32|64)?)\b", line)
            if raw_type and not any("rawValue" in other for other in raw[number:end_of(raw, number - 1)]):
                lines += [f"public typealias RawValue = {raw_type[1]}", f"public init?(rawValue: {raw_type[1]})",
                          f"public var rawValue: {raw_type[1]} {{ get }}"]
        return lines

    # Our declarations and our targets.

    def double(self, name, files, needs, renamed=None):
        """Compiles doubles as declarations, without the parts that are only in the doubles."""
        texts = {}
        for path in sorted(files):
            text = self.visible(content(path))
            for old, new in (renamed or {}).items():
                text = re.sub(rf"(?m)^((?:@_exported )?(?:public )?import ){old}$", rf"\g<1>{new}", text)
            # Foundation re-exports these two; its own part cannot import it.
            imports = "".join(f"public import {name}\n" for name in ([*renamed.values(), "Dispatch"] if renamed else []))
            # Errors name the line of the double.
            location = f'#sourceLocation(file: "{os.path.relpath(path, self.root)}", line: 1)\n'
            texts[os.path.basename(path)] = imports + location + text
        options = [
            "-swift-version", "6", "-enable-upcoming-feature", "InternalImportsByDefault", "-suppress-warnings", "-D", "DECLARATIONS"]
        if name == "SwiftUI":
            options += ["-user-module-version", sdks.SWIFTUI[self.sdk]]

        def build(folder):
            paths = []
            for base, text in texts.items():
                paths.append(os.path.join(folder, base))
                with open(paths[-1], "w", encoding="utf-8") as file:
                    file.write(text)
            self.compile(folder, name, paths, needs, options)

        self.module(name, [*options, *(part for pair in texts.items() for part in pair)], needs, build)

    def framework(self, name, needs):
        self.double(name, self.declarations(name), needs)

    def declarations(self, framework):
        return glob.glob(os.path.join(self.root, "Tests/AppleDoubles", framework, "*.swift"))

    def visible(self, text):
        """Returns the part of a double that the SDK declares."""
        return sdks.without_newer(sources.without_double_only(text), self.platform, self.sdk)

    def target(self, manifest, name, system):
        """Builds a target of Package.swift after the targets on which it depends."""
        if name in self.modules:
            return
        target = manifest.targets[name]
        needs = manifest.all_dependencies(name)
        for need in needs:
            self.target(manifest, need, system)
        if target["type"] in ("system", "regular") and not manifest.swift_files(name):
            return self.c_target(manifest, name)
        swift_needs = system + [need for need in needs if need in self.modules]
        self.swift(name, manifest.swift_files(name), swift_needs, [*manifest.options(name), *self.options])

    def swift(self, name, files, needs, options):
        options = ["-swift-version", "6", *options]
        inputs = [*options, *(part for path in files for part in (os.path.relpath(path, self.root), content(path)))]
        self.module(name, inputs, needs, lambda folder: self.compile(folder, name, files, needs, options))

    def for_extensions(self, shared):
        """Returns the same system for code in app extensions, with the modules that both share."""
        other = copy.copy(self)
        other.name += ", in an app extension"
        other.modules = {name: self.modules[name] for name in shared}
        other.options = ["-application-extension"]
        return other

    def with_sdk(self, sdk, manifest, shared):
        """Returns the same system with the declarations of an older SDK. Targets without a differing declaration are compiled only once."""
        other = copy.copy(self)
        other.name += f", with the SDK of iOS {sdk}"
        other.sdk = sdk
        other.modules = {name: self.modules[name] for name in shared if name not in self.frameworks}
        # Its version differs.
        changed = {"SwiftUI"}
        for name in self.frameworks:
            texts = [content(path) for path in self.declarations(name)]
            if changed & imports(texts) or any(self.visible(text) != other.visible(text) for text in texts):
                changed.add(name)
            if name in changed:
                other.framework(name, list(other.modules))
            else:
                other.modules[name] = self.modules[name]
        for name in manifest.targets:
            texts = [content(path) for path in manifest.swift_files(name)]
            if changed & imports(texts) or any(sdks.CONDITION.search(text) for text in texts):
                changed.add(name)
        for name in manifest.targets:
            if name in self.modules and not changed & {name, *manifest.all_dependencies(name)}:
                other.modules[name] = self.modules[name]
        return other

    def c_target(self, manifest, name):
        """A target of C: its headers for Swift, and its sources with all warnings."""
        folder = manifest.path(name)
        public = os.path.join(folder, "include") if os.path.isdir(os.path.join(folder, "include")) else folder
        c_files = sorted(glob.glob(os.path.join(folder, "**", "*.c"), recursive=True))
        texts = [content(path) for path in sorted(glob.glob(os.path.join(folder, "**", "*.[ch]"), recursive=True))]

        def build(output):
            for path in glob.glob(os.path.join(public, "*")):
                if os.path.isfile(path) and not path.endswith(".c"):
                    shutil.copy(path, output)
            headers = sorted(os.path.basename(path) for path in glob.glob(os.path.join(output, "*.h")))
            if not os.path.exists(os.path.join(output, "module.modulemap")):
                with open(os.path.join(output, "module.modulemap"), "w", encoding="utf-8") as file:
                    file.write(f"module {name} {{\n" + "".join(f'    header "{base}"\n' for base in headers) + "    export *\n}\n")
            # The SDK of a Mac has the headers of SQLite. They are the same on every system.
            if "<sqlite3.h>" in "".join(texts):
                shutil.copy(os.path.join(run(["pkg-config", "--variable=includedir", "sqlite3"]).stdout.strip(), "sqlite3.h"), output)
            if c_files:
                self.link(output, name, c_files, headers)

        self.module(name, texts, [], build)

    def link(self, folder, name, c_files, headers):
        """Compiles a C target, and links each function of its headers, to find functions without a body."""
        references = os.path.join(folder, "references.c")
        with open(references, "w", encoding="utf-8") as file:
            file.write("".join(f'#include "{base}"\n' for base in headers))
        zig = [self.headers.compiler, "cc", "-target", "aarch64-macos", "-Wall", "-Wextra", "-Werror", "-I", folder,
               "-isystem", self.darwin]
        expanded = run([*zig, "-E", references])
        functions = sorted(set(re.findall(r"\b(longhaul_\w+) *\(", expanded.stdout)))
        with open(references, "a", encoding="utf-8") as file:
            file.write("void *const references[] = {" + ", ".join(f"(void *){function}" for function in functions) + "};\n")
        result = run([*zig, "-shared", *c_files, references, "-o", os.path.join(folder, "linked")])
        if result.returncode != 0:
            undefined = re.findall(r"undefined symbol: _?(\w+)", result.stderr)
            raise Failed([f"{name} does not compile for aarch64-macos:", *(
                [f"{function} has no body there" for function in undefined] or diagnostics(result.stderr))])


def imports(texts):
    return {module for text in texts for module in sources.IMPORT.findall(text)}


def end_of(lines, number):
    """Returns the line after the declaration that begins at this line."""
    depth = 0
    while number < len(lines):
        depth += lines[number].count("{") - lines[number].count("}")
        number += 1
        if depth <= 0:
            break
    return number
