"""The example apps, compiled as Xcode compiles the sources of an app that depends on the products."""

import glob
import os
import re

from modules import FRAMEWORKS, Failed, content

# The language settings of a project: Swift 6 mode alone, and with those that Xcode 26 adds to a new project.
SETTINGS = {
    "": [],
    "with the settings of Xcode 26": [
        "-default-isolation", "MainActor",
        *(part for feature in ("NonisolatedNonsendingByDefault", "InferIsolatedConformances", "MemberImportVisibility")
          for part in ("-enable-upcoming-feature", feature)),
    ],
}
IMPORT = re.compile(r"^\s*(?:@\w+ )*(?:\w+ )?import (?:struct |class |enum |protocol |func |var |let )?(\w+)", re.MULTILINE)


def findings(system, manifest, modules):
    """Every finding in Examples/iOS, once the products are compiled for the system, which has these modules."""
    found = []
    products = {*manifest.products, *FRAMEWORKS[system.name], "Foundation", "Observation"}
    needs = modules + [name for name in system.modules if name in manifest.targets]
    for folder in sorted(glob.glob(os.path.join(system.root, "Examples/iOS/*/"))):
        files = sorted(glob.glob(os.path.join(folder, "**", "*.swift"), recursive=True))
        for path in files:
            found += [f"{os.path.relpath(path, system.root)}: {name} is neither a product nor a framework of Apple's"
                      for name in IMPORT.findall(content(path)) if name not in products]
        for settings, options in SETTINGS.items():
            try:
                system.swift(os.path.basename(os.path.dirname(folder)), files, needs, options)
            except Failed as failure:
                headline, *diagnostics = failure.args[0]
                found += [" ".join([headline.rstrip(":"), settings]).strip() + ":", *diagnostics]
    return found
