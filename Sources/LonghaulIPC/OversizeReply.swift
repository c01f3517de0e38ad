import LonghaulCore

/// Replacements for replies that do not fit into a frame.
enum OversizeReply {
    /// Truncates a page, and marks that more follows; replaces any other reply with a failure.
    static func frame(_ envelope: ServiceEnvelope, limit: Int) -> [UInt8] {
        do {
            return try Frame.bytes(of: envelope, limit: limit)
        } catch {
            return frame(smaller(envelope, because: error), limit: limit)
        }
    }

    /// Returns one or more frames that together contain an update.
    static func frames(_ update: WatchUpdate, request: UInt64, limit: Int) -> [[UInt8]] {
        do {
            return [try Frame.bytes(of: ServiceEnvelope(request: request, message: .update(update)), limit: limit)]
        } catch {
            let (count, successes) = (update.changed.count, update.succeeded.count)
            guard count + successes > 1 else {
                return [frame(ServiceEnvelope(request: request, message: .failed(error)), limit: limit)]
            }
            let first = WatchUpdate(
                changed: Array(update.changed[..<(count / 2)]), removed: update.removed,
                succeeded: Array(update.succeeded[..<((successes + 1) / 2)]), beginsList: update.beginsList)
            let second = WatchUpdate(
                changed: Array(update.changed[(count / 2)...]), removed: [],
                succeeded: Array(update.succeeded[((successes + 1) / 2)...]), completesList: update.completesList)
            return [first, second].flatMap { frames($0, request: request, limit: limit) }
        }
    }

    private static func smaller(_ envelope: ServiceEnvelope, because failure: TransferFailure) -> ServiceEnvelope {
        switch envelope.message {
        case .session(.page(var page)) where page.transfers.count > 1:
            page.transfers.removeLast(page.transfers.count / 2)
            page.hasMore = true
            return ServiceEnvelope(request: envelope.request, message: .session(.page(page)))
        case .session(.events(var page)) where page.events.count > 1:
            page.events.removeLast(page.events.count / 2)
            page.hasMore = true
            return ServiceEnvelope(request: envelope.request, message: .session(.events(page)))
        case .session(.tasks(var page)) where page.tasks.count > 1:
            page.tasks.removeLast(page.tasks.count / 2)
            page.hasMore = true
            return ServiceEnvelope(request: envelope.request, message: .session(.tasks(page)))
        default: return ServiceEnvelope(request: envelope.request, message: .failed(failure))
        }
    }
}
