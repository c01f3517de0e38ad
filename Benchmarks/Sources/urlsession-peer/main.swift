// A typical Swift program: URLSession download tasks, a given number at once.
// Usage: urlsession-peer LIST DIRECTORY AT-ONCE. LIST has a URL on each line.
import Foundation
import FoundationNetworking

let arguments = CommandLine.arguments
guard arguments.count == 4, let atOnce = Int(arguments[3]),
    let list = try? String(contentsOfFile: arguments[1], encoding: .utf8)
else {
    FileHandle.standardError.write(Data("usage: urlsession-peer LIST DIRECTORY AT-ONCE\n".utf8))
    exit(2)
}
let urls = list.split(separator: "\n").compactMap { URL(string: String($0)) }
let directory = URL(fileURLWithPath: arguments[2])
let configuration = URLSessionConfiguration.ephemeral
configuration.httpMaximumConnectionsPerHost = atOnce
configuration.urlCache = nil
let session = URLSession(configuration: configuration)

try await withThrowingTaskGroup(of: Void.self) { group in
    var next = urls.makeIterator()
    func addOne() {
        guard let url = next.next() else { return }
        group.addTask {
            let (file, response) = try await session.download(from: url)
            guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw URLError(.badServerResponse) }
            try FileManager.default.moveItem(at: file, to: directory.appendingPathComponent(url.lastPathComponent))
        }
    }
    for _ in 0..<atOnce { addOne() }
    while try await group.next() != nil { addOne() }
}
