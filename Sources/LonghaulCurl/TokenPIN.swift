import LonghaulCore
import LonghaulFiles
import LonghaulSystem
import Synchronization

/// The PINs of `pkcs11:` URIs, each in an in-memory file that OpenSSL's engine (libp11) reads.
///
/// The engine prints a URI that it cannot use to standard error, which is the service's log. `CURLOPT_KEYPASSWD` is no
/// substitute: libcurl does not use it for a certificate, and the engine prefers the PIN that it last used, even for
/// another token.
enum TokenPIN {
    /// Kept open, because libcurl reuses a connection only if the URI is the same.
    private static let files = Mutex<[[UInt8]: Descriptor]>([:])
    /// libp11 0.4.12 reads no more of a file, and a token may lock itself after a few wrong PINs.
    private static let longest = 31

    /// Returns the URI with a `pin-source` in place of each `pin-value` (RFC 7512, section 2.3). Returns the path of a
    /// file unchanged.
    static func moved(outOf text: String) throws(TransferFailure) -> String {
        guard text.isToken else { return text }
        let attribute = "pin-value="
        var rest = text.utf8.dropFirst(7)
        var uri = String(text.prefix(7))
        var isQuery = false
        while !rest.isEmpty {
            let isPIN = String(decoding: rest.prefix(attribute.count), as: UTF8.self).lowercased() == attribute
            // The engine separates attributes by any of these, but a PIN in a query may contain the first two.
            let separators = isPIN && isQuery ? "&" : ";?&"
            let end = rest.firstIndex(where: separators.utf8.contains) ?? rest.endIndex
            uri +=
                isPIN
                ? "pin-source=" + (try path(of: rest[..<end].dropFirst(attribute.count)))
                : String(decoding: rest[..<end], as: UTF8.self)
            isQuery = isQuery || rest[end...].first == UInt8(ascii: "?")
            uri += String(decoding: rest[end...].prefix(1), as: UTF8.self)
            rest = rest[end...].dropFirst()
        }
        return uri
    }

    private static func path(of text: some Sequence<UInt8>) throws(TransferFailure) -> String {
        let pin = PercentCoding.decode(text) ?? Array(text)
        guard pin.count <= longest else {
            throw TransferFailure(
                .invalidArgument,
                "A PIN in a pkcs11: URI must have at most \(longest) bytes. Use --pass for a longer PIN.")
        }
        return try files.withLock { files throws(TransferFailure) in
            let file = if let file = files[pin] { file } else { try self.file(holding: pin) }
            files[pin] = file
            return "/proc/self/fd/\(file.number)"
        }
    }

    private static func file(holding pin: [UInt8]) throws(TransferFailure) -> Descriptor {
        do throws(SystemError) {
            let file = try Descriptor.inMemory(named: "longhaul-pin")
            try file.write(pin)
            return file
        } catch {
            throw systemFailure(error)
        }
    }
}
