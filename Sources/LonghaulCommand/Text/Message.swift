import LonghaulCore

/// An English sentence with its values apart, as gettext needs it: the template is the key of the translations.
struct Message: ExpressibleByStringInterpolation, Equatable, Sendable {
    /// `%1`, `%2`, … stand for the values, so that a translation can change their order.
    let template: String
    let values: [String]

    init(stringLiteral value: String) {
        self.init(template: value, values: [])
    }

    init(stringInterpolation interpolation: StringInterpolation) {
        self.init(template: interpolation.template, values: interpolation.values)
    }

    private init(template: String, values: [String]) {
        self.template = template
        self.values = values
    }

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var template = ""
        fileprivate var values: [String] = []

        init(literalCapacity: Int, interpolationCount: Int) {}

        mutating func appendLiteral(_ literal: String) {
            template += literal
        }

        mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            values.append(value.description)
            template += "%\(values.count)"
        }
    }

    static func + (left: Message, right: Message) -> Message {
        let moved = fill(right.template, with: right.values.indices.map { "%\(left.values.count + $0 + 1)" })
        return Message(template: left.template + moved, values: left.values + right.values)
    }

    var english: String { Self.fill(template, with: values) }

    /// Replaces `%1`, `%2`, … by the values. A number without a value stays as it is.
    static func fill(_ template: String, with values: [String]) -> String {
        guard !values.isEmpty else { return template }
        var filled = ""
        var rest = Substring(template)
        while let percent = rest.firstIndex(of: "%") {
            filled += rest[..<percent]
            rest = rest[rest.index(after: percent)...]
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            guard let number = Int(digits), values.indices.contains(number - 1) else {
                filled += "%"
                continue
            }
            filled += values[number - 1]
            rest = rest[digits.endIndex...]
        }
        return filled + rest
    }
}

/// The language in which the command addresses the user.
enum Language {
    /// `nil` for English.
    @TaskLocal static var catalogue: Catalogue?
}

/// Returns the message in the user's language, or in English if there is no translation.
func tr(_ message: Message) -> String {
    Language.catalogue?.text(message) ?? message.english
}

extension String {
    /// The text of the service in the user's language. The service and the library know only English.
    var translated: String { Language.catalogue?.sentences(self) ?? self }
}

extension TransferFailure {
    /// The failure with its sentences in the user's language.
    var translated: TransferFailure {
        var failure = self
        failure.summary = summary.translated
        failure.advice = advice?.translated
        return failure
    }
}
