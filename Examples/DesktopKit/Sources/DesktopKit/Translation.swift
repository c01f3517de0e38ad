import CDesktop
import Glibc

/// A text in the language of whoever runs the app, as the catalogues of gettext have it; as it is written where there is none.
///
/// `%1`, `%2` and so on stand for the values: another language may have them in another order.
nonisolated public func tr(_ text: String, _ values: String...) -> String {
    // What is not translated comes back as the pointer that was given, which is good for as long as the call.
    filled(text.withCString { String(cString: desktop_translate($0)) }, values)
}

/// A text that counts: each language has its own forms for numbers. `%1` stands for the number.
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

/// Where the texts of the apps are.
enum Translation {
    /// Takes the language that the environment asks for. The catalogues lie where an app is installed, in `../share/locale`
    /// beside it, or in the directory that `LONGHAUL_CATALOGUES` names.
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
