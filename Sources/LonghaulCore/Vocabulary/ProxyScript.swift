/// Programs for a script interpreter that evaluates a proxy script (PAC) for one server: the functions that such scripts may call, the
/// script, and the call. A program contains everything that it needs, so the interpreter can run without privileges.
package enum ProxyScript {
    /// The prefix of the script's answer in the output.
    package static let mark = "longhaul-proxy:"

    /// `addresses` are those of the host, if they are known; `own` is an address of this machine. The script gets only the origin
    /// of a URL, because the rest may be secret, as in browsers.
    package static func program(_ script: String, for url: TransferURL, addresses: [String], own: String) -> String {
        let facts = [
            "HOST": url.host, "ORIGIN": url.origin + "/", "ADDRESS": addresses.first ?? "", "OWN": own,
        ]
        let lines = facts.sorted { $0.key < $1.key }.map { "var LONGHAUL_\($0.key) = \(literal($0.value));" }
        return lines.joined(separator: "\n") + "\n" + functions + "\n" + script + "\n" + question
    }

    /// Returns the script's answer from the interpreter's output.
    package static func answer(in output: String) -> String? {
        let line = output.split(separator: "\n").last { $0.hasPrefix(mark) }
        return line.map { String($0.dropFirst(mark.count)) }
    }

    /// Returns whether the script may need the host's address, which is looked up only then.
    package static func wantsAddress(_ script: String) -> Bool {
        ["dnsResolve", "isInNet", "isResolvable"].contains { script.contains($0) }
    }

    private static func literal(_ text: String) -> String {
        let inner = text.unicodeScalars.map { scalar in
            if scalar.isASCII, scalar.value >= 0x20, scalar != "\\", scalar != "\"" { return String(scalar) }
            return String(scalar).utf16.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }.joined()
        }
        return "\"" + inner.joined() + "\""
    }

    private static let question = """
        ;print("\(mark)" + FindProxyForURL(LONGHAUL_ORIGIN, LONGHAUL_HOST));
        """

    /// Features of the interpreter beyond the language are removed first: its module loader reads files.
    private static let functions = #"""
        var require = undefined, Duktape = undefined;
        function alert() {}
        function isPlainHostName(host) { return host.indexOf(".") < 0 && host.indexOf(":") < 0; }
        function dnsDomainIs(host, domain) {
          return host.length >= domain.length && host.substring(host.length - domain.length) === domain;
        }
        function localHostOrDomainIs(host, name) { return host === name || name.lastIndexOf(host + ".", 0) === 0; }
        function dnsDomainLevels(host) { return host.split(".").length - 1; }
        function dnsResolve(host) {
          if (/^\d+\.\d+\.\d+\.\d+$/.test(host)) { return host; }
          return host === LONGHAUL_HOST && LONGHAUL_ADDRESS !== "" ? LONGHAUL_ADDRESS : null;
        }
        function isResolvable(host) { return dnsResolve(host) !== null; }
        function myIpAddress() { return LONGHAUL_OWN; }
        function convert_addr(address) {
          var parts = address.split(".");
          return ((parts[0] & 255) << 24) | ((parts[1] & 255) << 16) | ((parts[2] & 255) << 8) | (parts[3] & 255);
        }
        function isInNet(host, pattern, mask) {
          var address = dnsResolve(host);
          if (address === null || !/^\d+\.\d+\.\d+\.\d+$/.test(address)) { return false; }
          return (convert_addr(address) & convert_addr(mask)) === (convert_addr(pattern) & convert_addr(mask));
        }
        function shExpMatch(text, pattern) {
          var escaped = pattern.replace(/[.+^${}()|[\]\\]/g, "\\$&").replace(/\*/g, ".*").replace(/\?/g, ".");
          return new RegExp("^" + escaped + "$").test(text);
        }
        function weekdayRange(first, last, zone) {
          var names = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"], now = new Date();
          var isUniversal = last === "GMT" || zone === "GMT";
          var day = isUniversal ? now.getUTCDay() : now.getDay();
          var from = names.indexOf(first), to = names.indexOf(last);
          if (to < 0) { to = from; }
          return from <= to ? from <= day && day <= to : from <= day || day <= to;
        }
        function timeRange() {
          var words = Array.prototype.slice.call(arguments), now = new Date();
          var isUniversal = words[words.length - 1] === "GMT";
          if (isUniversal) { words.pop(); }
          var seconds = (isUniversal ? now.getUTCHours() : now.getHours()) * 3600
            + (isUniversal ? now.getUTCMinutes() : now.getMinutes()) * 60
            + (isUniversal ? now.getUTCSeconds() : now.getSeconds());
          function at(list, fill) { return list[0] * 3600 + (list.length > 1 ? list[1] * 60 : 0) + (list[2] || 0) + fill; }
          if (words.length === 1) { return Math.floor(seconds / 3600) === words[0]; }
          var half = words.length / 2, from = at(words.slice(0, half), 0);
          var to = at(words.slice(half), half === 1 ? 0 : half === 2 ? 59 : 0);
          return from <= to ? from <= seconds && seconds <= to : from <= seconds || seconds <= to;
        }
        """#
}
