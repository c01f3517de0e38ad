/// The groups of the options that every command for starting transfers has.
extension OptionGroup {
    static let transfer: [OptionGroup] = [request, login, certificates, limits, conditions, queue, output]

    private static let request = OptionGroup(
        "Request", [.header, .userAgent, .referer, .idempotencyKey, .maxRedirects, .http3, .altSvc],
        notes: [
            "HTTP/3 is off by default, because long bodies take more CPU time over it. `--http3` tries it on every new "
                + "connection. `--alt-svc` uses it with servers that announced it (`Alt-Svc`) to an earlier transfer of "
                + "the session. If the network blocks UDP, the transfer falls back to HTTP/2 or HTTP/1.1 in the same "
                + "attempt, and Longhaul does not try HTTP/3 with the server for five minutes. Without HTTP/3 in "
                + "libcurl, both options have no effect; `longhaul doctor` reports whether libcurl has it."
        ],
        examples: [
            .init("-H 'Accept-Language: ko'", "Send a request header"),
            .init("-H 'Accept:'", "Send no header of this name"),
        ])

    private static let login = OptionGroup(
        "Login and cookies",
        [.user, .netrc, .credential, .digest, .negotiate, .anyAuth, .cookie, .cookieJar, .sessionCookies],
        notes: [
            "With `-u ada:secret`, other users can see the password in the process list for a moment. `-n` looks up the "
                + "host of the URL in `~/.netrc`. With `--credential`, the transfer stores no secret. A refused transfer "
                + "(401) keeps its bytes: `longhaul retry ID -u ada` resumes it.",
            "By default, Longhaul sends the password with each request (Basic authentication). `--digest` answers the "
                + "server's challenge with a digest (MD5 or SHA-256). `--negotiate` presents the Kerberos ticket of the "
                + "service's user, for downloads and requests without a body. A ticket cache elsewhere must be named by "
                + "`KRB5CCNAME` in the service's environment. `--anyauth` uses the scheme that the server requires. NTLM "
                + "is not supported.",
            "A cookie file has the Netscape format, as written by curl, wget, and browser extensions. `longhaul session` "
                + "shows the jar of `--session-cookies`, and `longhaul session --clear-cookies` deletes it. A jar is "
                + "replaced as a whole, and only its owner can read it; a symbolic link stays. If the cookies cannot be "
                + "saved, the transfer fails. Cookies of a file or a jar follow their own domains.",
            "Other secrets, including the client certificate, are sent only to the origin of the transfer's URL. A "
                + "redirect to another origin drops them.",
        ],
        examples: [
            .init("-u ada", "Log in; prompts for the password"),
            .init("--cookie cookies.txt", "Send the cookies of a browser"),
        ])

    private static let certificates = OptionGroup(
        "Certificates and proxies",
        [
            .caFile, .insecure, .pins, .certificate, .privateKey, .pass, .proxy, .proxyUser, .proxyCAFile, .noProxy,
        ],
        notes: [
            "If a certificate is not trusted, the transfer fails with `certificateRejected` before Longhaul sends any "
                + "part of the request. `longhaul trust` shows the certificate, and accepts its key. `--pinnedpubkey` "
                + "takes hashes of the server's public key, or a file with the key. Any other key fails, even if its "
                + "certificate is valid.",
            "Without `--cacert`, `CURL_CA_BUNDLE` or otherwise `SSL_CERT_FILE` in the environment of the command names the "
                + "file of authorities, as with curl. Longhaul stores its path with the transfer.",
            "`--cert` takes a PEM file, a PKCS#12 file (a name that ends in `.p12` or `.pfx`), or a `pkcs11:` URI if "
                + "libcurl's OpenSSL has the engine (Debian: `libengine-pkcs11-openssl`). To decrypt the key, append the "
                + "password after a colon, or use `--pass`. The service's environment names the token's module "
                + "(`PKCS11_MODULE_PATH`). The PIN of a token is the `pin-value` of the URI, at most 31 "
                + "bytes. `--key` is the name of the transfer, not a key file.",
            "Without `-x`, the environment of the command names the proxy, as with curl: `http_proxy` for `http`, "
                + "`https_proxy` or `HTTPS_PROXY` for `https`, and then `all_proxy` or `ALL_PROXY`. `--noproxy`, or "
                + "otherwise `no_proxy` or `NO_PROXY`, lists the hosts that need no proxy. Longhaul stores these settings "
                + "with the transfer, so they apply after a restart too.",
            "A proxy URL starts with `http` (the default), `https` (TLS to the proxy), `socks5h` (SOCKS 5 with name "
                + "resolution by the proxy), `socks5`, `socks4a`, or `socks4`. `-x ''` uses no proxy. Put the user name "
                + "and password in the URL, or pass `-U`. Longhaul never shows them in lists, logs, or errors. It "
                + "uses Basic authentication with an HTTP proxy, or Digest or Negotiate if the proxy offers no other. "
                + "`--cacert` and `-k` apply to the server, and `--proxy-cacert` to the proxy.",
            "`-x system` uses the desktop's settings (`org.gnome.system.proxy`). `-x pac+FILE` and `-x pac+URL` use a "
                + "proxy auto-configuration script. Longhaul evaluates them before each exchange, for the server of "
                + "that exchange, and caches an answer for one minute. `duk` (package `duktape`) runs the script. The "
                + "script cannot read files or start programs, ends after five seconds, and receives the server's "
                + "name but not the path. If a proxy of its answer cannot be reached, the same attempt uses the next one.",
        ],
        examples: [
            .init("-x socks5h://proxy.example.org:1080", "Use a SOCKS 5 proxy, which also resolves the name"),
            .init("--cert client.pem", "Present a client certificate"),
        ])

    private static let limits = OptionGroup(
        "Limits and retries",
        [.limitRate, .retry, .maxTime, .giveUpAfter, .connectTimeout, .responseTimeout, .stallTimeout],
        notes: [
            "After a lost connection, or status 408, 425, 429, or most of 5xx, Longhaul retries automatically: within a "
                + "second, then after longer and longer waits, up to N times in a row without a new byte. Ten retries "
                + "take about seven minutes; `--retry 0` fails at the first error. If no host has the name in the URL, a "
                + "command that waits fails after two retries, unless you pass `--retry`.",
            "`--connect-timeout` covers name resolution, TCP, TLS, and a proxy's tunnel. `--response-timeout` counts "
                + "from the last byte of the request to the first byte of the response; a provisional response (1xx) "
                + "restarts it. `--stall-timeout` counts while a body moves in neither direction. A pause by a rate "
                + "limit, a budget, or a full disk does not count. The failure (`timedOut`) names the limit. Longhaul "
                + "then retries, unless the request must not be sent twice and its body had been sent: then the transfer "
                + "ends with `outcomeUnknown`.",
            "In every phase, a connection ends if the peer acknowledges nothing for about two minutes. TCP ends at a "
                + "proxy: if a server behind it dies, the proxy reports that (502, 504), or the limits above apply.",
            "`--max-time` and `--give-up-after` apply across all attempts.",
        ],
        examples: [
            .init("--limit-rate 2M --give-up-after 1h", "Limit the speed, and fail after an hour without progress")
        ])

    static let conditions = OptionGroup(
        "Conditions",
        [
            .between, .noMetered, .noRoaming, .link, .onPower, .leastBattery, .whenIdle, .whenConvenient, .yielding,
        ],
        notes: [
            "A transfer that waits for a condition resumes automatically. `longhaul rules` sets conditions for all "
                + "transfers of a session, in addition, and `longhaul anyway` runs a transfer regardless of conditions. "
                + "A condition that no service of the machine reports is unknown, and delays nothing.",
            "`--when-convenient` waits for an unmetered network, and for external power or a charged battery. All other "
                + "transfers go first.",
        ],
        examples: [.init("--no-metered --between 22:00-06:00", "Transfer at night, over unmetered networks only")])

    private static let queue = OptionGroup(
        "Queue", [.detach, .notBefore, .after, .afterAny, .priority, .group, .key, .ifKeyExists, .session],
        notes: [
            "If the predecessor of `--after` fails or is cancelled, the transfer fails too (`predecessorFailed`), and so "
                + "do those after it; `longhaul retry` starts it regardless. The predecessor must exist. If it has "
                + "succeeded already, the transfer does not wait; if it has failed already, the command is refused.",
            "With `--key`, the command joins the transfer of that name even if the transfer has ended. It prints the "
                + "path of a finished file at once. The URL, method, body, and destination must be the same. Otherwise "
                + "the command exits with 13 (`keyTaken`), names the difference, and starts nothing.",
            "A failed or cancelled transfer with the key starts again from its last synced offset, with its own "
                + "`Idempotency-Key`, so a script can repeat the same line until it succeeds. If its source file has "
                + "changed, a new transfer takes the name. A transfer with an unknown outcome fails in the same way until "
                + "`longhaul retry` sends it again. `--if-key-exists replace` cancels the existing transfer and starts "
                + "another one.",
        ],
        examples: [
            .init("-b --not-before 23:00", "Start tonight, in the background"),
            .init("--key nightly", "Join the transfer with this name, even if it has ended"),
        ])

    private static let output = OptionGroup(
        "Output", [.quiet, .verbose, .json, .notify],
        notes: [
            "`-v` prints headers as they are sent and received, including those of redirects, further connections, and "
                + "failed attempts. `longhaul history` prints them again. Longhaul omits the values of secret headers, and "
                + "query strings, which carry the secrets of signed URLs."
        ],
        examples: [.init("-v", "Print request and response headers")])
}
