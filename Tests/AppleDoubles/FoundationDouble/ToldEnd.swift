/// The end of a task that a process has heard: its delegate has returned.
public struct ToldEnd: Sendable {
    /// The session.
    public let session: String
    /// The task, as the device counts them.
    public let task: Int
    /// The task's description.
    public let name: String?
    /// What was asked.
    public let request: URLRequest
    /// Whether the server has done what was asked, and the system told of no error.
    public let hasSucceeded: Bool

    init(_ session: String, _ task: CarriedTask, _ error: NSError?) {
        self.session = session
        self.task = task.serial
        name = task.description
        request = task.request
        hasSucceeded = error == nil && task.response.map { (200..<300).contains($0.statusCode) } ?? false
    }
}
