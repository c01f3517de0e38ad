import Glibc
import Longhaul

// BackgroundDownload URL DIRECTORY
//
// Submits a download and exits immediately. When the download has ended, the service starts the program again. The program
// then appends the result to DIRECTORY/finished.txt and exits.

@main struct BackgroundDownload {
    static let session = "org.example.background-download"

    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do throws(TransferFailure) {
            if let request = WakeRequest.current, let list = arguments.first {
                try await takeIn(request.session, list)
            } else if arguments.count == 2 {
                try await ask(for: arguments[0], to: arguments[1])
            } else {
                print("usage: BackgroundDownload URL DIRECTORY")
            }
        } catch {
            print(error.message)
            exit(1)
        }
    }

    static func ask(for url: String, to directory: String) async throws(TransferFailure) {
        var configuration = TransferSession.Configuration()
        configuration.wake = .thisProgram(directory + "/finished.txt")
        let session = try await TransferSession.open(session, configuration: configuration)
        try await session.download(from: url, to: directory, key: url)
        print("The download continues without this program.")
    }

    /// Appends each event to the list before acknowledging it. A crash in between repeats a line, but loses none.
    static func takeIn(_ session: String, _ list: String) async throws(TransferFailure) {
        let session = try await TransferSession.open(session)
        for try await event in session.events {
            switch event.kind {
            case .transferFinished(let transfer): append("\(transfer.name): \(transfer.state)", to: list)
            case .needsCredentials(let transfer): append("\(transfer.name) needs a password", to: list)
            default: break
            }
            try await session.acknowledge(event)
            if event.kind == .allTransfersFinished { return }
        }
    }

    static func append(_ line: String, to path: String) {
        guard let file = fopen(path, "ae") else { return }
        fputs(line + "\n", file)
        fclose(file)
    }
}
