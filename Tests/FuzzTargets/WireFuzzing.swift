import LonghaulCore
import LonghaulIPC

/// Messages of every kind: the first byte selects it.
enum WireFuzzing {
    static func run(_ bytes: [UInt8]) {
        guard let first = bytes.first else { return }
        let type = types[Int(first) % types.count]
        read(type, Array(bytes.dropFirst()))
    }

    static let types: [any (WireMessage & SendableMetatype).Type] = [
        ClientEnvelope.self, ServiceEnvelope.self, SessionCommand.self, SessionReply.self, WatchUpdate.self,
        TransferSpec.self, TransferFacts.self, TransferState.self, BackgroundTaskRecord.self, NotificationSlot.self,
        UserSettings.self, SessionRules.self, SessionOwner.self, OwnerLossReport.self, WakeRegistration.self,
        WakeRecord.self, NotificationSettings.self, HelperCommand.self, BudgetUsage.self,
    ]

    /// Every message that can be decoded must survive encoding and decoding.
    private static func read<Message: WireMessage & SendableMetatype>(_ type: Message.Type, _ bytes: [UInt8]) {
        guard let message = try? Message.decoded(wireBytes: bytes) else { return }
        let written = message.wireBytes
        guard let again = try? Message.decoded(wireBytes: written), again.wireBytes == written else {
            preconditionFailure("a \(type) changes when it is written and read")
        }
    }

    static var examples: [[UInt8]] {
        let spec = Samples.specs[0]
        return [
            [0] + ClientEnvelope(request: 1, message: .hello(version: 1, program: "a")).wireBytes,
            [0] + ClientEnvelope(request: 2, message: .session(Samples.session, .submit(Samples.specs))).wireBytes,
            [0] + ClientEnvelope(request: 3, message: .session(Samples.session, .list(ListQuery()))).wireBytes,
            [0] + ClientEnvelope(request: 4, message: .setTraffic(Samples.settings.traffic)).wireBytes,
            [1] + ServiceEnvelope(request: 1, message: .session(.limits(SessionLimits()))).wireBytes,
            [1]
                + ServiceEnvelope(request: 2, message: .update(WatchUpdate(changed: [Samples.snapshot], removed: [])))
                .wireBytes,
            [2] + SessionCommand.submitTask(Samples.task).wireBytes,
            [3]
                + SessionReply.page(ListPage(transfers: [Samples.snapshot], hasMore: true, totals: SessionTotals()))
                .wireBytes,
            [5] + spec.wireBytes, [6] + Samples.facts.wireBytes,
            [7] + TransferState.waiting(Samples.waiting).wireBytes, [8] + Samples.taskRecord.wireBytes,
            [9] + Samples.slot.wireBytes, [10] + Samples.settings.wireBytes, [15] + Samples.wakeRecord.wireBytes,
            [18] + BudgetUsage(day: 20_000, bytesOfDay: 5, month: 24_000, bytesOfMonth: 9).wireBytes,
        ]
    }
}

/// A stream of frames: the first byte is the size of the pieces in which it arrives.
enum FrameFuzzing {
    static func run(_ bytes: [UInt8]) {
        guard let first = bytes.first else { return }
        var reader = FrameReader(limit: 1 << 20)
        var rest = bytes.dropFirst()
        while !rest.isEmpty {
            let wanted = reader.bytesWanted
            guard wanted > 0 else { preconditionFailure("a reader wants no byte") }
            let piece = Array(rest.prefix(max(1, Int(first))))
            rest = rest.dropFirst(piece.count)
            piece.withUnsafeBytes { reader.append($0) }
            do throws(FrameFault) {
                while let message = try reader.next() { check(message) }
            } catch {
                return _ = error.failure
            }
        }
    }

    private static func check(_ message: [UInt8]) {
        _ = try? ClientEnvelope.decoded(wireBytes: message)
        _ = try? ServiceEnvelope.decoded(wireBytes: message)
    }

    /// Changes the body of the first frame, and adjusts its length.
    static func mutated(_ bytes: [UInt8], _ dice: inout Dice) -> [UInt8]? {
        guard bytes.count > 6 else { return nil }
        let length = (0..<4).reduce(0) { $0 | Int(bytes[1 + $1]) << (8 * $1) }
        guard length > 1, 5 + length <= bytes.count,
            let body = NumberMutation.message(Array(bytes[6..<5 + length]), &dice)
        else { return nil }
        let announced = withUnsafeBytes(of: UInt32(truncatingIfNeeded: body.count + 1).littleEndian, Array.init)
        return [bytes[0]] + announced + [bytes[5]] + body + bytes[(5 + length)...]
    }

    static var examples: [[UInt8]] {
        let messages = [
            ClientEnvelope(request: 1, message: .hello(version: 1, program: "a")),
            ClientEnvelope(request: 2, message: .session(Samples.session, .submit(Samples.specs))),
            ClientEnvelope(request: 3, message: .unwatch(request: 2)),
        ]
        let frames = messages.compactMap { try? Frame.bytes(of: $0) }
        return [[3] + frames.joined(), [255] + frames.joined()] + frames.map { [1] + $0 }
    }
}
