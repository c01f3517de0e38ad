/// A program that downloads or uploads, whose commands users type or paste after `longhaul`.
enum ForeignProgram: String, CaseIterable, Sendable {
    case curl
    case wget
    case aria2c

    init?(word: String) {
        switch word {
        case "wget2": self = .wget
        case "aria2": self = .aria2c
        default: self.init(rawValue: word)
        }
    }
}

/// An option of curl, wget, or aria2, and its equivalent here.
struct ForeignOption: Sendable {
    /// What an option contributes to a request or an upload, or to the place of a download.
    enum Part: Sendable {
        case method
        case head
        /// Data that goes into the query of the URL instead of the body.
        case query
        case body
        /// A body in which `@` has no meaning.
        case rawBody
        case encodedBody
        case json
        case bodyFile
        case form
        case formText
        case file
        case url
        case user
        case password
        /// A directory for the host, and one for each part of the URL's path.
        case directories
        /// How many of these directories are omitted.
        case fewerDirectories
    }

    /// A way of a program that counts after its name. Without the name, Longhaul's own way is enough.
    enum Habit: Sendable {
        case silent
        /// The file is saved, under the name in the URL.
        case urlName
        /// The name that the server suggests counts, and no file of that name is replaced.
        case serverName
        case replacesNothing
        /// Several URLs are several files, and not the mirrors of one.
        case severalFiles
        case noHostDirectory
        /// The directories in the name of the file are created.
        case createsDirectories
        /// The server may compress, but Longhaul stores files as they arrive: the header that requests compression is omitted.
        case compressed
    }

    enum Meaning: Sendable {
        /// Longhaul does it by default, or it concerns only the other program.
        case nothing
        /// Longhaul runs the rest of the line, and a notice names the option.
        case lacking
        /// Longhaul does nothing like it, so no other command does what was meant.
        case impossible(@Sendable () -> String)
        /// The long option that means the same here.
        case option(String)
        case part(Part)
        case habit(Habit)
        /// Words that mean the same, in which `VALUE` stands for the option's value. The sentence explains them if the program
        /// was not named.
        case same([String], @Sendable () -> String)
        /// The nearest equivalent, in which `VALUE` stands for the option's value, and a sentence that explains the difference.
        case nearest([String], @Sendable () -> String)
        /// Another command, which does it for all transfers. Without a required one, the rest of the line does what was meant.
        case command([String], isRequired: Bool, @Sendable () -> String)

        /// The sentence about the difference from the other program.
        var explanation: (@Sendable () -> String)? {
            switch self {
            case .same(_, let sentence), .nearest(_, let sentence), .command(_, _, let sentence),
                .impossible(let sentence):
                sentence
            case .nothing, .lacking, .option, .part, .habit: nil
            }
        }
    }

    let names: [Substring]
    let takesValue: Bool
    let meaning: Meaning

    private init(_ names: String, takesValue: Bool, _ meaning: Meaning) {
        self.names = names.split(separator: " ")
        self.takesValue = takesValue
        self.meaning = meaning
    }

    /// Finds an option as it is typed, with its dashes; `--name=value` can have its own entry.
    static func named(_ word: some StringProtocol, of program: ForeignProgram) -> ForeignOption? {
        func find(_ word: some StringProtocol) -> ForeignOption? {
            table(of: program).first { $0.names.contains { $0 == word } }
        }
        return find(word) ?? find(word.prefix { $0 != "=" })
    }

    /// The programs that have the option, the most likely one first.
    static func programs(with word: some StringProtocol) -> [(program: ForeignProgram, option: ForeignOption)] {
        ForeignProgram.allCases.compactMap { program in named(word, of: program).map { (program, $0) } }
    }

    /// The names of the options that are accepted without an effect.
    static func withoutEffect(of program: ForeignProgram) -> [Substring] {
        table(of: program).flatMap { option -> [Substring] in
            switch option.meaning {
            case .nothing, .lacking: option.names
            default: []
            }
        }
    }

    private static func table(of program: ForeignProgram) -> [ForeignOption] {
        switch program {
        case .curl: curl
        case .wget: wget
        case .aria2c: aria2
        }
    }
}

extension ForeignOption {
    private static func flag(_ names: String, _ meaning: Meaning = .nothing) -> ForeignOption {
        ForeignOption(names, takesValue: false, meaning)
    }

    private static func value(_ names: String, _ meaning: Meaning = .nothing) -> ForeignOption {
        ForeignOption(names, takesValue: true, meaning)
    }

    private static func same(_ long: String, _ names: String) -> ForeignOption { value(names, .option(long)) }

    private static func sameFlag(_ long: String, _ names: String) -> ForeignOption { flag(names, .option(long)) }

    private static let singleFiles = Meaning.impossible {
        tr("Longhaul downloads single files, not whole sites; -i reads a list of URLs.")
    }
    private static let addressFamily = Meaning.nearest([]) {
        tr("Longhaul tries IPv6 and IPv4 side by side, and neither can be chosen.")
    }
    private static let interface = Meaning.nearest([]) {
        tr("Longhaul uses the addresses and routes that the system gives; --link chooses a kind of network.")
    }
    private static let hosts = Meaning.nearest([]) {
        tr("Longhaul uses the addresses that the system finds for a host; /etc/hosts can change them.")
    }
    private static let version = Meaning.nearest([]) {
        tr("Longhaul agrees on HTTP/2 or HTTP/1.1 with the server; only --http3 changes that.")
    }
    private static let headers = Meaning.nearest(["--verbose"]) {
        tr("Longhaul shows the headers of requests and responses with -v.")
    }
    private static let results = Meaning.nearest(["--json"]) {
        tr("Longhaul reports the result of a transfer with --json and its exit status.")
    }
    private static let size = Meaning.nearest([]) {
        tr(
            "Longhaul does not support a limit for the file size. It checks the free disk space before a download starts."
        )
    }
    private static let optionsFile = Meaning.nearest([]) {
        tr("Longhaul reads options for every transfer from ~/.config/longhaul/options, such as limit-rate 2M.")
    }
    private static let log = Meaning.nearest([]) {
        tr("Longhaul keeps a history of each transfer, which longhaul history shows.")
    }
    private static let newer = Meaning.nearest(["--timestamping"]) {
        tr("Longhaul downloads only a newer file with -N.")
    }
    private static let scheme = Meaning.nearest([]) { tr("Longhaul transfers files over http and https.") }
    private static let hooks = Meaning.nearest([]) {
        tr("Longhaul starts no programs. The command waits for the transfer: write && and the program after it.")
    }
    private static let concurrency = Meaning.command(["limits", "--total", "VALUE"], isRequired: false) {
        tr("Longhaul runs several transfers of a command at once and limits their number for the session.")
    }
    private static let overallRate = Meaning.command(["limits", "--rate", "VALUE"], isRequired: true) {
        tr("Longhaul limits the rate of all transfers together for the session.")
    }

    private static let tls = Meaning.nearest([]) {
        tr("Longhaul agrees on the newest TLS version with the server.")
    }

    private static func socks(_ scheme: String) -> Meaning {
        .same(["--proxy", scheme + "://VALUE"]) { tr("Longhaul names the kind of a proxy in its URL.") }
    }

    private static let curl: [ForeignOption] = [
        flag(
            "-L --location -f --fail --fail-with-body "
                + "--fail-early -S --show-error -# --progress-bar --no-progress-meter -Z --parallel "
                + "--parallel-immediate --http2 --http2-prior-knowledge --retry-connrefused "
                + "--retry-all-errors --tcp-nodelay --tcp-fastopen --no-keepalive -N --no-buffer --basic --tlsv1 --tlsv1.0 "
                + "--tlsv1.1 --tlsv1.2 --styled-output --no-alpn --ssl-reqd --post301 "
                + "--post302 --post303 -q --disable --no-sessionid --raw --no-styled-output"),
        flag("--remove-on-error --xattr", .lacking), flag("--create-dirs", .habit(.createsDirectories)),
        value("--keepalive-time --expect100-timeout --happy-eyeballs-timeout-ms"),
        value("--retry-delay --retry-max-time --proto --proto-default --proto-redir --hsts --alt-svc", .lacking),
        value("--parallel-max", concurrency), value("--etag-compare --etag-save", newer),
        flag("-s --silent", .habit(.silent)), flag("-O --remote-name --remote-name-all", .habit(.urlName)),
        flag("-J --remote-header-name", .habit(.serverName)), flag("--no-clobber", .habit(.replacesNothing)),
        value("--stderr", log), value("--ciphers --tls13-ciphers --curves", tls),
        value("--socks5-hostname", socks("socks5h")), value("--socks5", socks("socks5")),
        value("--socks4a", socks("socks4a")), value("--socks4", socks("socks4")),
        flag("--compressed", .habit(.compressed)),
        same("output", "-o --output"), same("directory", "--output-dir"), same("header", "-H --header"),
        same("user-agent", "-A --user-agent"), same("referer", "-e --referer"), same("user", "-u --user"),
        same("proxy", "-x --proxy --proxy1.0"), same("proxy-user", "-U --proxy-user"), same("range", "-r --range"),
        same("noproxy", "--noproxy"), same("continue-at", "-C --continue-at"), same("cookie", "-b --cookie"),
        same("cookie-jar", "-c --cookie-jar"), same("cert", "-E --cert"), same("private-key", "--key"),
        same("pass", "--pass"), same("cacert", "--cacert"), same("proxy-cacert", "--proxy-cacert"),
        same("max-time", "-m --max-time"), same("connect-timeout", "--connect-timeout"),
        same("limit-rate", "--limit-rate --bwlimit"), same("retry", "--retry"), same("max-redirs", "--max-redirs"),
        same("pinnedpubkey", "--pinnedpubkey"), same("stall-timeout", "-y --speed-time"),
        value("-Y --speed-limit", .lacking),
        sameFlag("netrc", "-n --netrc"), sameFlag("netrc", "--netrc-optional"), sameFlag("insecure", "-k --insecure"),
        sameFlag("verbose", "-v --verbose"), sameFlag("digest", "--digest"), sameFlag("negotiate", "--negotiate"),
        sameFlag("anyauth", "--anyauth"), sameFlag("http3", "--http3"), sameFlag("globoff", "-g --globoff"),
        sameFlag("remote-time", "-R --remote-time"),
        value("-X --request", .part(.method)), flag("-I --head", .part(.head)), flag("-G --get", .part(.query)),
        value("-d --data --data-ascii --data-binary", .part(.body)), value("--data-raw", .part(.rawBody)),
        value("--data-urlencode", .part(.encodedBody)), value("--json", .part(.json)),
        value("-F --form", .part(.form)), value("--form-string", .part(.formText)),
        value("-T --upload-file", .part(.file)), value("--url", .part(.url)),
        value(
            "--oauth2-bearer",
            .same(["--header", "Authorization: Bearer VALUE"]) {
                tr("Longhaul sends a bearer token as a header.")
            }),
        flag("-4 --ipv4 -6 --ipv6", addressFamily), value("--interface --local-port", interface),
        value("--resolve --connect-to --dns-servers --doh-url", hosts),
        flag("-0 --http1.0 --http1.1 --http0.9 --http3-only", version),
        value("--unix-socket --abstract-unix-socket", .nearest([]) { tr("Longhaul connects over TCP or QUIC only.") }),
        value("--max-filesize", size),
        value("--netrc-file", .nearest(["--netrc"]) { tr("Longhaul reads the file ~/.netrc with -n.") }),
        value("-w --write-out", results), value("-D --dump-header", headers),
        flag("-i --include --show-headers", headers),
        value("--trace --trace-ascii --trace-config", headers), value("-K --config", optionsFile),
        value("-z --time-cond", newer),
        flag(
            "--tlsv1.3 --ssl -3 --sslv3 -2 --sslv2 -1", tls),
        flag("--location-trusted", .nearest([]) { tr("Longhaul never sends secret headers to another host.") }),
        flag("-a --append -l --list-only -B --use-ascii -p --proxytunnel", scheme),
        value("-Q --quote --ftp-port --telnet-option --mail-from --mail-rcpt", scheme),
        flag("-: --next", .nearest([]) { tr("Longhaul needs one command for each request; -b returns at once.") }),
    ]

    private static let wget: [ForeignOption] = [
        flag(
            "--content-disposition --show-progress --no-show-progress --retry-connrefused --trust-server-names -nv "
                + "--no-verbose -nd --no-directories -np --no-parent --no-config --no-hsts --no-iri --no-cookies "
                + "--keep-session-cookies --no-dns-cache --unlink --no-cache --https-only --auth-no-challenge "
                + "--no-http-keep-alive --no-remove-listing --no-passive-ftp --no-netrc "
                + "--no-server-response --no-use-server-timestamps"),
        flag("--random-wait --no-if-modified-since --save-headers", .lacking),
        flag("-x --force-directories", .part(.directories)), value("--cut-dirs", .part(.fewerDirectories)),
        flag("-nH --no-host-directories", .habit(.noHostDirectory)), value("--max-threads", concurrency),
        value(
            "--backups",
            .nearest([]) { tr("Longhaul keeps an existing file and adds a number to the name of the new one.") }),
        value(
            "--waitretry --wait -w --retry-on-http-error --restrict-file-names --secure-protocol --compression",
            .lacking),
        value(
            "--progress --report-speed --dns-timeout --hsts-file --prefer-family --local-encoding "
                + "--remote-encoding"),
        same("output", "-O --output-document"), same("directory", "-P --directory-prefix"),
        same("input-file", "-i --input-file"), same("retry", "-t --tries"), same("header", "--header"),
        same("stall-timeout", "-T --timeout --read-timeout"), same("connect-timeout", "--connect-timeout"),
        same("user-agent", "-U --user-agent"), same("referer", "--referer"), same("limit-rate", "--limit-rate"),
        same("max-redirs", "--max-redirect"), same("cacert", "--ca-certificate"), same("cert", "--certificate"),
        same("private-key", "--private-key"), same("cookie", "--load-cookies"),
        same("cookie-jar", "--save-cookies"), same("pinnedpubkey", "--pinnedpubkey"),
        sameFlag("quiet", "-q --quiet"), sameFlag("verbose", "-v --verbose -d --debug -S --server-response"),
        sameFlag("continue", "-c --continue"), sameFlag("detach", "-b --background"),
        sameFlag("timestamping", "-N --timestamping"), sameFlag("insecure", "--no-check-certificate"),
        sameFlag("globoff", "--no-glob"),
        flag(
            "--no-proxy",
            .same(["--proxy", ""]) {
                tr("Longhaul uses no proxy with an empty --proxy.")
            }),
        flag(
            "-nc --no-clobber",
            .same(["--skip-existing", "name"]) {
                tr("Longhaul leaves an existing file alone with --skip-existing name.")
            }),
        value("--user --http-user", .part(.user)), value("--password --http-password", .part(.password)),
        value(
            "--proxy-user", .nearest(["--proxy-user", "VALUE"]) { tr("Longhaul asks for the password of a proxy.") }),
        value("--post-data --body-data", .part(.rawBody)), value("--post-file --body-file", .part(.bodyFile)),
        value("--method", .part(.method)), flag("--spider", .part(.head)),
        value(
            "--start-pos", .same(["--range", "VALUE-"]) { tr("Longhaul downloads a part of a file with --range.") }),
        flag("-4 --inet4-only -6 --inet6-only", addressFamily), value("--bind-address", interface),
        value("-Q --quota", size), value("--config", optionsFile), value("-o --output-file -a --append-output", log),
        value("-e --execute", optionsFile),
        value("-l --level -A --accept -R --reject -D --domains -I --include-directories -X", singleFiles),
        flag(
            "-r --recursive -m --mirror -p --page-requisites -k --convert-links -K --backup-converted -E "
                + "--adjust-extension -H --span-hosts", singleFiles),
    ]

    private static let aria2: [ForeignOption] = [
        flag(
            "-P --parameterized-uri --auto-file-renaming --auto-file-renaming=true --content-disposition-default-utf8 "
                + "--human-readable --show-console-readout --truncate-console-readout -V --check-integrity --always-resume "
                + "--async-dns --enable-http-keep-alive --enable-http-pipelining --http-accept-gzip=false --optimize-concurrent-downloads "
                + "--reuse-uri --realtime-chunk-checksum --remove-control-file --save-not-found --enable-color --no-netrc "
                + "--allow-piece-length-change --no-file-allocation-limit --http-no-cache -n "
                + "--check-certificate --check-certificate=true --allow-overwrite=false --force-save --enable-mmap"),
        value(
            "-a --file-allocation -k --min-split-size --summary-interval --console-log-level --log-level "
                + "--piece-length --disk-cache --uri-selector --stream-piece-selector "
                + "--server-stat-of --server-stat-if --auto-save-interval --seed-time --seed-ratio --bt-max-peers --download-result --input-file-format "
                + "--dscp --follow-metalink --follow-torrent --metalink-preferred-protocol "
                + "--socket-recv-buffer-size --proxy-method --event-poll"),
        value(
            "--max-file-not-found --retry-wait --save-session --save-session-interval --min-tls-version "
                + "--max-resume-failure-tries", .lacking),
        sameFlag("url-name", "--auto-file-renaming=false"), flag("-Z --force-sequential", .habit(.severalFiles)),
        value("-l --log", log),
        value(
            "--on-download-start --on-download-pause --on-download-stop --on-download-complete --on-download-error "
                + "--on-bt-download-complete", hooks),
        flag(
            "--hash-check-only",
            .nearest([]) {
                tr("Longhaul verifies a file while it downloads, and with --skip-existing checksum before.")
            }
        ),
        same("output", "-o --out"), same("directory", "-d --dir"), same("input-file", "-i --input-file"),
        same("retry", "-m --max-tries"), same("stall-timeout", "-t --timeout"),
        same("connect-timeout", "--connect-timeout"), same("split", "-s --split -x --max-connection-per-server"),
        same("limit-rate", "--max-download-limit --max-upload-limit"), same("header", "--header"),
        same("user-agent", "-U --user-agent"), same("referer", "--referer"), same("checksum", "--checksum"),
        same("proxy", "--all-proxy --http-proxy --https-proxy"), same("noproxy", "--no-proxy"),
        same("cacert", "--ca-certificate"), same("cert", "--certificate"), same("private-key", "--private-key"),
        same("cookie", "--load-cookies"), same("cookie-jar", "--save-cookies"), same("max-time", "--stop"),
        same("metalink", "-M --metalink-file"), sameFlag("overwrite", "--allow-overwrite"),
        sameFlag("quiet", "-q --quiet"), sameFlag("continue", "-c --continue"),
        sameFlag("remote-time", "-R --remote-time"), sameFlag("timestamping", "--conditional-get"),
        sameFlag("detach", "-D --daemon"), sameFlag("insecure", "--check-certificate=false"),
        flag("--dry-run", .part(.head)), flag("--use-head"),
        value("--http-user", .part(.user)), value("--http-passwd", .part(.password)),
        value("-j --max-concurrent-downloads", concurrency), value("--max-overall-download-limit", overallRate),
        value(
            "--lowest-speed-limit",
            .nearest(["--stall-timeout", "30s"]) {
                tr("Longhaul fails an attempt that stalls, and tries again, with --stall-timeout.")
            }),
        value("--conf-path", optionsFile), flag("--no-conf", optionsFile), value("--interface", interface),
        flag("--disable-ipv6", addressFamily),
        flag("--enable-rpc", .nearest([]) { tr("Longhaul runs a service for each user; --json answers programs.") }),
        value(
            "--rpc-listen-port --rpc-secret",
            .nearest([]) {
                tr("Longhaul runs a service for each user; --json answers programs.")
            }),
        value("--torrent-file -T --select-file --index-out", scheme),
    ]
}
