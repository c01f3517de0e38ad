/// What the service takes from one client before it lets go of it.
package struct ServerLimits: Sendable {
    /// Connected clients.
    package var clients = 256
    /// The largest frame, without its length.
    package var frame = Frame.limit
    /// The largest frame before the client has said hello.
    package var helloFrame = 4 << 10
    /// Within this time a client has said hello.
    package var helloTime = Duration.seconds(10)
    /// Within this time a frame that has begun is complete.
    package var frameTime = Duration.seconds(30)
    /// So much of a frame that is not complete any client may leave here.
    package var smallFrame = 64 << 10
    /// What longer frames may take together, by the lengths that they announce. Those beyond are read later, in the order in
    /// which they began.
    package var largeFrames = 64 << 20
    /// Requests of one client that are not answered yet; no more are read from it until one is.
    package var requestsAtOnce = 16
    /// Bytes that wait for the client to read them; no more requests are read from it above that.
    package var outputHighWater = 4 << 20
    /// Bytes above which the client is closed.
    package var outputLimit = 16 << 20
    /// With more bytes than `outputPatience` waiting, the client must read something within `stallTime`.
    package var outputPatience = 2 << 20
    package var stallTime = Duration.seconds(30)
    /// Watch updates are asked for only below this many waiting bytes: what a client has not room for is not made.
    package var updateLowWater = 256 << 10
    /// How many updates are being made at a time for one client, and for all.
    package var pullsOfClient = 8
    package var pulls = 64
    /// What the watches and streams of one client may take, and those of all: `streamBytes` for each and `nameBytes` for each
    /// transfer that was named.
    package var watchBytesOfClient = 32 << 20
    package var watchBytes = 128 << 20
    package var streamBytes = 1 << 10
    package var nameBytes = 64

    /// Descriptors that are kept for clients who come when no other is left.
    package var spareDescriptors = 32

    package init() {}
}
