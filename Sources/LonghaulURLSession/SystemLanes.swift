import Foundation
import LonghaulCore

/// Who carries an exchange: this process, or the system when the process is gone.
struct SystemLanes: Sendable {
    let front: SystemSession
    let back: SystemSession

    init(_ options: BackgroundSessionOptions, _ sessions: SystemSessions) {
        let configuration = URLSessionConfiguration.default
        configuration.waitsForConnectivity = true
        configuration.httpShouldSetCookies = false
        front = SystemSession([configuration])
        back = sessions.session(options)
    }

    /// Where an exchange belongs when the lane `wanted` is open for what begins.
    static func lane(of plan: ExchangePlan, wanted: SystemEngine.Lane) -> SystemEngine.Lane {
        // Only a background session heeds a date.
        if plan.terms?.notBefore != nil { return .back }
        // Its answer is what the next exchange is made of, and soon there: left to the system it would take a launch for each.
        if plan.isStep { return .front }
        return wanted
    }

    func session(_ lane: SystemEngine.Lane, _ terms: CarrierTerms?) -> URLSession {
        switch lane {
        case .front: front.sessions[0]
        case .back: back.sessions[terms?.isDiscretionary ?? false ? 1 : 0]
        }
    }

    /// A background session is never invalidated: the next engine of this process goes on with it.
    func shutDown() {
        back.detach()
        front.detach()
        for session in front.sessions { session.invalidateAndCancel() }
    }
}

extension ExchangePlan {
    /// Whether it belongs to an upload that asks its server how much it has (tus).
    var isOfResumableUpload: Bool {
        headers.contains { $0.name.lowercased() == "tus-resumable" } || method == "OPTIONS"
    }

    /// Whether it asks or creates, and another exchange is to move the bytes.
    var isStep: Bool { isOfResumableUpload && (body?.length ?? 0) == 0 }
}
