/// The groups of the options that only downloads have.
extension OptionGroup {
    static let download: [OptionGroup] = [files, checksums, mirrors, resuming]

    private static let files = OptionGroup(
        "Files and names",
        [.output, .urlName, .directory, .overwrite, .skipExisting, .newer, .input, .range, .remoteTime, .globOff],
        notes: [
            "The permissions of a file follow the umask of the submitting shell, or the default ACL of the directory, if "
                + "it has one. Its modification time is that of its arrival, unless you pass `-R`. If two commands "
                + "download to one name, the first to finish gets it. The other fails with `destinationExists`, and keeps "
                + "its bytes for `longhaul retry`.",
            "A list has the format of aria2. Lines may also set `split`, `max-connection-per-server`, "
                + "`max-download-limit` (`--limit-rate`), `user-agent`, and `referer`. Longhaul reports and ignores other "
                + "options. It reports a bad line with its number, and skips it together with its options. If two lines "
                + "of a list name one file, Longhaul skips the second. Names and lists must be UTF-8.",
            "A backslash before a bracket prevents its expansion. A URL expands to at most 100,000 URLs; two with the "
                + "same file name are refused.",
            "`-o -` writes the bytes in order, over one connection. A lost connection or a crash of the service only "
                + "delays them. Meanwhile the state directory has a copy, so that a slow reader does not stall the "
                + "transfer. If the command ends by Ctrl-C, a signal, or a closed pipe, the transfer ends and nothing is "
                + "kept. If the file changes during the download, or its checksum is wrong at the end, the command fails "
                + "with 9, so check the status (`set -o pipefail`).",
            "`-N` sends `If-Modified-Since`. Status 304 leaves the file, and is a success. `--skip-existing` keeps a file "
                + "that matches, which is a success too, and replaces any other file. `checksum` compares without a "
                + "request, `length` with the length that the server reports, and `name`, the default, keeps any file.",
            "`--range` downloads a part as a separate file; `-500` is the last 500 bytes, over one connection. If the server "
                + "does not support ranges, the transfer fails with `protocolViolation`. `--checksum` is that of the part. "
                + "`--signature` and `--checksum-file` concern whole files, and contradict `--range`.",
        ],
        examples: [
            .init(
                "longhaul 'https://example.org/{north,south}/[01-12].jpg' -o '#1-#2.jpg'", "Download 24 pictures"),
            .init("-o film.mp4 --skip-existing length", "Download unless the file is complete"),
        ])

    private static let checksums = OptionGroup(
        "Checksums and signatures", [.checksum, .checksumFile, .signature, .keyring],
        notes: [
            "Longhaul verifies the file before it gets its name. `--sha256 HEX` is short for `--checksum sha-256=HEX`. "
                + "sha-1 and md5 detect only accidents. A checksum list has the format of `sha256sum`, also with `--tag`. A "
                + "file that the list does not contain is not downloaded.",
            "`gpgv` must accept the signature for a key in the keyring. Otherwise the transfer ends with "
                + "`signatureInvalid`, and `longhaul retry` verifies the bytes again. Headers and credentials are sent to "
                + "the list and the signature only if they have the origin of the download.",
        ],
        examples: [.init("--checksum-file https://example.org/SHA256SUMS", "Verify with a list of checksums")])

    private static let mirrors = OptionGroup(
        "Mirrors and connections", [.mirror, .metalink, .split],
        notes: [
            "If a server limits each connection's speed, several connections download a file faster. When the rate of the "
                + "first connection is known and much of the file remains, Longhaul uses two or four times as many, up to "
                + "16, as long as the total gets faster. `--split N` uses at most N from the start. The server must "
                + "support ranges and identify the version of the file (a strong `ETag`, or a date that is old enough). "
                + "Connections count for `longhaul limits --per-host`, and share the rate limit of their transfer.",
            "If a source fails, Longhaul continues with the next one; the transfer does not fail. It replaces a source "
                + "that is silent for two seconds, or for ten within the file. A server can name mirrors itself (`Link: "
                + "<URL>; rel=duplicate`, RFC 6249). `longhaul show` shows what each source supplied.",
            "A Metalink (version 4 or 3) lists files with their sources, lengths, and checksums. An operand that ends in "
                + "`.meta4` or `.metalink` is one. Longhaul downloads a wrong piece again, from another source if "
                + "possible. In an existing file, it downloads only the wrong pieces, and replaces the file when all are "
                + "right. A path such as `a/x.bin` creates the directory below that of `-d`; a path with `..`, from the root, or "
                + "through a link never leads out of it. Secrets are sent only to the Metalink's own host.",
        ],
        examples: [
            .init("--mirror https://b.example.org/film.mp4", "Use a second server"),
            .init("--split 8", "Use at most eight connections"),
        ])

    private static let resuming = OptionGroup(
        "Resuming", [.goOn, .again],
        notes: [
            "Downloads of Longhaul resume without these options. `-C -` is the same as `-c`. Longhaul works on a copy: the "
                + "partial file stays until the complete file replaces it, and a file of another name stays altogether.",
            "A download that cannot resume says so on the terminal, in `longhaul show`, and at the end of the command: a "
                + "pause or an interruption would lose the bytes received so far. If a download restarts, `longhaul "
                + "history` shows the reason.",
            Option.joined + " Lines of a list join transfers that existed before the command, but not each other.",
        ],
        examples: [.init("-c", "Resume the partial file that another program left under this name")])
}
