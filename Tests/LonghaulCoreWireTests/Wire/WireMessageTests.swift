import LonghaulCore
import TestSupport
import Testing

let everyMessage: [any (Drawable & SendableMetatype).Type] = [
    TransferID.self, SessionID.self, HeaderField.self, SourcePin.self, SourceFile.self, SourceOrigin.self, Digest.self,
    DownloadSpec.self, MetadataPair.self, FormPart.self, UploadSpec.self, TransferOptions.self, NetworkOptions.self,
    ProxyVariables.self, ClientCertificate.self, FilePart.self, DetachedSignature.self, ForeignPartial.self,
    ExistingFile.self,
    TransferSpec.self, TransferFailure.self, ServerCertificate.self, TrustedKey.self, Waiting.self, TransferState.self,
    Validators.self, DownloadFacts.self,
    TusCapabilities.self, UploadFacts.self, ResponseSummary.self, TransferFacts.self, TransferSnapshot.self,
    HistoryEntry.self, TransferDetail.self, TransferSelection.self, ListQuery.self, SessionLimits.self,
    SessionTotals.self, ListPage.self, WatchUpdate.self, SubmissionAnswer.self, ControlAnswer.self,
    ReconcileFinding.self, ReconcileReport.self,
    Credential.self, CredentialRequest.self, CredentialQuestion.self, CredentialReport.self,
    WakeMethod.self, WakeRegistration.self, WakeRecord.self, WakeStatus.self, NotificationSettings.self,
    PlainNotification.self,
    NotificationTap.self, NotificationRequest.self, NotificationStatus.self, NotificationSlot.self, SessionEvent.self,
    EventPage.self,
    BackgroundTaskRequest.self, CalendarRule.self, BackgroundTaskSettings.self, BackgroundTaskThrottle.self,
    BackgroundTaskRun.self, BackgroundTaskResult.self, BackgroundTaskRecord.self, BackgroundTaskStatus.self,
    TaskRunner.self, TaskAssignments.self, TaskReturn.self, TaskPage.self,
    SessionOwner.self, OwnerLossReport.self, LastWill.self, LastWillOrder.self, SessionInfo.self, SessionCommand.self,
    SessionReply.self,
    ConditionRules.self, Conditions.self, ConditionsOverride.self, ConditionsReport.self, TrafficLimits.self,
    SessionRules.self, SessionRulesReport.self, UserSettings.self, UserTrafficReport.self, BudgetUsage.self,
    TransferAdjustment.self,
]

func encoded<Message: Drawable>(_ type: Message.Type, _ kind: Chance.Kind, seed: UInt64) -> [UInt8] {
    var chance = Chance(kind, seed: seed)
    return Message.draw(&chance).wireBytes
}

@Suite struct WireMessageTests {
    @Test(arguments: Chance.Kind.allCases)
    func everyMessageComesBackAsItWas(kind: Chance.Kind) throws {
        for type in everyMessage {
            for seed in 0..<200 { try comesBack(type, kind, seed: UInt64(seed)) }
        }
    }

    /// A property that is never random would survive even without a field.
    @Test func everyPropertyAndEveryFieldIsDrawn() throws {
        for type in everyMessage {
            let missing = try undrawn(type)
            #expect(missing.isEmpty, "\(type): draw \(missing.joined(separator: ", "))")
        }
    }

    @Test func everyPrefixIsReadOrRefused() {
        for type in everyMessage {
            for seed in 0..<5 {
                let bytes = encoded(type, .any, seed: UInt64(seed))
                for length in bytes.indices { _ = try? type.decoded(wireBytes: Array(bytes[..<length])) }
            }
        }
    }

    @Test func twentyThousandMutationsAreReadOrRefused() {
        var chance = Chance(.any, seed: 20)
        var refused = 0
        for round in 0..<20_000 {
            let type = everyMessage[round % everyMessage.count]
            var bytes = encoded(type, chance.below(2) == 0 ? .full : .any, seed: UInt64(round / 100))
            for _ in 0...chance.below(4) where !bytes.isEmpty { mutate(&bytes, &chance) }
            do throws(WireError) { _ = try type.decoded(wireBytes: bytes) } catch { refused += 1 }
        }
        #expect((1..<20_000).contains(refused))
    }

    @Test func optionalZeroIsNotNil() throws {
        var facts = TransferFacts(createdAt: WallTime(microseconds: 0), deadline: WallTime(microseconds: 0))
        #expect(facts.wireBytes.isEmpty)
        facts.bytesTotal = 0
        facts.startedAt = WallTime(microseconds: 0)
        #expect(try TransferFacts.decoded(wireBytes: facts.wireBytes) == facts)
    }

    @Test func fieldsOfANewerProgramAreSkipped() throws {
        let pair = MetadataPair(key: "name", value: "rain.mov")
        let newer: [UInt8] = [
            0x78, 0x96, 0x01, 0x81, 0x01, 1, 2, 3, 4, 5, 6, 7, 8, 0x8A, 0x01, 2, 9, 9, 0x95, 0x01, 1, 2, 3, 4,
        ]
        #expect(try MetadataPair.decoded(wireBytes: newer + pair.wireBytes + newer) == pair)
    }

    @Test func theBytesOfTheFirstVersionStayWhatTheyAre() throws {
        let failure = TransferFailure(.hostNotFound, "No such host.", origin: .curl(6))
        let state = TransferState.waiting(
            Waiting(.retry, since: WallTime(seconds: 1), until: WallTime(seconds: 2), failure: failure))
        let bytes: [UInt8] = [
            0x0A, 0x2C, 0x08, 0x02, 0x10, 0x80, 0x89, 0x7A, 0x18, 0x80, 0x92, 0xF4, 0x01, 0x22, 0x1F, 0x0A, 0x0C, 0x68,
            0x6F, 0x73, 0x74, 0x4E, 0x6F, 0x74, 0x46, 0x6F, 0x75, 0x6E, 0x64, 0x12, 0x0D, 0x4E, 0x6F, 0x20, 0x73, 0x75,
            0x63, 0x68, 0x20, 0x68, 0x6F, 0x73, 0x74, 0x2E, 0x20, 0x0C,
        ]
        #expect(state.wireBytes == bytes)
        #expect(try TransferState.decoded(wireBytes: bytes) == state)
    }

    /// Returns the names of the properties and the numbers of the fields that always stay blank.
    private func undrawn<Message: Drawable>(_ type: Message.Type) throws -> Set<String> {
        let blank = (type as? any WireRecord.Type)?.blank
        var untouched = blank.map(properties) ?? [:]
        var numbers = Set((type.describedFields ?? []).map(\.number))
        for seed in 0..<200 where !untouched.isEmpty || !numbers.isEmpty {
            var chance = Chance(seed % 2 == 0 ? .full : .any, seed: UInt64(seed))
            let message = Message.draw(&chance)
            numbers.subtract(try fieldNumbers(message.wireBytes))
            // Texts of whole values are long.
            if untouched.isEmpty { continue }
            let drawn = properties(message)
            untouched = untouched.filter { drawn[$0.key] == $0.value }
        }
        return Set(untouched.keys).union(numbers.map { "field \($0)" })
    }

    private func fieldNumbers(_ bytes: [UInt8]) throws -> [Int] {
        try bytes.withUnsafeBytes { memory in
            var reader = WireReader(memory)
            var numbers: [Int] = []
            while let number = try reader.nextField() {
                numbers.append(number)
                try reader.skip()
            }
            return numbers
        }
    }

    private func comesBack<Message: Drawable>(_ type: Message.Type, _ kind: Chance.Kind, seed: UInt64) throws {
        var chance = Chance(kind, seed: seed)
        let message = Message.draw(&chance)
        let back = try Message.decoded(wireBytes: message.wireBytes)
        #expect(back == message)
        #expect(back.wireBytes == message.wireBytes)
    }

    /// Changes, removes, adds or repeats some bytes.
    private func mutate(_ bytes: inout [UInt8], _ chance: inout Chance) {
        let place = chance.below(bytes.count)
        switch chance.below(5) {
        case 0: bytes[place] = UInt8(truncatingIfNeeded: chance.bits())
        case 1: bytes[place] ^= 1 << UInt8(chance.below(8))
        case 2: bytes.remove(at: place)
        case 3: bytes.insert(UInt8(truncatingIfNeeded: chance.bits()), at: place)
        default: bytes.insert(contentsOf: bytes[place...].prefix(chance.below(40)), at: chance.below(bytes.count))
        }
    }
}
