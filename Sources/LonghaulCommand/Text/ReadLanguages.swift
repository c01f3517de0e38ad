import LonghaulCore

/// The user's languages, from the environment variables of gettext.
enum ReadLanguages {
    /// Returns the possible names of a catalogue, the best first. None means English, which needs no catalogue.
    static func names(_ environment: [String: String]) -> [String] {
        func said(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        guard let locale = said("LC_ALL") ?? said("LC_MESSAGES") ?? said("LANG"),
            // As in gettext, `LANGUAGE` is ignored in the locales `C` and `POSIX`.
            let own = Name(locale[...]), !own.isOfPrograms
        else { return [] }
        var names: [String] = []
        for word in (said("LANGUAGE") ?? locale).split(separator: ":") {
            guard let name = Name(word) else { continue }
            if name.isOfPrograms || name.language == "en" { break }
            for form in name.forms where !names.contains(form) { names.append(form) }
        }
        return names
    }

    /// A locale's name, such as `ko`, `ko_KR.UTF-8` or `sr_RS@latin`.
    private struct Name {
        let language: Substring
        /// The language with its country.
        private let place: Substring
        private let variant: Substring

        /// `nil` for a text that is not a name, such as a path.
        init?(_ text: Substring) {
            place = text.prefix { $0 != "." && $0 != "@" }
            language = place.prefix { $0 != "_" }
            variant = text.drop { $0 != "@" }
            let isName = (place + variant.dropFirst()).utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"): true
                default: false
                }
            }
            guard isName, !language.isEmpty else { return nil }
        }

        /// `C` in any encoding.
        var isOfPrograms: Bool { language == "C" || language == "POSIX" }

        /// The most specific form first.
        var forms: [String] { [place + variant, language + variant, place, language].map(String.init) }
    }
}
