import LonghaulSystem

/// The transfers of one submission. Transfers with invalid local paths are refused before the session gets them.
struct CheckedSubmission {
    private var specs: [TransferSpec]
    private var faults: [Int: TransferFailure] = [:]
    /// Copies of sources, by transfer. They are not cleaned up while this value holds them.
    private var copies: [Int: [StagedFile]] = [:]

    /// `cloning`: the session keeps its own copies of the sources.
    init(_ specs: [TransferSpec], cloning: SourceCloning? = nil) async throws(TransferFailure) {
        self.specs = specs
        let hasSources = specs.contains { !$0.sources.allSatisfy(\.isStaged) }
        guard hasSources || specs.contains(where: LocalPaths.areNamed) else { return }
        self = try await Blocking.run { [self] () throws(TransferFailure) in
            var checked = self
            checked.faults = LocalPaths.faults(of: specs)
            MountPoints.record(in: &checked.specs, environment: ProcessEnvironment.current)
            if let cloning { checked.clone(cloning) }
            return checked
        }
    }

    private mutating func clone(_ cloning: SourceCloning) {
        for index in specs.indices where faults[index] == nil {
            var made: [StagedFile] = []
            do throws(TransferFailure) {
                specs[index] = try cloning.replaceSources(of: specs[index], &made)
                copies[index] = made
            } catch {
                for copy in made { copy.discard() }
                faults[index] = error
            }
        }
    }

    /// Returns the answers in the order of the transfers.
    func submit(to backend: any SessionBackend) async throws(TransferFailure) -> [SubmissionAnswer] {
        let sound = faults.isEmpty ? specs : specs.indices.filter { faults[$0] == nil }.map { specs[$0] }
        // If this fails, a record may name the copies. Otherwise the next opening deletes them.
        var answers = sound.isEmpty ? [] : try await backend.submit(sound)
        guard answers.count == sound.count else {
            throw TransferFailure(
                .protocolMismatch, "The session sent \(answers.count) answers to \(sound.count) submissions.")
        }
        for (index, fault) in faults.sorted(by: { $0.key < $1.key }) { answers.insert(.refused(fault), at: index) }
        for (index, copies) in copies {
            if case .accepted = answers[index] { continue }
            for copy in copies { copy.discard() }
        }
        return answers
    }
}

/// How a session that an app runs itself keeps copies of source files. The app may lose them: a picker deletes its file, and access to a
/// document ends.
struct SourceCloning: Sendable {
    /// Each transfer has an open file until it is stored, and an app may open 256 files.
    static let batch = 64

    let layout: SessionLayout
    /// Sets the system's attributes of a clone, given its path.
    let prepare: @Sendable (String) -> Void

    /// Returns the transfer with copies of its sources, which are added to `copies`.
    func replaceSources(
        of spec: TransferSpec, _ copies: inout [StagedFile]
    ) throws(TransferFailure) -> TransferSpec {
        guard case .upload(let upload) = spec.work else { return spec }
        var spec = spec
        spec.work = .upload(
            try upload.replacingSources { source throws(TransferFailure) in
                if source.isStaged { return source }
                let copy = try StagedFile(copyOf: source, in: layout, prepare: prepare)
                copies.append(copy)
                return copy.source
            })
        return spec
    }
}
