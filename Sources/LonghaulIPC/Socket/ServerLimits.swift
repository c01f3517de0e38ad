/// The limits of a client, beyond which the service disconnects it or stops reading from it.
package struct ServerLimits: Sendable {
    /// Connected clients.
    package var clients = 256
    /// The largest frame, without its length.
    package var frame = Frame.limit
    /// The largest frame before the client has sent `hello`.
    package var helloFrame = 4 << 10
    /// The time for a client to send `hello`.
    package var helloTime = Duration.seconds(10)
    /// The time for a frame to be complete after its start.
    package var frameTime = Duration.seconds(30)
    /// The bytes of an incomplete frame that are buffered for every client.
    package var smallFrame = 64 << 10
    /// The memory for longer frames together, by their announced lengths. Further long frames are read later, in the
    /// order in which they started.
    package var largeFrames = 64 << 20
    /// Unanswered requests of one client; no more are read from it until one is answered.
    package var requestsAtOnce = 16
    /// Bytes that wait for the client to read them; above that, no more requests are read from it.
    package var outputHighWater = 4 << 20
    /// The memory for the answers of all clients that are not read yet. An unfinished answer counts as `answerBytes`. While there is
    /// no room, each client gets one answer at a time.
    package var answers = 64 << 20
    package var answerBytes = 128 << 10
    /// Bytes above which the client is closed.
    package var outputLimit = 16 << 20
    /// If more bytes than `outputPatience` are waiting, the client must read some within `stallTime`.
    package var outputPatience = 2 << 20
    package var stallTime = Duration.seconds(30)
    /// Watch updates are made only if fewer bytes than this are waiting: the client must have room for an update before it is made.
    package var updateLowWater = 256 << 10
    /// The number of updates that are made at a time for one client, and for all.
    package var pullsOfClient = 8
    package var pulls = 64
    /// The memory for the watches and streams of one client, and of all: `streamBytes` for each, and `nameBytes` for
    /// each transfer that is named.
    package var watchBytesOfClient = 32 << 20
    package var watchBytes = 128 << 20
    package var streamBytes = 1 << 10
    package var nameBytes = 64

    /// Descriptors that are reserved for clients that connect when no other is available.
    package var spareDescriptors = 32

    package init() {}
}
