import CCurl
import LonghaulCore
import LonghaulFiles
import LonghaulSystem

/// The identity that a server sees: headers, responses to its challenges, a certificate, and cookies.
///
/// Secrets are sent only to the origin that they were given for. After a redirect to another origin, they are dropped
/// for good.
struct ExchangeIdentity {
    private(set) var headers: [HeaderField]
    /// The cookie jar; `nil` if there is none.
    let cookies: CookieJar?
    private let network: NetworkOptions
    private var isElsewhere = false
    private var digest: DigestChallenge?
    private var negotiates = false
    /// Whether the user of this process has no ticket for the requested scheme.
    private(set) var lacksTicket = false
    private var sendsPassword: Bool
    /// The number of responses to challenges. The second one is for a stale nonce.
    private var answers = 0
    /// The number of requests with a response to the current challenge.
    private var uses = 0

    init(_ plan: ExchangePlan, cookies: CookieJar?) {
        headers = plan.headers
        network = plan.network
        sendsPassword = plan.network.authentication == .preemptive
        self.cookies = cookies
    }

    mutating func leaveOrigin() {
        isElsewhere = true
        headers.removeAll(where: \.isSecret)
    }

    /// Starts an additional connection at the first exchange's redirect target. On another origin, it presents no
    /// certificate and responds to no challenge.
    mutating func stayAway(with first: ExchangeIdentity) { isElsewhere = first.isElsewhere }

    /// Starts an additional connection at the transfer's own URL again.
    mutating func returnToOrigin() { isElsewhere = false }

    mutating func dropBody() { headers.removeAll { $0.name.lowercased().hasPrefix("content-") } }

    /// Returns the headers of the next request.
    mutating func fields(method: String, url: TransferURL) -> [HeaderField] {
        var fields = headers
        if cookies != nil { fields.removeAll { $0.isNamed("Cookie") } }
        guard !sendsPassword, let login = login(url) else { return fields }
        fields.removeAll(where: Self.isBasic)
        guard let digest, !isElsewhere else { return fields }
        let nonce = Self.clientNonce()
        uses += 1
        let target = url.path + (url.query.map { "?" + $0 } ?? "")
        let answer = digest.answer(
            user: login.user, password: login.password, method: method, target: target, count: uses,
            clientNonce: nonce, hash: { Self.hash($0, digest.algorithm) })
        return fields + [answer]
    }

    /// Processes a challenge. Returns `false` if there is no response to it, or if the last response was wrong.
    mutating func takeChallenge(of head: ResponseHead, from url: TransferURL) -> Bool {
        guard head.status == 401, network.authentication != .preemptive, !isElsewhere else { return false }
        let challenges = Challenge.all(in: head.headers.all("WWW-Authenticate"))
        let wanted = network.authentication
        if wanted != .digest, answers == 0, challenges.contains(where: { $0.scheme == "negotiate" }),
            LibcurlFeature.mayHaveTicket, wanted == .negotiate || login(url) == nil
        {
            negotiates = true
        } else if wanted != .negotiate, login(url) != nil, let asked = DigestChallenge(among: challenges),
            digest == nil || asked.isStale && answers < 3
        {
            digest = asked
            uses = 0
        } else if wanted == .any, answers == 0, login(url) != nil,
            challenges.contains(where: { $0.scheme == "basic" })
        {
            sendsPassword = true
        } else {
            lacksTicket =
                wanted == .negotiate && !negotiates && LibcurlFeature.negotiates
                && challenges.contains { $0.scheme == "negotiate" }
            return false
        }
        answers += 1
        return true
    }

    /// Returns the identity of the connections that the next request may use.
    func ofConnection(to url: TransferURL, _ connecting: NetworkOptions) -> ConnectionIdentity {
        var identity = ConnectionIdentity()
        if let proxy = connecting.proxy(for: url.scheme), proxy.contains("@") { identity.proxy = proxy }
        guard !isElsewhere else { return identity }
        identity.negotiates = negotiates
        guard url.scheme == "https", let certificate = network.clientCertificate else { return identity }
        (identity.certificate, identity.key) = (certificate.certificate, certificate.key)
        identity.password = certificate.password
        return identity
    }

    /// Sets libcurl's options for authentication, certificates, and cookies.
    func setUp(_ easy: EasyHandle, scheme: String) throws(TransferFailure) {
        if let authorities = network.proxyCAFile {
            easy.set(CURLOPT_PROXY_CAINFO, authorities)
            // libcurl 7.88 compares this option before it reuses a connection with a proxy.
            if scheme == "http" { easy.set(CURLOPT_CAINFO, authorities) }
        }
        if let pins = network.pinnedPublicKeys { easy.set(CURLOPT_PINNEDPUBLICKEY, pins) }
        cookies?.prepare(easy)
        // A separate Cookie header would be sent beside that of the jar.
        let cookie = cookies == nil ? [] : headers.all("Cookie")
        if !cookie.isEmpty { easy.set(CURLOPT_COOKIE, cookie.joined(separator: "; ")) }
        // libcurl would send the password of a URL unencrypted.
        if !sendsPassword { easy.set(CURLOPT_HTTPAUTH, Self.noAuthentication) }
        guard !isElsewhere else { return }
        if negotiates {
            easy.set(CURLOPT_HTTPAUTH, Self.negotiation)
            // The ticket names the user, but libcurl requires a name too.
            easy.set(CURLOPT_USERPWD, ":")
        }
        guard let certificate = network.clientCertificate else { return }
        let forms = certificate.forms
        easy.set(CURLOPT_SSLCERT, try TokenPIN.moved(outOf: certificate.certificate))
        easy.set(CURLOPT_SSLCERTTYPE, forms.certificate)
        if let key = certificate.key {
            easy.set(CURLOPT_SSLKEY, try TokenPIN.moved(outOf: key))
            easy.set(CURLOPT_SSLKEYTYPE, forms.key)
        }
        // Set even if empty: OpenSSL would prompt for it on a terminal and wait.
        easy.set(CURLOPT_KEYPASSWD, certificate.password ?? "")
    }

    /// Returns the user name and the password, from the header or the URL.
    private func login(_ url: TransferURL) -> (user: String, password: String)? {
        let field = headers.first(where: Self.isBasic)
        guard let pair = field.flatMap({ Base64.decode($0.value.dropFirst(6)) }) ?? url.login else { return nil }
        let name = pair.prefix { $0 != UInt8(ascii: ":") }
        return (
            String(decoding: name, as: UTF8.self), String(decoding: pair.dropFirst(name.count + 1), as: UTF8.self)
        )
    }

    private static func isBasic(_ field: HeaderField) -> Bool {
        field.isNamed("Authorization") && field.value.prefix(6).lowercased() == "basic "
    }

    static func hash(_ text: String, _ algorithm: Digest.Algorithm) -> String {
        guard let digest = StreamDigest([algorithm]) else { preconditionFailure("libcrypto has MD5 and SHA-256.") }
        var text = text
        text.withUTF8 { digest.update(UnsafeRawBufferPointer($0)) }
        return digest.finish()[0].hexText
    }

    static func clientNonce() -> String { String(chance.draw(), radix: 16) + String(chance.draw(), radix: 16) }

    private static let chance = Chance()
    // CURLAUTH_NONE and CURLAUTH_NEGOTIATE, which Swift does not import.
    private static let noAuthentication = 0
    private static let negotiation = 4
}
