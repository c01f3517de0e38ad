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
                "The signature of \(name) cannot be checked, since gpgv does not run: \(error.text). Install gpgv and retry.",
                origin: error.origin)
        }
        let lines = String(decoding: answer.output, as: UTF8.self).split(separator: "\n")
        func says(_ word: String) -> Bool { lines.contains { $0.hasPrefix("[GNUPG:] \(word)") } }
        if answer.status == 0, says("GOODSIG"), says("VALIDSIG") { return }
        if !says("BADSIG"), !says("NO_PUBKEY"), let date = Self.timeOfErrors(lines), date > SystemClock.wallTime() {
            let text = CivilTime(secondsSince1970: date.seconds).text()
            throw TransferFailure(
                .notYetValid,
                "The signature of \(name) was made at \(text), which the clock of this machine has not reached. Check the clock."
            )
        }
        let reason =
            says("BADSIG")
            ? "it was made for another content. Find out who changed the file."
            : says("NO_PUBKEY")
                ? "it was made with a key that is not in \(keyring)."
                : says("EXPKEYSIG") || says("EXPSIG") || says("REVKEYSIG")
                    ? "it, or its key, has expired or was revoked."
                    : "gpgv finds none that it can check. Look at the signature, and at the keyring \(keyring)."
        throw TransferFailure(.signatureInvalid, "The signature of \(name) is not accepted: \(reason)")
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
