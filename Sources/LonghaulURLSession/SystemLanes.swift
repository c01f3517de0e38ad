import Foundation
import LonghaulCore

/// The sessions that run exchanges: in this process, or by the system after the process has ended.
struct SystemLanes: Sendable {
    let front: SystemSession
    let back: SystemSession

    init(_ options: BackgroundSessionOptions, _ sessions: SystemSessions) {
        let configuration = URLSessionConfiguration.default
        configuration.waitsForConnectivity = true
        configuration.shareNothing()
        front = SystemSession([configuration])
        back = sessions.session(options)
    }

    /// Returns where an exchange belongs if later exchanges start in `wanted`.
    func lane(of plan: ExchangePlan, wanted: SystemEngine.Lane) -> SystemEngine.Lane {
        // Only a background session honors a start time.
        if plan.terms?.notBefore != nil { return .back }
        // The next exchange depends on its response, which comes soon. In a background session, each of these exchanges would need a
        // launch.
        if plan.isStep { return .front }
        // While the background session cannot be used, this process transfers the bytes.
        if (try? session(.back, plan.terms)) == nil { return .front }
        return wanted
    }

    func session(_ lane: SystemEngine.Lane, _ terms: CarrierTerms?) throws(TransferFailure) -> URLSession {
        switch lane {
        case .front: try front.session(0)
        case .back: try back.session(terms?.isDiscretionary ?? false ? 1 : 0)
        }
    }

    /// A background session is never invalidated: the next engine of this process continues it.
    func shutDown() {
        back.detach()
        front.invalidate()
    }
}

extension ExchangePlan {
    /// Whether the request belongs to an upload that queries the server's offset (tus).
    var isOfResumableUpload: Bool {
        headers.contains { $0.name.lowercased() == "tus-resumable" } || method == "OPTIONS"
    }

    /// Whether it only queries or creates, and another exchange transfers the bytes.
    var isStep: Bool { isOfResumableUpload && (body?.length ?? 0) == 0 }
}
