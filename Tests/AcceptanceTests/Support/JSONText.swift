/// One line of JSON, parsed as far as tests need it: the first member of a name, wherever it is.
struct JSONText: Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    /// The value of a member, without its quotes; `nil` if it is absent or null.
    subscript(name: String) -> String? {
        guard let start = text.range(after: "\"\(name)\":") else { return nil }
        let rest = text[start...]
        if rest.first == "\"" {
            var value = ""
            var isEscaped = false
            for character in rest.dropFirst() {
                if isEscaped {
                    value.append(character)
                    isEscaped = false
                } else if character == "\\" {
                    isEscaped = true
                } else if character == "\"" {
                    break
                } else {
                    value.append(character)
                }
            }
            return value
        }
        let value = String(rest.prefix { !",}]".contains($0) })
        return value == "null" ? nil : value
    }

    func number(_ name: String) -> Int64? { self[name].flatMap { Int64($0) } }
}

extension String {
    /// Returns where the text continues after the first occurrence of another.
    func range(after part: String) -> String.Index? {
        var rest = utf8[...]
        let wanted = Array(part.utf8)
        while rest.count >= wanted.count {
            if rest.starts(with: wanted) { return rest.index(rest.startIndex, offsetBy: wanted.count) }
            rest = rest.dropFirst()
        }
        return nil
    }
}
