/// An enumeration that is stored and sent as a number. The numbers are part of the formats in `docs/internals/longhaul.proto`.
package protocol WireNumbered: Equatable, Sendable {
    init?(wireNumber: Int)
    var wireNumber: Int { get }
}

extension WireNumbered where Self: RawRepresentable<Int> {
    package init?(wireNumber: Int) { self.init(rawValue: wireNumber) }
    package var wireNumber: Int { rawValue }
}

/// A public enumeration without visible numbers: its values are numbered by their position in a list.
package protocol WireOrdered: WireNumbered {
    /// Every value. New values go to the end, and none is ever removed.
    static var wireOrder: [Self] { get }
}

extension WireOrdered {
    package init?(wireNumber: Int) {
        let order = Self.wireOrder
        guard order.indices.contains(wireNumber) else { return nil }
        self = order[wireNumber]
    }

    package var wireNumber: Int { place }

    fileprivate var place: Int {
        guard let number = Self.wireOrder.firstIndex(of: self) else {
            preconditionFailure("\(Self.self).\(self) has no wire number.")
        }
        return number
    }
}

extension BackgroundTaskHold: WireOrdered {
    package static let wireOrder: [Self] = [.date, .throttled, .network, .power, .app, .handler, .stillRunning, .turn]
}

extension BackgroundTaskRequest.Kind: WireOrdered {
    package static let wireOrder: [Self] = [.appRefresh, .processing]
}

extension BackgroundTaskResult.Outcome: WireOrdered {
    package static let wireOrder: [Self] = [.succeeded, .failed, .expired, .overran, .lost]
}

extension CalendarRule.Weekday: WireOrdered {
    package static let wireOrder: [Self] = [.sunday, .monday, .tuesday, .wednesday, .thursday, .friday, .saturday]
}

extension ConditionRules.LinkKind: WireOrdered {
    package static let wireOrder: [Self] = [.unknown, .wired, .wifi, .mobile, .vpn, .other]
}

extension Conditions.Network: WireOrdered {
    package static let wireOrder: [Self] = [.unknown, .none, .captive, .reachable]
}

extension CredentialKind: WireOrdered {
    package static let wireOrder: [Self] = [.authorization, .url]
}

extension Digest.Algorithm: WireOrdered {
    package static let wireOrder: [Self] = [.md5, .sha256, .sha512, .sha1]
}

extension HTTP3Use: WireOrdered {
    package static let wireOrder: [Self] = [.never, .tried, .announced]
}

extension HTTPAuthentication: WireOrdered {
    package static let wireOrder: [Self] = [.preemptive, .digest, .negotiate, .any]
}

extension MirrorReport.Standing: WireOrdered {
    package static let wireOrder: [Self] = [.good, .otherVersion, .refused]
}

extension NotificationAction: WireOrdered {
    package static let wireOrder: [Self] = [.open, .pause, .resume, .cancel, .retry]
}

extension NotificationKind: WireOrdered {
    package static let wireOrder: [Self] = [
        .handedOver, .progress, .finished, .failed, .interrupted, .needsYou, .paused,
    ]
}

extension NotificationSettings.Coverage: WireOrdered {
    package static let wireOrder: [Self] = [.all, .chosen]
}

extension NotificationSettings.Grouping: WireOrdered {
    package static let wireOrder: [Self] = [.session, .group]
}

extension NotificationPreference: WireOrdered {
    package static let wireOrder: [Self] = [.bySession, .never, .always]
}

extension OwnerLossPolicy: WireOrdered {
    package static let wireOrder: [Self] = [.resume, .pause, .cancel]
}

extension OwnerLossReason: WireOrdered {
    package static let wireOrder: [Self] = [
        .userForceQuit, .backgroundUpdatesDisabled, .insufficientResources, .unknown, .systemRestarted,
    ]
}

extension TransferOptions.KeyConflict: WireOrdered {
    package static let wireOrder: [Self] = [.keep, .replace, .append]
}

extension TransferSnapshot.Direction: WireOrdered {
    package static let wireOrder: [Self] = [.download, .upload, .request]
}

extension TransferSnapshot.TurnLimit: WireOrdered {
    package static let wireOrder: [Self] = [.total, .host, .group, .heldHost]
}

extension TransferSpec.Collision: WireOrdered {
    package static let wireOrder: [Self] = [.number, .overwrite, .fail]
}

extension TransferState.Phase: WireOrdered {
    package static let wireOrder: [Self] = [.preparing, .sending, .receiving, .verifying]
}

extension Waiting.Reason: WireOrdered {
    package static let wireOrder: [Self] = [
        .turn, .notBefore, .retry, .network, .diskSpace, .credentials, .serverBusy, .metered, .constrained,
        .roaming, .power, .battery, .hours, .budget, .sleep, .predecessor, .link, .idle, .clock, .mount,
        .unlock,
    ]
    // Its own, because the store calls it for each transfer, and could not specialize that of the protocol.
    package var wireNumber: Int { place }
}

extension RestartReason: WireNumbered {}
extension CleanupTask: WireNumbered {}
extension ConnectionReason: WireNumbered {}
extension ContinuationDoubt: WireNumbered {}
extension ControlVerb: WireNumbered {}
extension CredentialReport.Entry.State: WireNumbered {}
extension EventRecord.Kind: WireNumbered {}
extension ExistingFile.Test: WireNumbered {}
extension ForeignPartial.Stage: WireNumbered {}
extension ReleaseMode: WireNumbered {}
extension RetryEnd: WireNumbered {}
extension SessionOwner.Kind: WireNumbered {}
extension WakeHold: WireNumbered {}
extension WakeOutcome: WireNumbered {}
