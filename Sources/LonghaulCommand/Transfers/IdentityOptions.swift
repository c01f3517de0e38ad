import LonghaulCore
import LonghaulSystem

/// Options for authentication, certificates, and cookies.
extension Option {
    static let digest = Option("digest", nil, "Use Digest authentication with the password")
    static let negotiate = Option("negotiate", nil, "Log in with your Kerberos ticket (Negotiate)")
    static let anyAuth = Option("anyauth", nil, "Use the authentication scheme that the server requests")
    static let certificate = Option(
        "cert", "E", value: "FILE[:PASSWORD]", "Present a client certificate: PEM, PKCS#12, or a pkcs11: URI")
    static let privateKey = Option(
        "private-key", value: "FILE", "Read the private key for --cert from FILE")
    static let pass = Option("pass", value: "PASSWORD", "Decrypt the private key with PASSWORD; - prompts for it")
    static let pins = Option(
        "pinnedpubkey", value: "sha256//KEY|FILE", "Require this public key of the server, or the one in FILE")
    static let cookie = Option(
        "cookie", value: "NAME=VALUE|FILE", "Send a cookie, or those in a Netscape cookie file")
    static let cookieJar = Option("cookie-jar", value: "FILE", "Read cookies from FILE and save new ones there")
    static let sessionCookies = Option(
        "session-cookies", nil, "Share cookies among the session's transfers with this option")
    static let proxyUser = Option(
        "proxy-user", "U", value: "USER[:PASSWORD]", "Log in to the proxy; prompts for a missing password")
    static let proxyCAFile = Option(
        "proxy-cacert", value: "FILE", "Trust the authorities in FILE for an HTTPS proxy")
}

enum IdentityOptions {
    /// Applies the options to `network`. Returns the headers for them.
    static func read(
        _ arguments: Arguments, _ world: World, into network: inout NetworkOptions
    ) throws(TransferFailure) -> [HeaderField] {
        network.authentication = try authentication(arguments)
        network.clientCertificate = try certificate(arguments, world)
        if let pins = arguments.value(.pins) { network.pinnedPublicKeys = try self.pins(pins, world) }
        if arguments.has(.cookieJar), arguments.has(.sessionCookies) {
            throw .usage("Choose one of --cookie-jar and --session-cookies.")
        }
        network.cookieJar = arguments.value(.cookieJar).map(world.absolute)
        network.keepsCookiesWithSession = arguments.has(.sessionCookies)
        if let path = arguments.value(.proxyCAFile) { network.proxyCAFile = try readable(path, world) }
        if let user = arguments.value(.proxyUser) { try useProxy(as: user, world, &network) }
        let headers = try cookies(arguments, world, &network)
        try LocalPaths.check(network)
        return headers
    }

    /// Returns the file of authorities: that of `--cacert`, or the one that the environment names, in curl's order. With `-k`, curl
    /// does not read the variables either.
    static func authorities(_ arguments: Arguments, _ world: World) throws(TransferFailure) -> String? {
        if let file = arguments.value(.caFile) { return world.absolute(file) }
        guard !arguments.has(.insecure) else { return nil }
        for variable in ["CURL_CA_BUNDLE", "SSL_CERT_FILE"] {
            guard let value = world.environment[variable], !value.isEmpty else { continue }
            var network = NetworkOptions()
            network.caFile = world.absolute(value)
            do throws(TransferFailure) {
                try LocalPaths.check(network)
            } catch {
                var failure = error
                failure.summary += " " + tr("\(variable) names this file: correct the variable, or unset it.")
                throw failure
            }
            return network.caFile
        }
        return nil
    }

    private static func authentication(_ arguments: Arguments) throws(TransferFailure) -> HTTPAuthentication {
        let given = [Option.digest, .negotiate, .anyAuth].filter(arguments.has)
        guard given.count <= 1 else { throw .usage("Choose one of --digest, --negotiate, and --anyauth.") }
        if arguments.has(.digest), ![Option.user, .netrc, .credential].contains(where: arguments.has) {
            throw .usage("--digest needs a name and a password: -u USER, -n, or --credential.")
        }
        return arguments.has(.digest)
            ? .digest : arguments.has(.negotiate) ? .negotiate : arguments.has(.anyAuth) ? .any : .preemptive
    }

    private static func certificate(
        _ arguments: Arguments, _ world: World
    ) throws(TransferFailure) -> ClientCertificate? {
        guard let text = arguments.value(.certificate) else {
            for option in [Option.privateKey, .pass] where arguments.has(option) {
                throw .usage("--\(option.long) needs --cert.")
            }
            return nil
        }
        // curl's --key is --private-key here.
        if let key = arguments.value(.key), !arguments.has(.privateKey), LocalFiles.exists(world.absolute(key)) {
            throw .usage("--key names the transfer. To read the private key from \(key), use --private-key.")
        }
        var certificate = ClientCertificate(certificate: text)
        // A URI contains colons.
        if !text.isToken, !LocalFiles.exists(world.absolute(text)) {
            let parts = certificateParts(text, world)
            (certificate.certificate, certificate.password) = (parts.name, parts.secret)
        }
        certificate.certificate = try readable(certificate.certificate, world)
        if let key = arguments.value(.privateKey) { certificate.key = try readable(key, world) }
        if let pass = arguments.value(.pass) {
            certificate.password = pass == "-" ? try world.promptPassword(tr("Password of the key: ")) : pass
        }
        return certificate
    }

    /// Splits at the first colon, as curl does. If only a longer name is a file, that name contains colons.
    private static func certificateParts(_ text: String, _ world: World) -> LoginText {
        let colons = text.utf8.indices.filter { text.utf8[$0] == UInt8(ascii: ":") }
        let afterFile = colons.first { colon in
            let path = world.absolute(String(text[..<colon]))
            return LocalFiles.exists(path) && !LocalFiles.isDirectory(path)
        }
        return LoginText(text, colon: afterFile ?? colons.first)
    }

    private static func readable(_ path: String, _ world: World) throws(TransferFailure) -> String {
        if path.isToken { return path }
        let path = world.absolute(path)
        try LocalPaths.checkReadable(path)
        return path
    }

    private static func pins(_ text: String, _ world: World) throws(TransferFailure) -> String {
        text.hasPrefix("sha256//") ? text : try readable(text, world)
    }

    /// As with curl, what has no equals sign is a file.
    private static func cookies(
        _ arguments: Arguments, _ world: World, _ network: inout NetworkOptions
    ) throws(TransferFailure) -> [HeaderField] {
        var pairs: [String] = []
        for text in arguments.values(.cookie) {
            if text.contains("=") {
                pairs.append(text)
            } else {
                guard network.cookieFile == nil else { throw .usage("--cookie takes only one file.") }
                network.cookieFile = try readable(text, world)
            }
        }
        return pairs.isEmpty ? [] : [try LocalCheck.header("Cookie", pairs.joined(separator: "; "))]
    }

    /// The proxy's credentials belong to its URL, wherever that comes from.
    private static func useProxy(
        as user: String, _ world: World, _ network: inout NetworkOptions
    ) throws(TransferFailure) {
        guard network.proxySource == nil else {
            throw .usage("--proxy-user needs a named proxy; the desktop's settings and proxy scripts name their own.")
        }
        let given = LoginText(user)
        let password = try given.password(world, prompt: tr("Password for the proxy: "))
        // A name is encoded as a segment of a path is.
        let login = PercentCoding.segment(given.name) + ":" + PercentCoding.segment(password) + "@"
        func added(to proxy: String) -> String {
            guard !proxy.isEmpty else { return "" }
            let parts = proxy.split(separator: "://", maxSplits: 1).map(String.init)
            let host = (parts.last ?? "").split(separator: "@").last.map(String.init) ?? ""
            return (parts.count == 2 ? parts[0] : "http") + "://" + login + host
        }
        var variables = network.variables ?? ProxyVariables()
        network.proxy = network.proxy.map(added)
        variables.http = added(to: variables.http)
        variables.https = added(to: variables.https)
        network.variables = variables
        let isUsed = network.proxy != nil || !variables.http.isEmpty || !variables.https.isEmpty
        guard isUsed else {
            throw .usage("--proxy-user needs a proxy from --proxy URL or variables such as http_proxy.")
        }
    }
}
