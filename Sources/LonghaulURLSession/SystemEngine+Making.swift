import Foundation
import LonghaulCore
import Synchronization

/// Creation of the system's tasks.
extension SystemEngine {
    /// `goesOn`: whether the task continues an earlier task of the transfer, with resume data of the system.
    func makeTask(
        _ plan: ExchangePlan, _ id: ExchangeID, in session: URLSession
    ) throws(TransferFailure) -> (task: URLSessionTask, goesOn: Bool) {
        let request = try RequestBuilder.request(plan, of: id.transfer)
        if let body = plan.body { return try upload(body, plan, request, id, in: session) }
        // Only a data task gives this process the bytes as they arrive, and a background session has none.
        let isHere = session.configuration.identifier == nil
        guard case .partial(let partial) = plan.sink else {
            return (isHere ? session.dataTask(with: request) : session.downloadTask(with: request), false)
        }
        if partial.resume?.map != nil {
            throw TransferFailure(
                .internalFault, "The partial file has holes, which require an engine with several connections.")
        }
        if partial.resume == nil, let token = notes.takeToken(of: id.transfer, url: plan.url) {
            return (session.downloadTask(withResumeData: token), true)
        }
        return (isHere ? session.dataTask(with: request) : session.downloadTask(with: request), false)
    }

    /// Makes an upload task. The system resumes only a file at its earlier path; a body that we assemble has a new path for each attempt.
    private func upload(
        _ body: BodyPlan, _ plan: ExchangePlan, _ request: URLRequest, _ id: ExchangeID, in session: URLSession
    ) throws(TransferFailure) -> (task: URLSessionTask, goesOn: Bool) {
        let path = try BodyFile.make(body, at: notes.upload(id)) { [self] in !state.withLock(\.isShutDown) }
        if path != notes.upload(id), !plan.isOfResumableUpload,
            let token = notes.takeToken(of: id.transfer, url: plan.url)
        {
            return (session.uploadTask(withResumeData: token), true)
        }
        return (session.uploadTask(with: request, fromFile: URL(fileURLWithPath: path)), false)
    }
}
