public import LonghaulCore

/// What a server of a test answers to one request.
///
/// ```swift
/// world.server.answer("https://example.org/film.mp4", with: .file(film).breaking(after: 1_000), .file(film))
/// ```
public struct TestAnswer: Equatable, Sendable {
    enum Course: Equatable, Sendable {
        case whole
        case breaks(after: Int)
        case held(after: Int)
    }

    enum Content: Equatable, Sendable {
        case response(status: Int, headers: [HeaderField], body: [UInt8])
        /// A whole file, or the part of it that is asked for.
        case file([UInt8], entityTag: String)
        case failure(FailureCode)
    }

    let content: Content
    var course = Course.whole

    /// A response as it is.
    public static func status(
        _ status: Int, headers: [HeaderField] = [], body: [UInt8] = []
    ) -> TestAnswer {
        TestAnswer(content: .response(status: status, headers: headers, body: body))
    }

    /// A file, or the part of it that the request asks for: so a download that was interrupted goes on. Another `version` is another
    /// file, which is never joined to the first.
    public static func file(_ content: [UInt8], version: String = "1") -> TestAnswer {
        TestAnswer(content: .file(content, entityTag: "\"\(version)\""))
    }

    /// No response: the exchange ends with this failure, such as `connectionRefused` or `hostNotFound`.
    public static func failure(_ code: FailureCode) -> TestAnswer {
        TestAnswer(content: .failure(code))
    }

    /// The same, but the connection is lost when so many bytes of the body have come.
    public func breaking(after count: Int) -> TestAnswer { with(.breaks(after: count)) }

    /// The same, but it stands still when so many bytes of the body have come, until ``TestServer/goOn()``; with 0 the whole
    /// response is held back.
    public func held(after count: Int = 0) -> TestAnswer { with(.held(after: count)) }

    private func with(_ course: Course) -> TestAnswer {
        var answer = self
        answer.course = course
        return answer
    }
}

/// A request as a server of a test has received it.
public struct TestRequest: Equatable, Sendable {
    /// The HTTP method.
    public let method: String
    /// The absolute URL.
    public let url: String
    /// The fields as they were asked for; a real connection adds those that concern itself.
    public let headers: [HeaderField]
    /// The body, whole.
    public let body: [UInt8]
    /// When it came, by the world's clock.
    public let date: WallTime

    /// The value of a field; `nil` when it is not there.
    public func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
