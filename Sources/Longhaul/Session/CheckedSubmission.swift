import LonghaulSystem

/// The transfers of one submission. Transfers with invalid local paths are refused before the session gets them.
struct CheckedSubmission {
    private let specs: [TransferSpec]
    private let faults: [Int: TransferFailure]

    init(_ specs: [TransferSpec]) async throws(TransferFailure) {
        guard specs.contains(where: LocalPaths.areNamed) else {
            (self.specs, faults) = (specs, [:])
            return
        }
        (self.specs, faults) = try await Blocking.run { () throws(TransferFailure) in
            let faults = LocalPaths.faults(of: specs)
            var specs = specs
            MountPoints.record(in: &specs, environment: ProcessEnvironment.current)
            return (specs, faults)
        }
    }

    /// Returns the answers in the order of the transfers.
    func submit(to backend: any SessionBackend) async throws(TransferFailure) -> [SubmissionAnswer] {
        let sound = faults.isEmpty ? specs : specs.indices.filter { faults[$0] == nil }.map { specs[$0] }
        var answers = sound.isEmpty ? [] : try await backend.submit(sound)
        guard answers.count == sound.count else {
            throw TransferFailure(
                .protocolMismatch, "The session sent \(answers.count) answers to \(sound.count) submissions.")
        }
        for (index, fault) in faults.sorted(by: { $0.key < $1.key }) { answers.insert(.refused(fault), at: index) }
        return answers
    }
}
