import LonghaulCore

/// Responses on standard output.
enum ResponseOutput {
    /// The responses to more uploads are not printed.
    private static let most = 100

    /// Returns the status line and the headers, as `curl -i` prints them, without secrets.
    static func head(_ response: Response) -> [UInt8] {
        let lines = ["HTTP \(response.status)"] + response.headers.map(\.shown).map { $0.name + ": " + $0.value }
        return Array((lines.joined(separator: "\n") + "\n\n").utf8)
    }

    /// Returns the text as a terminal may show it. A response must not set the title or the colors of a terminal.
    static func harmless(_ content: [UInt8]) -> [UInt8] {
        func cleaned(_ text: Substring, between separators: ArraySlice<Character>) -> String {
            guard let separator = separators.first else { return DisplayText.clean(String(text)) }
            return text.split(separator: separator, omittingEmptySubsequences: false)
                .map { cleaned($0, between: separators.dropFirst()) }.joined(separator: String(separator))
        }
        return Array(cleaned(Substring(String(decoding: content, as: UTF8.self)), between: ["\r\n", "\n", "\t"]).utf8)
    }

    /// Prints the bodies of the responses to successful uploads: many servers answer with the URL of the file.
    static func printBodies(
        ofUploads ids: [TransferID], in session: SessionID, _ world: World
    ) async throws(TransferFailure) {
        guard !ids.isEmpty, ids.count <= most else { return }
        let service = try await world.connect(true)
        defer { service.close() }
        for id in ids {
            // The user may have removed the transfer meanwhile.
            guard let detail = try? await service.show(id, in: session), detail.snapshot.state == .succeeded,
                let body = detail.response?.body, !body.isEmpty
            else { continue }
            if world.console.isOutputTerminal {
                guard let text = String(validating: body, as: UTF8.self) else { continue }
                for line in text.split(whereSeparator: \.isNewline) {
                    world.console.print(DisplayText.clean(String(line)))
                }
            } else {
                world.console.writeOutput(body)
            }
        }
    }
}
