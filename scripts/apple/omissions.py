"""Whether the test of each app in Examples/iOS notices that one call of Longhaul is missing."""

import glob
import itertools
import os
import re
import signal
import subprocess

from modules import ROOT, content

APPS = "Examples/iOS"
API = "docs/public-api.txt"

# For each app: the file, what is removed (a regular expression that matches once), and its replacement, which compiles.
OMISSIONS = {
    "PhotoUpload": [
        ("PhotoUploadApp.swift", r"        configuration\.notifications = .*\n", ""),
        ("PhotoUploadApp.swift", r", configuration: configuration\)", ")"),
        ("PhotoUploadApp.swift", r"transfers\.followApp\(\)\.states", "ProcessLifecycle().states"),
        ("PhotoUploadApp.swift", r"let states = transfers\.followApp\(\)\.states",
         "transfers.followApp()\n        let states = AsyncStream<ProcessLifecycle.State> { $0.finish() }"),
        ("PhotoUploadApp.swift", r"where state == \.terminating \{.*\}", "{ _ = state }"),
        ("PhotoUploadApp.swift", r"            \.transferEvents\(of: transfers\)\n", ""),
        ("PhotoUploadApp.swift", r"    guard try await session\.snapshots\(\).*\n", ""),
        ("PhotoUploadApp.swift", r"\{ !\$0\.state\.isEnded \}", "{ _ in true }"),
        ("PhotoUploadApp.swift", r"    try await session\.notify\(\n.*\n", ""),
        ("UploadsView.swift", r"        \.task \{.*uploads\.follow\(.*\n", ""),
        ("UploadsView.swift", r"        \.task \{.*withdrawNotification\(.*\n", ""),
        ("UploadsView.swift", r"uploads\.transfers\b", "[TransferSnapshot]()"),
        ("UploadsView.swift", r"Text\(upload\.name\)", 'Text("")'),
        ("UploadsView.swift", r"if upload\.state\.isEnded", "if false"),
        ("UploadsView.swift", r"if case \.failed = upload\.state", "if false"),
        ("UploadsView.swift", r"try await \$0\.retry\(\)", "_ = $0"),
        ("UploadsView.swift", r"try await \$0\.remove\(\)", "_ = $0"),
        ("UploadsView.swift", r"try await \$0\.cancel\(\)", "_ = $0"),
        ("UploadsView.swift", r"try await action\(transfers\.open\(\)\.transfer\(upload\.id\)\)", "_ = action"),
        ("UploadsView.swift", r"try await transfers\.open\(\)\.upload\(file: photo\.file, to: url\)", "_ = url"),
        ("UploadToast.swift", r"upload\.name\b", '""'),
        ("UploadToast.swift", r"upload\.state\.description", '""'),
        ("UploadToast.swift", r"if !upload\.state\.isEnded", "if false"),
        ("UploadToast.swift", r"upload\.fractionCompleted", "Double?.none"),
        ("UploadToast.swift", r"session\.changes\(\)", "AsyncStream<TransferListChange> { $0.finish() }"),
        ("UploadToast.swift", r"change\.updated\.last \?\? ", ""),
        ("UploadToast.swift", r"change\.inserted\.last \{ !\$0\.state\.isEnded \} \?\? ", ""),
        ("UploadToast.swift", r"last \{ !\$0\.state\.isEnded \}", "last"),
    ],
    "Receipts": [
        ("ReceiptsApp.swift", r"        transfers\.followApp\(\)\n", ""),
        ("ReceiptsApp.swift", r"try\? await transfers\.open\(\)\.setCredentialProvider \{[^}]*\}", "_ = transfers"),
        ("ReceiptsApp.swift", r"request\.isRenewal", "false"),
        ("ReceiptsApp.swift", r"            \.transferEvents\(of: transfers\)\n", ""),
        ("ReceiptsView.swift", r"receipts\.transfers\b", "[TransferSnapshot]()"),
        ("ReceiptsView.swift", r"try await session\.snapshots\(\)\.filter \{ !\$0\.state\.isEnded \}\.count", "-1"),
        ("ReceiptsView.swift", r"\.filter \{ !\$0\.state\.isEnded \}", ""),
        ("ReceiptsView.swift", r"try await receipts\.follow\(session\)", "_ = session"),
        ("ReceiptsView.swift", r"Date\(receipt\.createdAt\)", "Date.distantPast"),
        ("ReceiptsView.swift", r"if !receipt\.state\.isEnded", "if false"),
        ("ReceiptsView.swift", r"receipt\.fractionCompleted", "Double?.none"),
        ("ReceiptsView.swift", r"receipt\.state\.description", '""'),
        ("ReceiptsView.swift", r"if receipt\.state\.isEnded", "if false"),
        ("ReceiptsView.swift", r"if case \.failed = receipt\.state", "if false"),
        ("ReceiptsView.swift", r"if receipt\.state == \.paused", "if false"),
        ("ReceiptsView.swift", r"try await \$0\.retry\(\)", "_ = $0"),
        ("ReceiptsView.swift", r"try await \$0\.remove\(\)", "_ = $0"),
        ("ReceiptsView.swift", r"try await \$0\.resume\(\)", "_ = $0"),
        ("ReceiptsView.swift", r"try await \$0\.pause\(\)", "_ = $0"),
        ("ReceiptsView.swift", r"try await \$0\.cancel\(\)", "_ = $0"),
        ("ReceiptsView.swift", r"try await action\(transfers\.open\(\)\.transfer\(receipt\.id\)\)", "_ = action"),
        ("ReceiptsView.swift", r"        options\.idempotencyKey = .*\n", ""),
        ("ReceiptsView.swift", r"        options\.credential = .*\n", ""),
        ("ReceiptsView.swift", r"\.text\(name: \"title\", .*", ""),
        ("ReceiptsView.swift", r"\.data\(name: \"photo\", photo, fileName: \"receipt\.jpg\"\)", ""),
        ("ReceiptsView.swift", r", options: options", ""),
        ("ReceiptsView.swift", r"try await transfers\.open\(\)\.upload\(form:.*\)", "_ = (form, url, options)"),
    ],
    "StormWatcher": [
        ("StormWatcherApp.swift", r"configuration\.notifications = NotificationSettings\(.*", ""),
        ("StormWatcherApp.swift", r"options\.onEvents = .*", ""),
        ("StormWatcherApp.swift", r"configuration: configuration, ", ""),
        ("StormWatcherApp.swift", r", options: options", ""),
        ("StormWatcherApp.swift", r"try tasks\.register\(.*", "_ = (tasks, watch)"),
        ("StormWatcherApp.swift", r"transfers\.becomeNotificationDelegate\(\)", ""),
        ("StormWatcherApp.swift", r"transfers\.followApp\(\)", ""),
        ("StormWatcherApp.swift", r"\.transferEvents\(of: transfers\)", ""),
        ("StormWatcherApp.swift", r"\.transferTasks\(of: scheduler\)", ""),
        ("StormWatch.swift", r"context\.remainingTime", "Duration.zero"),
        ("StormWatch.swift", r"quiet\.showsNotifications = false", "quiet = TransferOptions()"),
        ("StormWatch.swift", r"_ = try await context\.session\.request\(.*", "_ = quiet"),
        ("StormWatch.swift", r', key: "sky", options', ", options"),
        ("StormWatch.swift", r", options: quiet", ""),
        ("StormWatch.swift", r"quiet\)\.response\(\)", "quiet)"),
        ("StormWatch.swift", r"await readForecast\(in: context\.session\)", ""),
        ("StormWatch.swift", r'context\.cancellationReason\.map \{ "stopped: \\\(\$0\)" \} \?\? ', ""),
        ("StormWatch.swift", r'try await session\.transfer\(key: "sky"\)', "nil as Transfer?"),
        ("StormWatch.swift", r"try await request\.snapshot\(\)\.state\.isEnded", "true"),
        ("StormWatch.swift", r"try await request\.response\(\)", "(status: 200, data: Data())"),
        ("StormWatch.swift", r'forecast\.status == 200 \? (.*) : "error \\\(forecast\.status\)"', r"\1"),
        ("StormWatch.swift", r"error \\\(forecast\.status\)", "error"),
        ("StormWatch.swift", r"forecast\.data", "Data()"),
        ("StormWatch.swift", r"try await session\.notify\(.*", ""),
        ("StormWatch.swift", r', body: "Send a photo\?"', ""),
        ("StormWatch.swift", r"try await request\.remove\(\)", ""),
        ("StormsView.swift", r"photos\.transfers\b", "[TransferSnapshot]()"),
        ("StormsView.swift", r"\\\(photo\.name\): ", ""),
        ("StormsView.swift", r": \\\(photo\.state\.description\)", ""),
        ("StormsView.swift", r"if photo\.state\.isEnded", "if true"),
        ("StormsView.swift", r"try await transfers\.open\(\)\.transfer\(photo\.id\)\.remove\(\)", "_ = photo"),
        ("StormsView.swift", r"try await photos\.follow\(.*?\(\"photos\"\)\)", ""),
        ("StormsView.swift", r', matching: \.group\("photos"\)', ""),
        ("StormsView.swift", r"try await scheduler\.submit\(.*", ""),
        ("StormsView.swift", r", repeats: \.daily\(hour: 12\)", ""),
        ("StormsView.swift", r"try await scheduler\.runDue\(\)", ""),
        ("StormsView.swift", r"for try await event in session\.events", "for event in try await session.pendingEvents()"),
        ("StormsView.swift", r"if case \.notificationTapped\(let shown\) = event\.kind, .* \{ (tap = event) \}", r"\1"),
        ("StormsView.swift", r', shown\.identifier == "storm"', ""),
        ("StormsView.swift", r"try await transfers\.open\(\)\.upload\(.*", "_ = (photo, url)"),
        ("StormsView.swift", r', group: "photos"', ""),
        ("StormsView.swift", r"if let tap \{ .*acknowledge\(tap\) \}", ""),
    ],
    "Visits": [
        ("VisitsApp.swift", r"transfers\.followApp\(\)", "ProcessLifecycle()"),
        ("VisitsApp.swift", r"let states = transfers\.followApp\(\)\.states",
         "transfers.followApp()\n        let states = AsyncStream<ProcessLifecycle.State> { $0.finish() }"),
        ("VisitsApp.swift", r"state == \.active", "true"),
        ("VisitsApp.swift", r"try await transfers\.open\(\)\.setLastWill\(\s*.*", "_ = visit"),
        ("VisitsApp.swift", r'("lost"\)), method: "POST"', r"\1"),
        ("VisitsApp.swift", r'("lost"\), method: "POST"), body: visit', r"\1"),
        ("VisitsApp.swift", r"state == \.terminating, ", ""),
        ("VisitsApp.swift", r"try await transfers\.open\(\)\.request\(\s*.*", "_ = visit"),
        ("VisitsApp.swift", r'("ended"\)), method: "POST"', r"\1"),
        ("VisitsApp.swift", r'("ended"\), method: "POST"), body: visit', r"\1"),
        ("VisitsApp.swift", r", options: \.atTermination", ""),
        ("VisitsApp.swift", r"\.transferEvents\(of: transfers\)", ""),
        ("ReportsView.swift", r"reports\.transfers\b", "[TransferSnapshot]()"),
        ("ReportsView.swift", r"try await reports\.follow\(transfers\.open\(\)\)", ""),
        ("ReportsView.swift", r'report\.url\.hasSuffix\("lost"\)', "false"),
        ("ReportsView.swift", r"Date\(report\.createdAt\)", "Date.distantPast"),
        ("ReportsView.swift", r'report\.state == \.succeeded \? "Delivered" : (report\.state\.description)', r"\1"),
        ("ReportsView.swift", r'report\.state == \.succeeded \? ("Delivered") : report\.state\.description', r"\1"),
        ("ReportsView.swift", r"if report\.state\.isEnded", "if true"),
        ("ReportsView.swift", r"if report\.state != \.succeeded", "if true"),
        ("ReportsView.swift", r"try await \$0\.retry\(\)", "_ = $0"),
        ("ReportsView.swift", r"try await \$0\.remove\(\)", "_ = $0"),
        ("ReportsView.swift", r"try await action\(transfers\.open\(\)\.transfer\(report\.id\)\)", "_ = (action, report)"),
    ],
    "Episodes": [
        ("EpisodesApp.swift", r"\n +configuration\.notifications = .*", ""),
        ("EpisodesApp.swift", r", kinds: \[\.finished, \.failed\]", ""),
        ("EpisodesApp.swift", r"\n +configuration\.rules = .*", ""),
        ("EpisodesApp.swift", r", configuration: configuration\)", ")"),
        ("EpisodesApp.swift", r"\n +transfers\.followApp\(\)", ""),
        ("EpisodesApp.swift", r"\n +\.transferEvents\(of: transfers\)", ""),
        ("EpisodesApp.swift", r"\n +transferLimit = 3", ""),
        ("EpisodesApp.swift", r"\n +transferLimitPerHost = 2", ""),
        ("EpisodesApp.swift", r"\n +transferLimitPerGroup = .*", ""),
        ("EpisodesApp.swift", r"\n +conditions\.allowsExpensiveNetworkAccess = .*", ""),
        ("EpisodesView.swift", r"\n +\.task \{ await show \{ try await downloads\.follow.*", ""),
        ("EpisodesView.swift", r"\n +attempt \{ try await transfers\.open\(\)\.setRules.*", ""),
        ("EpisodesView.swift", r"downloads\.transfers\.first", "[TransferSnapshot]().first"),
        ("EpisodesView.swift", r"try await action\(transfers\.open\(\)\.transfer\(download\.id\)\)", "_ = (action, download)"),
        ("EpisodesView.swift", r"\$0\.key == episode\.id", "$0.url == episode.url.absoluteString"),
        ("EpisodesView.swift", r"download\?\.state\.description \?\? episode\.show", "episode.show"),
        ("EpisodesView.swift", r"if let download, !download\.state\.isEnded (?=\{ Progress)", "if let download "),
        ("EpisodesView.swift", r"value: download\.fractionCompleted", "value: Double?.none"),
        ("EpisodesView.swift", r"if let download, download\.state\.isEnded \{", "if let download, download.rate < 0 {"),
        ("EpisodesView.swift", r"if download\.state != \.succeeded ", "if true "),
        ("EpisodesView.swift", r"try await \$0\.retry\(\)", "_ = $0"),
        ("EpisodesView.swift", r"if download\.state == \.paused ", "if true "),
        ("EpisodesView.swift", r"if download\.state != \.paused ", "if true "),
        ("EpisodesView.swift", r"try await \$0\.resume\(\)", "_ = $0"),
        ("EpisodesView.swift", r"try await \$0\.pause\(\)", "_ = $0"),
        ("EpisodesView.swift", r"try await \$0\.cancel\(\)", "_ = $0"),
        ("EpisodesView.swift", r"try await \$0\.changeOptions \{ \$0\.isAttended = true \}", "_ = $0"),
        ("EpisodesView.swift", r"downloads\.transfers\.filter \{ \$0\.state == \.succeeded \}", "[TransferSnapshot]()"),
        ("EpisodesView.swift", r"\.filter \{ \$0\.state == \.succeeded \}", ""),
        ("EpisodesView.swift", r"\$1\.bytesDone", "1"),
        ("EpisodesView.swift", r"options\.priority = priority", "_ = priority"),
        ("EpisodesView.swift", r", options: options\)", ")"),
        ("EpisodesView.swift", r'fileName: episode\.id \+ "\.mp4", ', ""),
        ("EpisodesView.swift", r"key: episode\.id,\s+", ""),
        ("EpisodesView.swift", r",\s+group: episode\.show, ", ", "),
        ("EpisodesView.swift", r"try await transfers\.open\(\)\.download\([^)]*\)", "_ = episode"),
        ("EpisodesView.swift", r"\n +if snapshot\.state == \.succeeded, let file = snapshot\.fileURL .*", "\n        _ = snapshot"),
        ("EpisodesView.swift", r"if snapshot\.state == \.succeeded, let file", "if let file"),
        ("EpisodesView.swift", r"\n +try await download\.remove\(\)", ""),
        ("EpisodesView.swift", r"\n +for finding in try await session\.reconcile\(\)[^}]*\}\n +\}", ""),
        ("EpisodesView.swift", r' where finding\.code == "fileMissing"', ""),
        ("EpisodesView.swift", r"try await session\.transfer\(download\)\.remove\(\)", "_ = download"),
        ("EpisodesView.swift", r"try await session\.snapshots\(\)\.compactMap\(.*\)\)", "[String]())"),
    ],
}
# Code with the name of a member of Longhaul that is not one, and code without which the app does not compile.
OTHERS = {
    "Episodes": [
        r"\bEpisode\.(?:all|makeDirectory)", r"self\.download", r"contentsOfDirectory\((?:[^()]|\(\))*\)", r"finding\.transfer\b",
        r"style: \.file", r"download\.snapshot\(\)",
    ],
    "": [
        r"requestAuthorization\(options:",
        r"\btransfers\.open\(\)",
        r"\.id\b",
        r"localizedDescription",
        r"\.description\b",
        r"\bvar body:",
        r"\.task \{",
        r"\baction: (?!\.)",
        r"\b(?:createDirectory|copyItem|removeItem)\(at:",
        r"\.current\(\)",
        r"\bmatching: \.images",
    ],
    "PhotoUpload": [r"\b(?:photo|received)\.file\b"],
    "Receipts": [r"Date\.now\b"],
    "StormWatcher": [r"components\.seconds", r"Date\.now", r"reading\?\.value"],
}
# A suite that takes longer has failed: it waits for an event that never happens.
LONGEST = 600


def members():
    """The names of Longhaul's members, and of its optional parameters, as the apps write them."""
    found = set()
    for line in content(os.path.join(ROOT, API)).splitlines():
        kind = re.search(r"\b(?:func|var|let|case) (\w+)", line)
        if kind and ": " in line.split(" ", 1)[0] + " ":
            found.add(rf"\.{kind.group(1)}\b")
        if "(" in line and not line.startswith("Conditions"):
            found.update(rf"\b{name}:(?!:)" for name in re.findall(r"[(,] ?([a-z]\w*)(?: \w+)?: [^,()]*(?:\([^()]*\)[^,()]*)* = ", line))
    return sorted(found)


def missing(app):
    """Returns the uses of Longhaul in an app that no omission removes, and the omissions that do not match exactly once."""
    names = [re.compile(name) for name in members()]
    found = []
    for path in sorted(glob.glob(os.path.join(ROOT, APPS, app, "*.swift"))):
        code = re.sub(r"(?m)(?<!:)//.*$", lambda comment: " " * len(comment.group()), content(path))
        file = os.path.basename(path)
        covered = [match.span() for other in OTHERS[""] + OTHERS.get(app, []) for match in re.finditer(other, code)]
        for _, pattern, replacement in (row for row in OMISSIONS[app] if row[0] == file):
            matches = list(re.finditer(pattern, code))
            if len(matches) != 1:
                found.append(f"{app}/{file}: {pattern} matches {len(matches)} times")
                continue
            covered += removed(matches[0], matches[0].expand(replacement))
        for name in names:
            for use in name.finditer(code):
                if not any(start <= use.start() and use.end() <= end for start, end in covered):
                    line = code.count("\n", 0, use.start()) + 1
                    found.append(f"{app}/{file}:{line}: no omission removes {use.group()}")
    unknown = [row[0] for row in OMISSIONS[app] if not os.path.exists(os.path.join(ROOT, APPS, app, row[0]))]
    return found + [f"{app}: {file} does not exist" for file in unknown]


def removed(match, replacement):
    """Returns the spans of a match without the text that its replacement keeps at the start and the end."""
    text = match.group()
    start = len(os.path.commonprefix([text, replacement]))
    end = len(os.path.commonprefix([text[start:][::-1], replacement[start:][::-1]]))
    # A name that begins with kept letters is replaced as a whole.
    while start > 0 and re.match(r"[\w.]", text[start - 1]):
        start -= 1
    while end > 0 and re.match(r"[\w:]", text[len(text) - end]):
        end -= 1
    return [(match.start() + start, match.end() - end)]


class Restored:
    """The sources of the apps, whose content is restored at the end, even if a signal ends the program."""

    def __init__(self):
        self.originals = {}

    def __enter__(self):
        def stop(*_):
            raise KeyboardInterrupt

        for name in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(name, stop)
        return self

    def omit(self, app, row):
        path = os.path.join(ROOT, APPS, app, row[0])
        self.originals.setdefault(path, content(path))
        write(path, re.sub(row[1], row[2], self.originals[path], count=1))

    def restore(self):
        for path, text in self.originals.items():
            if content(path) != text:
                write(path, text)

    def __exit__(self, *_):
        self.restore()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def build():
    """Returns the apps whose code does not compile. `None`: other code does not compile."""
    result = subprocess.run(["swift", "build", "--build-tests"], cwd=ROOT, text=True, check=False, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, env={**os.environ, "LONGHAUL_TIER": "apple"})
    if result.returncode == 0:
        return set(), ""
    errors = [line for line in result.stdout.splitlines() if ": error:" in line] or result.stdout.splitlines()[-20:]
    return {found.group(1) for line in errors if (found := re.search(rf"{APPS}/(\w+)/", line))} or None, "\n".join(errors[:5])


def play(apps):
    """Returns the first failure in the suite of each app, or None. The suites run in parallel."""
    program = os.path.join(ROOT, ".build/debug/longhaulPackageTests.xctest")
    running = {}
    try:
        for app in apps:
            running[app] = subprocess.Popen(
                ["timeout", str(LONGEST), program, "--testing-library", "swift-testing", "--filter", rf"AppleSystems/{app}Tests/"],
                cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        return {app: first_failure(process) for app, process in running.items()}
    finally:
        for process in running.values():
            process.kill()
            process.wait()


def first_failure(process):
    """Returns the first failure that the tests print. The tests may continue after it."""
    count = None
    for line in process.stdout:
        if re.search(r"recorded an issue|Fatal error|error:", line):
            process.terminate()
            return re.sub(r"^\W*Test ", "", line.strip())
        if passed := re.search(r"Test run with (\d+) tests?.* passed", line):
            count = int(passed.group(1))
    status = process.wait()
    if status == 124:
        return f"still runs after {LONGEST} s"
    if status:
        return f"ends with status {status}"
    return None if count else "there is no test"


def run(apps):
    """Removes the calls one by one. Returns 1 if a test does not notice, or if a call has no row."""
    unknown = [app for app in apps if app not in OMISSIONS]
    findings = [f"{app} is not one of {', '.join(OMISSIONS)}" for app in unknown] or sum(map(missing, apps), [])
    print(*findings, sep="\n", end="\n" if findings else "")
    if unknown:
        return 1
    failed = bool(findings)
    with Restored() as sources:
        broken, errors = build()
        before = {app: errors for app in apps} if errors else play(apps)
        for app, failure in before.items():
            if failure:
                print(f"{app}: the test must pass before calls can be removed: {failure}")
        if any(before.values()):
            return 1
        for row in itertools.zip_longest(*(OMISSIONS[app] for app in apps)):
            rows = {app: row for app, row in zip(apps, row) if row}
            for app, change in rows.items():
                sources.omit(app, change)
            broken, errors = build()
            while broken and broken & rows.keys():
                for app in broken & rows.keys():
                    failed = True
                    print(f"BROKEN  {app}: {shown(rows.pop(app))}: {errors}", flush=True)
                sources.restore()
                for app, change in rows.items():
                    sources.omit(app, change)
                broken, errors = build()
            if errors:
                print(errors)
                return 1
            for app, failure in play(rows).items():
                failed = failed or not failure
                print(f"{'found ' if failure else 'MISSED'}  {app}: {shown(rows[app])}{': ' + failure if failure else ''}", flush=True)
            sources.restore()
    return 1 if failed else 0


def shown(row):
    return f"{row[0]}, {row[1]}"
