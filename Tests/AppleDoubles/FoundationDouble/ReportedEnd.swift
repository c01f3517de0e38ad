// Double only: Apple has none of this.
/// The end of a task that was delivered to a process: its delegate has returned.
public struct ReportedEnd: Sendable {
    /// The session.
    public let session: String
    /// The device's number of the task.
    public let task: Int
    /// The task's description.
    public let name: String?
    /// The original request.
    public let request: URLRequest
    /// Whether the server has performed the request, and the system reported no error.
    public let hasSucceeded: Bool

    init(_ session: String, _ task: CarriedTask, _ error: NSError?) {
        self.session = session
        self.task = task.serial
        name = task.description
        request = task.request
        hasSucceeded = error == nil && task.response.map { (200..<300).contains($0.statusCode) } ?? false
    }
}
