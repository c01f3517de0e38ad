// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Apple documents what these are, on the page that each `Source` names.
import Synchronization

// Source: foundation/urlsessionconfiguration
@available(macOS 10.9, iOS 7.0, *)
open class URLSessionConfiguration: NSObject, @unchecked Sendable {
    // Source: foundation/urlsessionconfiguration/identifier, foundation/urlsessionconfiguration/isdiscretionary, foundation/urlsessionconfiguration/sessionsendslaunchevents
    // Source: foundation/urlsessionconfiguration/sharedcontaineridentifier, foundation/urlsessionconfiguration/waitsforconnectivity
    // Source: foundation/urlsessionconfiguration/allowscellularaccess, foundation/urlsessionconfiguration/allowsexpensivenetworkaccess
    // Source: foundation/urlsessionconfiguration/allowsconstrainednetworkaccess, foundation/urlsessionconfiguration/timeoutintervalforresource
    // Source: foundation/urlsessionconfiguration/httpmaximumconnectionsperhost, foundation/urlsessionconfiguration/httpshouldsetcookies
    public internal(set) var identifier: String?
    @available(macOS 10.10, *)
    open var isDiscretionary = false
    @available(macOS 11.0, *)
    open var sessionSendsLaunchEvents = false
    @available(macOS 10.10, iOS 8.0, *)
    open var sharedContainerIdentifier: String?
    @available(macOS 10.13, iOS 11.0, *)
    open var waitsForConnectivity = false
    open var allowsCellularAccess = true
    @available(macOS 10.15, iOS 13.0, *)
    open var allowsExpensiveNetworkAccess = true
    @available(macOS 10.15, iOS 13.0, *)
    open var allowsConstrainedNetworkAccess = true
    open var timeoutIntervalForResource: TimeInterval = 604_800
    open var httpMaximumConnectionsPerHost = 6
    open var httpShouldSetCookies = true
    // Source: foundation/urlsessionconfiguration/urlcredentialstorage
    open var urlCredentialStorage: URLCredentialStorage? = .shared
    // Source: foundation/urlsessionconfiguration/urlcache, foundation/urlsessionconfiguration/requestcachepolicy
    open var urlCache: URLCache? = .shared
    open var requestCachePolicy = NSURLRequest.CachePolicy.useProtocolCachePolicy
    // Source: foundation/urlsessionconfiguration/httpcookiestorage
    open var httpCookieStorage: HTTPCookieStorage? = .shared

    // Source: foundation/urlsessionconfiguration/default
    open class var `default`: URLSessionConfiguration { URLSessionConfiguration() }

    // Source: foundation/urlsessionconfiguration/background(withidentifier:)
    @available(macOS 10.10, iOS 8.0, *)
    open class func background(withIdentifier identifier: String) -> URLSessionConfiguration {
        precondition(!identifier.isEmpty, "a background session needs an identifier")
        let configuration = URLSessionConfiguration()
        configuration.identifier = identifier
        configuration.sessionSendsLaunchEvents = true
        configuration.urlCache = nil
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
        copy.urlCredentialStorage = urlCredentialStorage
        copy.urlCache = urlCache
        copy.requestCachePolicy = requestCachePolicy
        copy.httpCookieStorage = httpCookieStorage
        return copy
    }
}

// Source: foundation/urlsession
@available(macOS 10.9, iOS 7.0, *)
open class URLSession: NSObject, @unchecked Sendable {
    // Source: foundation/urlsession/delegatequeue, foundation/urlsession/configuration, foundation/urlsession/delegate
    public let delegateQueue: OperationQueue
    public let configuration: URLSessionConfiguration
    public let delegate: (any URLSessionDelegate)?
    let device: SimulatedDevice
    /// Double only: the process whose object it is.
    let process: Int
    /// Double only: the system has one object for each task of a process.
    private let objects = Mutex<[Int: URLSessionTask]>([:])
    private let validity = Mutex(true)

    // Source: foundation/urlsession/init(configuration:delegate:delegatequeue:)
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

    // Source: foundation/urlsession/datatask(with:)-10dy7
    open func dataTask(with request: URLRequest) -> URLSessionDataTask {
        keep(URLSessionDataTask(device.create(self, request, .data), request, self))
    }

    // Source: foundation/urlsession/uploadtask(with:fromfile:)
    open func uploadTask(with request: URLRequest, fromFile fileURL: URL) -> URLSessionUploadTask {
        keep(URLSessionUploadTask(device.create(self, request, .upload(fileURL)), request, self))
    }

    // Source: foundation/urlsession/uploadtask(withresumedata:)
    @available(macOS 14.0, iOS 17.0, *)
    open func uploadTask(withResumeData resumeData: Data) -> URLSessionUploadTask {
        let (number, request) = device.create(self, resuming: resumeData)
        return keep(URLSessionUploadTask(number, request, self))
    }

    // Source: foundation/urlsession/downloadtask(with:)-3fb7s
    open func downloadTask(with request: URLRequest) -> URLSessionDownloadTask {
        keep(URLSessionDownloadTask(device.create(self, request, .download), request, self))
    }

    // Source: foundation/urlsession/downloadtask(withresumedata:)
    open func downloadTask(withResumeData resumeData: Data) -> URLSessionDownloadTask {
        let (number, request) = device.create(self, resuming: resumeData)
        return keep(URLSessionDownloadTask(number, request, self))
    }

    // Source: foundation/urlsession/getalltasks(completionhandler:)
    @available(macOS 10.11, iOS 9.0, *)
    open func getAllTasks(completionHandler: @escaping @Sendable ([URLSessionTask]) -> Void) {
        device.allTasks(of: self, completionHandler)
    }

    // Source: foundation/urlsession/invalidateandcancel()
    open func invalidateAndCancel() { device.invalidate(self) }

    /// Double only: whether it accepts tasks.
    var isValid: Bool { validity.withLock { $0 } }
    func invalidate() { validity.withLock { $0 = false } }

    func keep<Task: URLSessionTask>(_ task: Task) -> Task {
        objects.withLock { $0[task.taskIdentifier] = task }
        return task
    }

    func object(_ number: Int) -> URLSessionTask? { objects.withLock { $0[number] } }
    func forget(_ number: Int) { objects.withLock { _ = $0.removeValue(forKey: number) } }
}

// Source: foundation/urlsessiontask
@available(macOS 10.9, iOS 7.0, *)
open class URLSessionTask: NSObject, @unchecked Sendable {
    // Source: foundation/urlsessiontask/state-swift.enum
    public enum State: Int, Sendable { case running, suspended, canceling, completed }

    // Source: foundation/urlsessiontask/taskidentifier, foundation/urlsessiontask/originalrequest
    public let taskIdentifier: Int
    public let originalRequest: URLRequest?
    let session: URLSession

    init(_ number: Int, _ request: URLRequest, _ session: URLSession) {
        taskIdentifier = number
        originalRequest = request
        self.session = session
    }

    private var carried: CarriedTask? { session.device.task(taskIdentifier, of: session) }

    // Source: foundation/urlsessiontask/currentrequest, foundation/urlsessiontask/response, foundation/urlsessiontask/state-swift.property
    // Source: foundation/urlsessiontask/countofbytessent, foundation/urlsessiontask/countofbytesreceived
    // Source: foundation/urlsessiontask/countofbytesexpectedtosend, foundation/urlsessiontask/taskdescription
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
    // Source: foundation/urlsessiontask/earliestbegindate
    @available(macOS 10.13, iOS 11.0, *)
    open var earliestBeginDate: Date? {
        get { carried?.hints.earliestBeginDate }
        set { session.device.change(self) { $0.hints.earliestBeginDate = newValue } }
    }
    // Source: foundation/urlsessiontask/priority
    @available(macOS 10.10, iOS 8.0, *)
    open var priority: Float {
        get { carried?.hints.priority ?? Self.defaultPriority }
        set { session.device.change(self) { $0.hints.priority = newValue } }
    }
    // Source: foundation/urlsessiontask/countofbytesclientexpectstosend
    @available(macOS 10.13, iOS 11.0, *)
    open var countOfBytesClientExpectsToSend: Int64 {
        get { carried?.hints.expectedToSend ?? NSURLSessionTransferSizeUnknown }
        set { session.device.change(self) { $0.hints.expectedToSend = newValue } }
    }
    // Source: foundation/urlsessiontask/countofbytesclientexpectstoreceive
    @available(macOS 10.13, iOS 11.0, *)
    open var countOfBytesClientExpectsToReceive: Int64 {
        get { carried?.hints.expectedToReceive ?? NSURLSessionTransferSizeUnknown }
        set { session.device.change(self) { $0.hints.expectedToReceive = newValue } }
    }

    // Source: foundation/urlsessiontask/lowpriority, foundation/urlsessiontask/defaultpriority, foundation/urlsessiontask/highpriority
    @available(macOS 10.10, iOS 8.0, *)
    public static let lowPriority: Float = 0.25
    @available(macOS 10.10, iOS 8.0, *)
    public static let defaultPriority: Float = 0.5
    @available(macOS 10.10, iOS 8.0, *)
    public static let highPriority: Float = 0.75
    // Source: foundation/urlsessiontask/resume(), foundation/urlsessiontask/cancel()
    open func resume() {
        session.device.reportResume(of: self)
        session.device.change(self) { if $0.state == .suspended { $0.state = .running } }
    }
    open func cancel() { session.device.cancel(self, producesResumeData: false) }
}

// Source: foundation/urlsessiondatatask
@available(macOS 10.9, iOS 7.0, *)
open class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}

// Source: foundation/urlsessionuploadtask
@available(macOS 10.9, iOS 7.0, *)
open class URLSessionUploadTask: URLSessionDataTask, @unchecked Sendable {
    // Source: foundation/urlsessionuploadtask/cancel(byproducingresumedata:)
    @available(macOS 14.0, iOS 17.0, *)
    open func cancel(byProducingResumeData completionHandler: @escaping @Sendable (Data?) -> Void) {
        let data = session.device.cancel(self, producesResumeData: true)
        session.delegateQueue.addOperation { completionHandler(data) }
    }
}

// Source: foundation/urlsessiondownloadtask
@available(macOS 10.9, iOS 7.0, *)
open class URLSessionDownloadTask: URLSessionTask, @unchecked Sendable {
    // Source: foundation/urlsessiondownloadtask/cancel(byproducingresumedata:)
    open func cancel(byProducingResumeData completionHandler: @escaping @Sendable (Data?) -> Void) {
        let data = session.device.cancel(self, producesResumeData: true)
        session.delegateQueue.addOperation { completionHandler(data) }
    }
}
