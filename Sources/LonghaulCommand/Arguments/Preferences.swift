import LonghaulCore
import LonghaulSystem

/// Options for every transfer: one on each line of `$XDG_CONFIG_HOME/longhaul/options`, as on the command line or without
/// the dashes. Options on the command line override them.
enum Preferences {
    /// Returns the words to read before those of a command. Options that only other commands have are ignored.
    static func words(for command: Command, _ world: World) throws(TransferFailure) -> [String] {
        let starters: [Command] = [.download, .upload, .request]
        guard starters.contains(where: { $0.name == command.name }), let path = path(world.environment),
            LocalFiles.exists(path)
        else { return [] }
        let text = String(decoding: try LocalFiles.readAll(path, limit: 64 << 10), as: UTF8.self)
        var words: [String] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let line = line.trimming(\.isWhitespace)
            guard let first = line.first, first != "#" else { continue }
            do throws(TransferFailure) {
                words += try self.words(ofLine: line, command, starters)
            } catch {
                throw TransferFailure(error.code, "\(path):\(index + 1): \(error.message)")
            }
        }
        return words
    }

    private static func path(_ environment: [String: String]) -> String? {
        if let configuration = environment["XDG_CONFIG_HOME"], configuration.hasPrefix("/") {
            return configuration + "/longhaul/options"
        }
        return environment["HOME"].flatMap { $0.isEmpty ? nil : $0 + "/.config/longhaul/options" }
    }

    private static func words(
        ofLine line: Substring, _ command: Command, _ starters: [Command]
    ) throws(TransferFailure) -> [String] {
        let dashless = line.drop { $0 == "-" }
        let name = dashless.prefix { !$0.isWhitespace && $0 != "=" }
        let value = dashless[name.endIndex...].drop { $0.isWhitespace || $0 == "=" }
        let isLetter = line.hasPrefix("-") && !line.hasPrefix("--") && name.count == 1
        let typed = String(line.prefix { $0 == "-" } + name)
        let known = starters.lazy.flatMap(\.options).first { option in
            isLetter ? option.short.map { name == String($0) } ?? false : option.long == name
        }
        guard let known else {
            throw .usage("There is no option \(isLetter || typed.hasPrefix("-") ? typed : "--" + typed).")
        }
        guard !known.isGivenOnce, ![.detach, .json].contains(known) else {
            throw .usage("--\(known.long) is for the command line only.")
        }
        guard (known.value != nil) != value.isEmpty else {
            throw known.value == nil
                ? .usage("--\(known.long) takes no value.") : .usage("--\(known.long) needs a value.")
        }
        guard command.options.contains(known) else { return [] }
        return known.value == nil ? ["--\(known.long)"] : ["--\(known.long)", String(value)]
    }
}
