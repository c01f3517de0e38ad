// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Apple documents what these are; `Tests/AppleDoubles/sources.md` says where.
open class URLSessionConfiguration: NSObject, @unchecked Sendable {
    public internal(set) var identifier: String?
    open var isDiscretionary = false
    open var sessionSendsLaunchEvents = false
    open var sharedContainerIdentifier: String?
    open var waitsForConnectivity = false
    open var allowsCellularAccess = true
    open var allowsExpensiveNetworkAccess = true
    open var allowsConstrainedNetworkAccess = true
    open var timeoutIntervalForResource: TimeInterval = 604_800
    open var httpMaximumConnectionsPerHost = 6
    open var httpShouldSetCookies = true

    open class var `default`: URLSessionConfiguration { URLSessionConfiguration() }

    open class func background(withIdentifier identifier: String) -> URLSessionConfiguration {
        precondition(!identifier.isEmpty, "a background session needs an identifier")
        let configuration = URLSessionConfiguration()
        configuration.identifier = identifier
        configuration.sessionSendsLaunchEvents = true
        return configuration
    }

    /// Double only: a session copies its configuration; later edits have no effect.
    func copied() -> URLSessionConfiguration {
        let copy = URLSessionConfiguration()
        copy.identifier = identifier
        copy.isDiscretionary = isDiscretionary
        copy.sessionSendsLaunchEvents = sessionSendsLaunchEvents
        copy.sharedContainerIdentifier = sharedContainerIdentifier
        copy.waitsForConnectivity = waitsForConnectivity
        copy.allowsCellularAccess = allowsCellularAccess
        copy.allowsExpensiveNetworkAccess = allowsExpensiveNetworkAccess
        copy.allowsConstrainedNetworkAccess = allowsConstrainedNetworkAccess
        copy.timeoutIntervalForResource = timeoutIntervalForResource
        copy.httpMaximumConnectionsPerHost = httpMaximumConnectionsPerHost
        copy.httpShouldSetCookies = httpShouldSetCookies
        return copy
    }
}

open class URLSession: NSObject, @unchecked Sendable {
    public let delegateQueue: OperationQueue
    public let configuration: URLSessionConfiguration
    public let delegate: (any URLSessionDelegate)?
    let device: SimulatedDevice
    /// Double only: the process whose object it is.
    let process: Int

    public init(
        configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?,
        delegateQueue queue: OperationQueue?
    ) {
        self.configuration = configuration.copied()
        self.delegate = delegate
        let own = OperationQueue()
        own.maxConcurrentOperationCount = 1
        delegateQueue = queue ?? own
        device = SimulatedDevice.current
        process = device.process
        super.init()
        device.connect(self)
    }

    open func uploadTask(with request: URLRequest, fromFile fileURL: URL) -> URLSessionUploadTask {
        URLSessionUploadTask(device.create(self, request, .upload(fileURL)), request, self)
    }

    open func uploadTask(withResumeData resumeData: Data) -> URLSessionUploadTask {
        let (number, request) = device.create(self, resuming: resumeData)
        return URLSessionUploadTask(number, request, self)
    }

    open func downloadTask(with request: URLRequest) -> URLSessionDownloadTask {
        URLSessionDownloadTask(device.create(self, request, .download), request, self)
    }

    open func downloadTask(withResumeData resumeData: Data) -> URLSessionDownloadTask {
        let (number, request) = device.create(self, resuming: resumeData)
        return URLSessionDownloadTask(number, request, self)
    }

    open func getAllTasks(completionHandler: @escaping @Sendable ([URLSessionTask]) -> Void) {
        device.allTasks(of: self, completionHandler)
    }

    open func invalidateAndCancel() { device.invalidate(self) }
}

open class URLSessionTask: NSObject, @unchecked Sendable {
    public enum State: Int, Sendable { case running, suspended, canceling, completed }

    public let taskIdentifier: Int
    public let originalRequest: URLRequest?
    let session: URLSession

    init(_ number: Int, _ request: URLRequest, _ session: URLSession) {
        taskIdentifier = number
        originalRequest = request
        self.session = session
    }

    /// The system has one object for each task of a process.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? URLSessionTask else { return false }
        return taskIdentifier == other.taskIdentifier && session === other.session
    }

    open override var hash: Int { taskIdentifier }

    private var carried: CarriedTask? { session.device.task(taskIdentifier, of: session) }
    open var currentRequest: URLRequest? { carried?.request ?? originalRequest }
    open var response: URLResponse? { carried?.response }
    open var state: State { carried?.state ?? .completed }
    open var countOfBytesSent: Int64 { carried?.sent ?? 0 }
    open var countOfBytesReceived: Int64 { carried?.received ?? 0 }
    open var countOfBytesExpectedToSend: Int64 { carried?.expectedToSend ?? NSURLSessionTransferSizeUnknown }
    open var taskDescription: String? {
        get { carried?.description }
        set { session.device.change(self) { $0.description = newValue } }
    }
    open var earliestBeginDate: Date? {
        get { carried?.hints.earliestBeginDate }
        set { session.device.change(self) { $0.hints.earliestBeginDate = newValue } }
    }
    open var priority: Float {
        get { carried?.hints.priority ?? Self.defaultPriority }
        set { session.device.change(self) { $0.hints.priority = newValue } }
    }
    open var countOfBytesClientExpectsToSend: Int64 {
        get { carried?.hints.expectedToSend ?? NSURLSessionTransferSizeUnknown }
        set { session.device.change(self) { $0.hints.expectedToSend = newValue } }
    }
    open var countOfBytesClientExpectsToReceive: Int64 {
        get { carried?.hints.expectedToReceive ?? NSURLSessionTransferSizeUnknown }
        set { session.device.change(self) { $0.hints.expectedToReceive = newValue } }
    }
    public static let lowPriority: Float = 0.25
    public static let defaultPriority: Float = 0.5
    public static let highPriority: Float = 0.75
    open func resume() { session.device.change(self) { if $0.state == .suspended { $0.state = .running } } }
    open func cancel() { session.device.cancel(self, producesResumeData: false) }
}

open class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}

open class URLSessionUploadTask: URLSessionDataTask, @unchecked Sendable {
    open func cancel(byProducingResumeData completionHandler: @escaping @Sendable (Data?) -> Void) {
        let data = session.device.cancel(self, producesResumeData: true)
        session.delegateQueue.addOperation { completionHandler(data) }
    }
}

open class URLSessionDownloadTask: URLSessionTask, @unchecked Sendable {
    open func cancel(byProducingResumeData completionHandler: @escaping @Sendable (Data?) -> Void) {
        let data = session.device.cancel(self, producesResumeData: true)
        session.delegateQueue.addOperation { completionHandler(data) }
    }
}
