import Foundation

/// The command line of `bench`.
struct Arguments {
    var cases = BenchCase.all
    /// `nil` for each case's own number.
    var rounds: Int?
    /// The commit that was built, for the table.
    var commit: String?
    /// The directory for the table; none if nil.
    var output: String?

    static let usage = """
        usage: bench [--case NAME]… [--rounds N] [--commit COMMIT] [--output DIRECTORY]
                     [--list] [--selftest]

          --case NAME    only this case; may be repeated
          --rounds N     run each case this often (default 7, slow cases 3)
          --commit TEXT  name this commit in the table
          --output DIR   write table.md there
          --list         print the cases
          --selftest     check that impossible values fail, without a measurement
        """

    /// Nil after `--list`, `--selftest`, or `--help`.
    init?(_ words: [String]) throws {
        var rest = words[...]
        var chosen: [BenchCase] = []
        while let word = rest.popFirst() {
            switch word {
            case "--case":
                guard let name = rest.popFirst(), let found = BenchCase.all.first(where: { $0.name == name }) else {
                    throw BenchFailure("--case needs one of: \(BenchCase.all.map(\.name).joined(separator: ", "))")
                }
                chosen.append(found)
            case "--rounds":
                guard let number = rest.popFirst().flatMap({ Int($0) }), number > 0 else {
                    throw BenchFailure("--rounds needs a number, 1 or more")
                }
                rounds = number
            case "--commit":
                guard let text = rest.popFirst() else { throw BenchFailure("--commit needs a commit") }
                commit = text
            case "--output":
                guard let directory = rest.popFirst() else { throw BenchFailure("--output needs a directory") }
                output = directory
            case "--list":
                for item in BenchCase.all {
                    print("\(item.name.padding(toLength: 16, withPad: " ", startingAt: 0))\(item.title)")
                }
                return nil
            case "--selftest":
                try SelfTest.run()
                return nil
            case "--help":
                print(Self.usage)
                return nil
            default: throw BenchFailure("\(word) is not understood\n\(Self.usage)")
            }
        }
        if !chosen.isEmpty { cases = chosen }
    }
}
