import Glibc
import Longhaul

// SampleApp SESSION FILE URL CAFILE: submits one upload, as it does at every launch, and prints its state until it has
// ended. CAFILE may be empty.
func report(_ line: String) {
    print(line)
    // Output to a pipe is buffered.
    fflush(nil)
}

let arguments = CommandLine.arguments
var configuration = TransferSession.Configuration()
configuration.network.caFile = arguments[4]
let session = try await TransferSession.open(arguments[1], configuration: configuration)
let transfer = try await session.upload(file: arguments[2], to: arguments[3], key: "the upload")
report("submitted \(transfer.id)")
for try await snapshot in transfer.snapshots {
    report("\(snapshot.state) \(snapshot.bytesDone)")
}
report("ended \(try await transfer.value.state)")
