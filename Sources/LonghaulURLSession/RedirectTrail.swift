import Foundation
import LonghaulCore

/// The redirects of an exchange of this process, decided as on Linux. The system follows those of background exchanges without asking.
struct RedirectTrail {
    private let followsOnlyRepeating: Bool
    private let limit: Int
    private let secrets: Set<String>
    private var hasBody: Bool
    private var hops = 0
    /// Why a redirect was refused.
    private(set) var refusal: TransferFailure?

    init(_ plan: ExchangePlan) {
        followsOnlyRepeating = plan.followsOnlyRepeatingRedirects
        limit = plan.network.redirectLimit
        secrets = Set(plan.headers.filter(\.isSecret).map { $0.name.lowercased() })
        hasBody = plan.body != nil
    }

    /// Returns the request that follows the response; `nil` to use the response itself. `proposal` is the system's next request.
    mutating func follow(_ head: ResponseHead, after current: URLRequest, proposal: URLRequest) -> URLRequest? {
        let method = current.httpMethod ?? "GET"
        guard let from = current.url.flatMap({ try? TransferURL(parsing: $0.absoluteString) }) else { return nil }
        let decision = RedirectRule.decide(
            status: head.status, location: head.headers.single("Location"), from: from,
            followsOnlyRepeating: followsOnlyRepeating, method: method, hasBody: hasBody, hops: hops, limit: limit)
        switch decision {
        case .notARedirect: return nil
        case .refuse(let failure):
            refusal = failure
            return nil
        case .follow(let url, let newMethod, let dropsSecrets):
            var next = proposal
            next.url = URL(string: url.text)
            next.httpMethod = newMethod
            let dropsBody = newMethod != method
            next.allHTTPHeaderFields = current.allHTTPHeaderFields?.filter { name, _ in
                !(dropsSecrets && isSecret(name)) && !(dropsBody && name.lowercased().hasPrefix("content-"))
            }
            hops += 1
            hasBody = hasBody && !dropsBody
            return next
        }
    }

    private func isSecret(_ name: String) -> Bool {
        secrets.contains(name.lowercased()) || HeaderField(name, "").isSecret
    }
}
