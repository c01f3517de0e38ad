import LonghaulCore
import LonghaulSystem

extension DetachedSignature {
    /// A file of any length is read in this time.
    private static let patience: Int32 = 3_600_000

    /// Asks `gpgv` whether somebody in the keyring has signed what is in the open file.
    func check(_ file: Descriptor, named name: String) throws(TransferFailure) {
        // The file may have no name yet, and what is checked is what gets one.
        let words = [
            "gpgv", "--quiet", "--status-fd", "1", "--logger-fd", "1", "--keyring", keyring, "--", "-",
            "/proc/\(ThisProcess.id)/fd/\(file.number)",
        ]
        let answer: (output: [UInt8], status: Int32)
        do throws(SystemError) {
            answer = try ChildProgram.ask(words, bytes, limit: 1 << 16, withinMilliseconds: Self.patience)
        } catch {
            throw TransferFailure(
                .signatureInvalid,
                "Could not verify the signature of \(name): gpgv failed to run (\(error.text)). Install gpgv, then retry.",
                origin: error.origin)
        }
        let lines = String(decoding: answer.output, as: UTF8.self).split(separator: "\n")
        func says(_ word: String) -> Bool { lines.contains { $0.hasPrefix("[GNUPG:] \(word)") } }
        if answer.status == 0, says("GOODSIG"), says("VALIDSIG") { return }
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

    /// When the latest signature was made that gpgv could not check: by a wrong clock, its key is from the future.
    /// `[GNUPG:] ERRSIG KEY ALGORITHM DIGEST CLASS TIME REASON`.
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
