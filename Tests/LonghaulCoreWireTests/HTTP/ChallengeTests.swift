import LonghaulCore
import Testing

struct ChallengeTests {
    private func read(_ fields: String...) -> [Challenge] { Challenge.all(in: fields) }

    @Test func severalInOneFieldAreReadApart() {
        let challenges = read(
            "Negotiate, Digest realm=\"a, b\", qop=\"auth,auth-int\", NONCE = x ,Basic realm=\"c\"", "Bearer")
        #expect(challenges.map(\.scheme) == ["negotiate", "digest", "basic", "bearer"])
        #expect(challenges[1].parameters == ["realm": "a, b", "qop": "auth,auth-int", "nonce": "x"])
        #expect(challenges[2].parameters == ["realm": "c"])
    }

    @Test(arguments: ["Negotiate YIIabc==", "Negotiate a/b=", "Negotiate YIIabcdefghijklmnopq"])
    func aLongWordIsNoScheme(text: String) {
        #expect(read(text + ", Basic realm=\"x\"").map(\.scheme) == ["negotiate", "basic"])
    }

    @Test(arguments: ["", ",", "=", "a=b", "\"", "Digest realm=\"x", "Digest =", "Digest realm==,,", "@Basic"])
    func brokenChallengeEndsReading(text: String) {
        #expect(DigestChallenge(among: read(text)) == nil)
    }

    @Test(arguments: ["SHA-512-256", "MD6"]) func unknownAlgorithmIsNotAnswered(algorithm: String) {
        #expect(DigestChallenge(among: read("Digest realm=\"r\", nonce=\"n\", algorithm=\(algorithm)")) == nil)
        #expect(DigestChallenge(among: read("Digest realm=\"r\", nonce=\"n\", qop=\"auth-int\"")) == nil)
    }

    /// A hash that reveals its input.
    private func answer(_ challenge: String) -> String? {
        DigestChallenge(among: read(challenge))?.answer(
            user: "a\"da", password: "pw", method: "GET", target: "/x?y", count: 26, clientNonce: "c",
            hash: { "<\($0)>" }
        ).value
    }

    @Test func anOldServerIsAnsweredWithoutACount() {
        let value =
            "Digest username=\"a\\\"da\", realm=\"r\", nonce=\"n\", uri=\"/x?y\", response=\"<<a\"da:r:pw>:n:<GET:/x?y>>\""
        #expect(answer("Digest realm=r, nonce=n") == value)
    }

    @Test func digestAnswerContainsEveryParameter() {
        let value = answer("Digest realm=r, nonce=n, opaque=o, qop=auth, algorithm=SHA-256-sess, stale=TRUE") ?? ""
        #expect(value.contains("response=\"<<<a\"da:r:pw>:n:c>:n:0000001a:c:auth:<GET:/x?y>>\""))
        #expect(value.contains("algorithm=SHA-256-sess, opaque=\"o\", qop=auth, nc=0000001a, cnonce=\"c\""))
    }

    @Test func theStrongestIsChosen() {
        let both = read("Digest realm=r, nonce=n, algorithm=MD5", "Digest realm=r, nonce=n, algorithm=SHA-256")
        #expect(DigestChallenge(among: both)?.algorithm == .sha256)
        #expect(DigestChallenge(among: read("Digest realm=r, nonce=n"))?.algorithm == .md5)
    }
}
