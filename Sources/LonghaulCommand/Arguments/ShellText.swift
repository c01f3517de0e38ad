import LonghaulCore

/// Host names at the beginning of words that have no scheme.
enum HostText {
    /// Returns whether the word starts with a possible host: a name with dots, `localhost`, or a name with a port.
    static func isHost(_ word: String) -> Bool {
        guard !word.contains("://"), let site = site(word), !word.hasPrefix(".") else { return false }
        let parts = site.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let hasPort = parts.count == 2 && !parts[1].isEmpty && parts[1].allSatisfy(\.isNumber)
        guard parts.count == 1 || hasPort else { return site.hasPrefix("[") && site.contains("]") }
        let name = parts[0]
        let isName = !name.isEmpty && name.allSatisfy { $0.isLetter || $0.isNumber || "-._".contains($0) }
        guard isName, !hasPort, name != "localhost" else { return isName }
        // A file has no path after its name, and often a known ending.
        let isFile = site == word && MediaType.guess(fileName: word) != MediaType.guess(fileName: "")
        return name.dropFirst().dropLast().contains(".") && !isFile
    }

    /// The URL that is most likely meant. Programs under development rarely have a certificate.
    static func url(_ word: String) -> String {
        let site = site(word) ?? ""
        let isLocal = site.hasPrefix("localhost") || site.hasPrefix("127.") || site.hasPrefix("[::1]")
        return (isLocal ? "http://" : "https://") + word
    }

    private static func site(_ word: String) -> Substring? {
        let site = word.prefix { !"/?#".contains($0) }
        return site.isEmpty ? nil : site
    }
}

/// A command line as it is typed in a shell.
enum ShellText {
    /// Returns the command without passwords: `PASSWORD` stands for one in a URL, and Longhaul prompts for the others.
    static func line(_ words: [String]) -> String {
        var shown = ["longhaul"]
        for (index, word) in words.enumerated() {
            shown.append(quoted(withoutSecret(word, after: index > 0 ? words[index - 1] : "")))
        }
        return shown.joined(separator: " ")
    }

    private static func withoutSecret(_ word: String, after option: String) -> String {
        if ["-u", "-U", "--user", "--proxy-user"].contains(option)
            || ["--user=", "--proxy-user="].contains(where: word.hasPrefix)
        {
            return LoginText(word).name
        }
        if option == "--pass" { return "-" }
        guard ["-E", "--cert"].contains(option) else { return withoutPassword(word) }
        return word.isToken || LocalFiles.exists(word) ? word : LoginText(word).name
    }

    private static func withoutPassword(_ word: String) -> String {
        guard word.contains("://"), let url = try? TransferURL(parsing: word), let login = url.userInfo,
            let colon = login.firstIndex(of: ":")
        else { return word }
        return word.replacing(login + "@", with: login[...colon] + "PASSWORD@", maxReplacements: 1)
    }

    private static func quoted(_ word: String) -> String {
        let isPlain =
            !word.isEmpty
            && word.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "-_./:@%+=,".utf8.contains(byte)
                }
            }
        return isPlain ? word : "'" + word.replacing("'", with: #"'\''"#) + "'"
    }
}
