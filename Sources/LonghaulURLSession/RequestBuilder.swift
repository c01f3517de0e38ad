import Foundation
import LonghaulCore

/// Builds the system's request for a plan.
enum RequestBuilder {
    /// Headers that the system sets automatically.
    private static let reserved: Set = ["host", "connection", "content-length", "proxy-authorization", "te", "upgrade"]

    static func request(_ plan: ExchangePlan, of id: TransferID?) throws(TransferFailure) -> URLRequest {
        try refuseWhatTheSystemCannotDo(plan.network)
        guard let url = URL(string: plan.url) else {
            throw TransferFailure(.invalidURL, "The system rejected the URL.")
        }
        var request = URLRequest(url: url, timeoutInterval: timeout(plan.network))
        request.httpMethod = plan.method
        if let terms = plan.terms {
            request.allowsCellularAccess = terms.allowsCellular
            request.allowsExpensiveNetworkAccess = terms.allowsExpensive
            request.allowsConstrainedNetworkAccess = terms.allowsConstrained
        }
        for field in plan.headers where !field.isOmitted && !reserved.contains(field.name.lowercased()) {
            request.addValue(field.value, forHTTPHeaderField: field.name)
        }
        if let userAgent = plan.network.userAgent, request.value(forHTTPHeaderField: "User-Agent") == nil {
            request.setValue(userAgent, forHTTPHeaderField: "User-Agent")
        }
        protect(&request, plan, id)
        return request
    }

    /// Returns the system's timeout. The system has one limit for all silences, so the longer one of ours applies to both.
    private static func timeout(_ network: NetworkOptions) -> TimeInterval {
        let limits = [network.timeoutIntervalForRequest, network.timeoutIntervalForResponse].map(\.microseconds)
        // To the system, 0 means the default of a minute.
        guard let shortest = limits.min(), let longest = limits.max(), shortest > 0 else { return 604_800 }
        return TimeInterval(longest) / 1_000_000
    }

    /// Adds an idempotency key. The system may repeat a request of a background session, which cannot be prevented. The
    /// key lets a server detect that; it does not decide whether we repeat a request.
    private static func protect(_ request: inout URLRequest, _ plan: ExchangePlan, _ id: TransferID?) {
        guard let id, plan.body?.holdsLastBytes ?? false, request.value(forHTTPHeaderField: "Idempotency-Key") == nil,
            ResendRule.decide(method: plan.method, hasIdempotencyKey: false, requestLeft: true) == .outcomeUnknown
        else { return }
        request.setValue("\"\(id)\"", forHTTPHeaderField: "Idempotency-Key")
    }

    private static func refuseWhatTheSystemCannotDo(_ network: NetworkOptions) throws(TransferFailure) {
        let option: String? =
            if network.proxy != nil, network.proxySource != .system {
                "proxy"
            } else if network.caFile != nil {
                "caFile"
            } else if network.allowsUntrustedServer {
                "allowsUntrustedServer"
            } else if !network.trustedKeys.isEmpty || network.pinnedPublicKeys != nil {
                "pinnedPublicKeys"
            } else if network.clientCertificate != nil {
                "clientCertificate"
            } else {
                nil
            }
        guard let option else { return }
        throw TransferFailure(
            .invalidArgument,
            "The sessions of the system do not support the option \(option) for a single transfer. Remove it.")
    }
}
