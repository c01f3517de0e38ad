public import LonghaulCore

/// The response of a ``TestServer`` to one request.
///
/// ```swift
/// world.server.answer("https://example.org/film.mp4", with: .file(film).breaking(after: 1_000), .file(film))
/// ```
public struct TestAnswer: Equatable, Sendable {
    enum Delivery: Equatable, Sendable {
        case whole
        case breaks(after: Int)
        case held(after: Int)
    }

    enum Content: Equatable, Sendable {
        case response(status: Int, headers: [HeaderField], body: [UInt8])
        /// A whole file, or the byte range that the request names.
        case file([UInt8], entityTag: String)
        case failure(FailureCode)
    }

    let content: Content
    var course = Delivery.whole

    /// Returns a complete response.
    public static func status(
        _ status: Int, headers: [HeaderField] = [], body: [UInt8] = []
    ) -> TestAnswer {
        TestAnswer(content: .response(status: status, headers: headers, body: body))
    }

    /// Returns a file, or the byte range that the request names, so an interrupted download resumes. A different `version` is a
    /// different file: the download restarts.
    public static func file(_ content: [UInt8], version: String = "1") -> TestAnswer {
        TestAnswer(content: .file(content, entityTag: "\"\(version)\""))
    }

    /// Returns a failure in place of a response, such as `connectionRefused` or `hostNotFound`.
    public static func failure(_ code: TransferFailure.Code) -> TestAnswer {
        TestAnswer(content: .failure(code))
    }

    /// Returns the same response, whose connection breaks after `count` bytes of the body.
    public func breaking(after count: Int) -> TestAnswer { with(.breaks(after: count)) }

    /// Returns the same response, which stalls after `count` bytes of the body until ``TestServer/release()``. With 0, the whole
    /// response is held back.
    public func held(after count: Int = 0) -> TestAnswer { with(.held(after: count)) }

    private func with(_ course: Delivery) -> TestAnswer {
        var answer = self
        answer.course = course
        return answer
    }
}

/// A request that a ``TestServer`` received.
public struct TestRequest: Equatable, Sendable {
    /// The HTTP method.
    public let method: String
    /// The absolute URL.
    public let url: String
    /// The request's header fields, without those that a real connection adds.
    public let headers: [HeaderField]
    /// The whole body.
    public let body: [UInt8]
    /// When the request arrived, by the world's clock.
    public let date: WallTime

    /// Returns the value of a header field, or `nil` if the request has none of this name.
    public func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
