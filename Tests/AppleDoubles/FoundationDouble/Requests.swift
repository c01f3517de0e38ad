// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Apple documents what these are, on the page that each `Source` names.
// Parts of Foundation on Apple systems beside URLSession, which Linux has only in FoundationNetworking.
@_exported public import Foundation

// Source: foundation/urlrequest
@available(macOS 10.10, iOS 8.0, *)
public struct URLRequest: Equatable, Hashable, Sendable {
    // Source: foundation/urlrequest/url, foundation/urlrequest/httpmethod, foundation/urlrequest/allhttpheaderfields
    // Source: foundation/urlrequest/timeoutinterval, foundation/urlrequest/allowscellularaccess
    // Source: foundation/urlrequest/allowsexpensivenetworkaccess, foundation/urlrequest/allowsconstrainednetworkaccess
    public var url: URL?
    public var httpMethod: String? = "GET"
    // Source: foundation/urlrequest/httpbody, foundation/urlrequest/httpbodystream
    public var httpBody: Data?
    public nonisolated(unsafe) var httpBodyStream: InputStream?
    public var allHTTPHeaderFields: [String: String]?
    public var timeoutInterval: TimeInterval
    public var allowsCellularAccess = true
    @available(macOS 10.15, iOS 13.0, *)
    public var allowsExpensiveNetworkAccess = true
    @available(macOS 10.15, iOS 13.0, *)
    public var allowsConstrainedNetworkAccess = true

    // It has a cache policy as well, with a default.
    // Source: foundation/urlrequest/init(url:cachepolicy:timeoutinterval:)
    public init(url: URL, timeoutInterval: TimeInterval = 60.0) {
        self.url = url
        self.timeoutInterval = timeoutInterval
    }

    // Source: foundation/urlrequest/value(forhttpheaderfield:)
    public func value(forHTTPHeaderField field: String) -> String? {
        allHTTPHeaderFields?.first { $0.key.lowercased() == field.lowercased() }?.value
    }

    // Source: foundation/urlrequest/setvalue(_:forhttpheaderfield:)
    public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) {
        var fields = allHTTPHeaderFields ?? [:]
        for key in fields.keys where key.lowercased() == field.lowercased() { fields[key] = nil }
        fields[field] = value
        allHTTPHeaderFields = fields
    }

    // Source: foundation/urlrequest/addvalue(_:forhttpheaderfield:)
    public mutating func addValue(_ value: String, forHTTPHeaderField field: String) {
        setValue(self.value(forHTTPHeaderField: field).map { "\($0),\(value)" } ?? value, forHTTPHeaderField: field)
    }
}

// Source: foundation/nsurlrequest
@available(macOS 10.2, iOS 2.0, *)
open class NSURLRequest: NSObject {
    // Source: foundation/nsurlrequest/cachepolicy-swift.enum
    public enum CachePolicy: UInt, Sendable {
        case useProtocolCachePolicy = 0
        case reloadIgnoringLocalCacheData = 1
    }
}

// Source: foundation/urlcache
@available(macOS 10.2, iOS 2.0, *)
open class URLCache: NSObject, @unchecked Sendable {
    // Source: foundation/urlcache/shared
    open class var shared: URLCache { URLCache() }
}

// Source: foundation/httpcookiestorage
@available(macOS 10.2, iOS 2.0, *)
open class HTTPCookieStorage: NSObject, @unchecked Sendable {
    // Source: foundation/httpcookiestorage/shared
    open class var shared: HTTPCookieStorage { HTTPCookieStorage() }
}

// Source: foundation/urlresponse
@available(macOS 10.2, iOS 2.0, *)
open class URLResponse: NSObject, @unchecked Sendable {
    // Source: foundation/urlresponse/url, foundation/urlresponse/expectedcontentlength
    public let url: URL?
    public let expectedContentLength: Int64

    init(url: URL?, length: Int64) {
        self.url = url
        expectedContentLength = length
    }
}

// Source: foundation/httpurlresponse
@available(macOS 10.2, iOS 2.0, *)
open class HTTPURLResponse: URLResponse, @unchecked Sendable {
    // Source: foundation/httpurlresponse/statuscode, foundation/httpurlresponse/allheaderfields
    public let statusCode: Int
    /// Values of headers with the same name are joined with a comma.
    public let allHeaderFields: [AnyHashable: Any]

    // Source: foundation/httpurlresponse/init(url:statuscode:httpversion:headerfields:)
    @available(macOS 10.7, iOS 5.0, *)
    public init?(url: URL, statusCode: Int, httpVersion HTTPVersion: String?, headerFields: [String: String]?) {
        self.statusCode = statusCode
        allHeaderFields = headerFields ?? [:]
        super.init(url: url, length: headerFields?["Content-Length"].flatMap { Int64($0) } ?? -1)
    }
}

// Source: foundation/nsurlsessiondownloadtaskresumedata, foundation/nsurlsessiontransfersizeunknown
@available(macOS 10.9, iOS 7.0, *)
public let NSURLSessionDownloadTaskResumeData = "NSURLSessionDownloadTaskResumeData"
// Source: foundation/nsurlsessionuploadtaskresumedata
@available(macOS 14.0, iOS 17.0, *)
public let NSURLSessionUploadTaskResumeData = "NSURLSessionUploadTaskResumeData"
@available(macOS 10.9, iOS 7.0, *)
public let NSURLSessionTransferSizeUnknown: Int64 = -1
