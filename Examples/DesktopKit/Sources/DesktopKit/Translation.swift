import CDesktop
import Glibc

/// Returns a text in the user's language, from the catalogues of gettext. Returns `text` if there is no translation.
///
/// `%1`, `%2`, and so on are replaced by the values. A translation may have them in another order.
nonisolated public func tr(_ text: String, _ values: String...) -> String {
    // Without a translation, gettext returns the given pointer, which is valid only during the call.
    filled(text.withCString { String(cString: desktop_translate($0)) }, values)
}

/// Returns a text with a number, in the plural form of the user's language. `%1` is replaced by the number.
nonisolated public func tr(_ one: String, many: String, _ count: Int) -> String {
    let text = one.withCString { one in
        many.withCString { many in String(cString: desktop_translate_count(one, many, UInt(max(0, count)))) }
    }
    return filled(text, ["\(count)"])
}

nonisolated private func filled(_ text: String, _ values: [String]) -> String {
    var filled = ""
    var rest = text[...]
    while let mark = rest.firstIndex(of: "%") {
        let next = rest.index(after: mark)
        if next < rest.endIndex, let number = rest[next].wholeNumberValue, values.indices.contains(number - 1) {
            filled += rest[..<mark] + values[number - 1]
            rest = rest[rest.index(after: next)...]
        } else {
            filled += rest[...mark]
            rest = rest[next...]
        }
    }
    return filled + rest
}

/// The catalogues of the apps' texts.
enum Translation {
    /// Selects the language of the environment. The catalogues are in `../share/locale`, relative to the program's directory, or in
    /// `LONGHAUL_CATALOGUES`.
    static func begin() {
        let named = getenv("LONGHAUL_CATALOGUES").map { String(cString: $0) }
        desktop_use_catalogues("longhaul-examples", named ?? directory(above: 2) + "/share/locale")
    }

    private static func directory(above levels: Int) -> String {
        guard let program = g_file_read_link("/proc/self/exe", nil) else { return "/usr" }
        defer { g_free(program) }
        return "/" + String(cString: program).split(separator: "/").dropLast(levels).joined(separator: "/")
    }
}
