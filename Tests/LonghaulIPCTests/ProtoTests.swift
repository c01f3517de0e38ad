import LonghaulCore
import LonghaulIPC
import LonghaulSystem
import Testing

/// The code and the `.proto` files describe each message in the same way: its fields with their numbers, types, and cardinality.
@Suite struct ProtoTests {
    private static var messages: [(any WireMessage.Type, String)] {
        [
            (ClientEnvelope.self, "ClientEnvelope"), (ServiceEnvelope.self, "ServiceEnvelope"),
            (TransferSpec.self, "TransferSpec"), (TransferFacts.self, "TransferFacts"),
            (TransferState.self, "TransferState"), (NotificationSlot.self, "NotificationSlot"),
            (BackgroundTaskRecord.self, "BackgroundTaskRecord"), (UserSettings.self, "UserSettings"),
            (WireList<LastWill>.self, "LastWills"),
        ]
    }

    private static func description() throws -> ProtoDescription {
        var description = ProtoDescription()
        for name in ["longhaul.proto", "longhaul-ipc.proto"] {
            let bytes = try #require(try AtomicFile(Self.documents + "/" + name).read())
            description.read(String(decoding: bytes, as: UTF8.self))
        }
        return description
    }

    private static let documents =
        "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/") + "/docs/internals"

    @Test func everyLineOfTheDescriptionIsUnderstood() throws {
        let description = try Self.description()
        #expect(description.oddities.isEmpty)
        #expect(description.messages.count > 80)
        #expect(
            description.messages["TransferID"]?.first == .init(name: "high", number: 1, label: "plain", type: "fixed64")
        )
        #expect(description.enumerations["Phase"]?[3] == "PHASE_VERIFYING")
    }

    @Test func messagesMatchProtoFiles() throws {
        var comparison = ProtoComparison(try Self.description(), Self.messages)
        comparison.run()
        #expect(comparison.differences.sorted().isEmpty, "\(comparison.differences.joined(separator: "\n"))")
        #expect(comparison.unused.isEmpty)
    }

    /// Reports a field that one side lacks, or that has another number or another type.
    @Test func comparisonReportsFieldDifferences() {
        var description = ProtoDescription()
        description.read(
            """
            message SessionTotals {
              sint64 waiting = 1;
              optional sint64 running = 2;
              string paused = 3;
              sint64 succeeded = 5;
              sint64 failed = 6;
            }
            enum Unknown {
              NONE = 0;
            }
            """)
        var comparison = ProtoComparison(description, [(SessionTotals.self, "SessionTotals")])
        comparison.run()
        #expect(comparison.differences.count == 4, "\(comparison.differences)")
        #expect(comparison.unused == ["Unknown"])
    }
}
