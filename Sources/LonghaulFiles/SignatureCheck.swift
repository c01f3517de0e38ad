import LonghaulCore
import LonghaulSystem

extension DetachedSignature {
    /// The time limit for reading a file of any length.
    private static let patience: Int32 = 3_600_000

    /// Checks with `gpgv` that a key of the keyring has signed the content of the open file.
    func check(_ file: Descriptor, named name: String) throws(TransferFailure) {
        // gpgv reads no text as a keyring, so it gets the decoded one.
        let readable: Descriptor?
        let answer: (output: [UInt8], status: Int32)
        let keys = try LocalPaths.keyring(at: keyring)
        do throws(SystemError) {
            readable = try Self.binary(keys)
            let keysPath = readable.map { "/proc/\(ThisProcess.id)/fd/\($0.number)" } ?? keyring
            // The file may have no name yet, and the checked file must be the one that is moved into place.
            let words = [
                "gpgv", "--quiet", "--status-fd", "1", "--logger-fd", "1", "--keyring", keysPath, "--", "-",
                "/proc/\(ThisProcess.id)/fd/\(file.number)",
            ]
            answer = try ChildProgram.call(words, bytes, limit: 1 << 16, withinMilliseconds: Self.patience)
        } catch {
            throw TransferFailure(
                .signatureInvalid,
                "Could not verify the signature of \(name): gpgv failed to run (\(error.text)). Install gpgv, then retry.",
                origin: error.origin)
        }
        let lines = String(decoding: answer.output, as: UTF8.self).split(separator: "\n")
        func says(_ word: String) -> Bool { lines.contains { $0.hasPrefix("[GNUPG:] \(word)") } }
        if answer.status == 0, says("GOODSIG"), says("VALIDSIG") { return }
        if says("NODATA") || says("UNEXPECTED") || !OpenPGPFile.isSignature(bytes) {
            throw .unreadableSignature(of: name)
        }
        if !says("BADSIG"), !says("NO_PUBKEY"), let date = Self.timeOfErrors(lines), date > SystemClock.wallTime() {
            let text = CivilTime(secondsSince1970: date.seconds).text()
            throw TransferFailure(
                .notYetValid,
                "The signature of \(name) is dated \(text), which is in the future. Check the clock of this machine."
            )
        }
        if says("BADSIG") {
            throw TransferFailure(
                .signatureInvalid,
                "The signature of \(name) does not match the file. Find out who changed the file.")
        }
        if says("NO_PUBKEY") {
            throw TransferFailure(
                .signatureInvalid, "The signature of \(name) was made with a key that is not in \(keyring).")
        }
        if says("EXPKEYSIG") || says("EXPSIG") || says("REVKEYSIG") {
            throw TransferFailure(
                .signatureInvalid, "The signature of \(name), or its key, has expired or was revoked.")
        }
        throw TransferFailure(
            .signatureInvalid,
            "gpgv found no valid signature of \(name). Check the signature and the keyring \(keyring).")
    }

    /// Returns a file in memory with the keys of a text; `nil` if gpgv reads the keyring itself.
    private static func binary(_ keyring: OpenPGPFile.Keyring) throws(SystemError) -> Descriptor? {
        guard case .decoded(let packets) = keyring else { return nil }
        let file = try Descriptor.inMemory(named: "keyring")
        try file.write(packets)
        return file
    }

    /// Returns the time of the latest signature that gpgv could not check: if the clock is wrong, its key seems to be
    /// from the future. `[GNUPG:] ERRSIG KEY ALGORITHM DIGEST CLASS TIME REASON`.
    private static func timeOfErrors(_ lines: [Substring]) -> WallTime? {
        lines.compactMap { line -> WallTime? in
            let words = line.split(separator: " ")
            guard words.count > 6, words[1] == "ERRSIG", let seconds = Int64(words[6]), seconds < 1 << 40 else {
                return nil
            }
            return WallTime(seconds: seconds)
        }.max()
    }
}

extension TransferFailure {
    fileprivate static func unreadableSignature(of name: String) -> TransferFailure {
        TransferFailure(
            .invalidArgument,
            "The signature of \(name) cannot be read: it is not a detached OpenPGP signature. Check --signature.")
    }
}
