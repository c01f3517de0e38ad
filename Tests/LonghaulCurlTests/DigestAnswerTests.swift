import LonghaulCore
import Testing

@testable import LonghaulCurl

struct DigestAnswerTests {
    /// The example of RFC 7616, section 3.9.1.
    @Test(arguments: [
        ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
        ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
    ])
    func theAnswerIsThatOfTheSpecification(algorithm: String, response: String) throws {
        let text = """
            Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=\(algorithm), \
            nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
            """
        let challenge = try #require(DigestChallenge(among: Challenge.all(in: [text])))
        let answer = challenge.answer(
            user: "Mufasa", password: "Circle of Life", method: "GET", target: "/dir/index.html", count: 1,
            clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ",
            hash: { ExchangeIdentity.hash($0, challenge.algorithm) })
        #expect(answer.value.contains("response=\"\(response)\"") && answer.isSecret)
    }
}
