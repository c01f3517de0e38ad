// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Apple documents what these are; `Tests/AppleDoubles/sources.md` says where.
// Parts of Foundation on Apple systems beside URLSession, which Linux has only in FoundationNetworking.
@_exported public import Foundation

public struct URLRequest: Equatable, Hashable, Sendable {
    public var url: URL?
    public var httpMethod: String? = "GET"
    public var allHTTPHeaderFields: [String: String]?
    public var timeoutInterval: TimeInterval
    public var allowsCellularAccess = true
    public var allowsExpensiveNetworkAccess = true
    public var allowsConstrainedNetworkAccess = true

    public init(url: URL, timeoutInterval: TimeInterval = 60.0) {
        self.url = url
        self.timeoutInterval = timeoutInterval
    }

    public func value(forHTTPHeaderField field: String) -> String? {
        allHTTPHeaderFields?.first { $0.key.lowercased() == field.lowercased() }?.value
    }

    public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) {
        var fields = allHTTPHeaderFields ?? [:]
        for key in fields.keys where key.lowercased() == field.lowercased() { fields[key] = nil }
        fields[field] = value
        allHTTPHeaderFields = fields
    }

    public mutating func addValue(_ value: String, forHTTPHeaderField field: String) {
        setValue(self.value(forHTTPHeaderField: field).map { "\($0),\(value)" } ?? value, forHTTPHeaderField: field)
    }
}

open class URLResponse: NSObject, @unchecked Sendable {
    public let url: URL?
    public let expectedContentLength: Int64

    init(url: URL?, length: Int64) {
        self.url = url
        expectedContentLength = length
    }
}

open class HTTPURLResponse: URLResponse, @unchecked Sendable {
    public let statusCode: Int
    /// Values of headers with the same name are joined with a comma.
    public let allHeaderFields: [AnyHashable: Any]

    public init?(url: URL, statusCode: Int, httpVersion HTTPVersion: String?, headerFields: [String: String]?) {
        self.statusCode = statusCode
        allHeaderFields = headerFields ?? [:]
        super.init(url: url, length: headerFields?["Content-Length"].flatMap { Int64($0) } ?? -1)
    }
}

public let NSURLSessionDownloadTaskResumeData = "NSURLSessionDownloadTaskResumeData"
public let NSURLSessionUploadTaskResumeData = "NSURLSessionUploadTaskResumeData"
public let NSURLSessionTransferSizeUnknown: Int64 = -1
