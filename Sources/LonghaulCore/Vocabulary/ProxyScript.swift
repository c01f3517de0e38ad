/// What a script interpreter is given to ask a proxy script (PAC) about one server: the functions that such scripts may call, the script, and the
/// question. It needs nothing from outside but what is written into it, so that the interpreter need not be trusted with anything.
package enum ProxyScript {
    /// Before what the script answers.
    package static let mark = "longhaul-proxy:"

    /// `addresses` are those of the host, where they are known; `own` is an address of this machine. Only the origin of a URL is told, as
    /// browsers do with what is secret.
    package static func program(_ script: String, for url: TransferURL, addresses: [String], own: String) -> String {
        let facts = [
            "HOST": url.host, "ORIGIN": url.origin + "/", "ADDRESS": addresses.first ?? "", "OWN": own,
        ]
        let lines = facts.sorted { $0.key < $1.key }.map { "var LONGHAUL_\($0.key) = \(literal($0.value));" }
        return lines.joined(separator: "\n") + "\n" + functions + "\n" + script + "\n" + question
    }

    /// What the interpreter wrote: the script's answer.
    package static func answer(in output: String) -> String? {
        let line = output.split(separator: "\n").last { $0.hasPrefix(mark) }
        return line.map { String($0.dropFirst(mark.count)) }
    }

    /// Whether the script may want to know the host's address: it is looked up only then.
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

    /// What the interpreter has beside the language is taken away first: its loader of modules reads files.
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
