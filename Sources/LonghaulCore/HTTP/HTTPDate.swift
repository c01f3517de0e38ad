/// Dates in headers (RFC 9110, section 5.6.7): three forms are read, one is written.
package enum HTTPDate {
    /// Parses an IMF-fixdate, an RFC 850 date, or an asctime date; `nil` for anything else.
    ///
    /// The name of the day must be valid, but need not match the date, which takes precedence.
    package static func parse(_ text: String) -> WallTime? {
        var scanner = FieldScanner(text)
        let dayName = scanner.takeWhile(\.isASCIILetter)
        let moment: CivilTime?
        if scanner.read(",") {
            guard scanner.read(" ") else { return nil }
            if shortDays.contains(where: dayName.elementsEqual) {
                moment = fixdate(&scanner)
            } else if longDays.contains(where: dayName.elementsEqual) {
                moment = rfc850(&scanner)
            } else {
                return nil
            }
        } else {
            guard shortDays.contains(where: dayName.elementsEqual), scanner.read(" ") else { return nil }
            moment = asctime(&scanner)
        }
        guard let moment, moment.isValid, scanner.isAtEnd else { return nil }
        return WallTime(seconds: moment.secondsSince1970)
    }

    /// Returns an IMF-fixdate. Years before 0 and after 9999 have no such form, and are replaced by the nearest end.
    package static func format(_ time: WallTime) -> String {
        let clamped = min(max(time.microseconds, earliest * 1_000_000), latest * 1_000_000)
        let moment = CivilTime(secondsSince1970: WallTime(microseconds: clamped).seconds)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(29)
        bytes += shortDays[moment.weekday]
        bytes += [UInt8(ascii: ","), UInt8(ascii: " ")]
        append(moment.day, digits: 2, to: &bytes)
        bytes.append(UInt8(ascii: " "))
        bytes += months[moment.month - 1]
        bytes.append(UInt8(ascii: " "))
        append(moment.year, digits: 4, to: &bytes)
        for (separator, value) in [(" ", moment.hour), (":", moment.minute), (":", moment.second)] {
            bytes += separator.utf8
            append(value, digits: 2, to: &bytes)
        }
        bytes += " GMT".utf8
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let shortDays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"].map { Array($0.utf8) }
    private static let longDays = [
        "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
    ].map { Array($0.utf8) }
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ].map { Array($0.utf8) }
    /// The first second of the year 0 and the last of 9999.
    private static let earliest: Int64 = -62_167_219_200
    private static let latest: Int64 = 253_402_300_799

    /// `06 Nov 1994 08:49:37 GMT`
    private static func fixdate(_ scanner: inout FieldScanner) -> CivilTime? {
        guard let day = scanner.takeNumber(digits: 2), scanner.read(" "), let month = takeMonth(&scanner),
            scanner.read(" "), let year = scanner.takeNumber(digits: 4), scanner.read(" "),
            let time = takeTime(&scanner), takeZone(&scanner)
        else { return nil }
        return CivilTime(
            year: year, month: month, day: day, hour: time.hour, minute: time.minute, second: time.second)
    }

    /// `06-Nov-94 08:49:37 GMT`. The century comes from a fixed rule, as in POSIX, and not from the clock: such dates were last
    /// written in the 1990s, and a decision must not depend on the current day.
    private static func rfc850(_ scanner: inout FieldScanner) -> CivilTime? {
        guard let day = scanner.takeNumber(digits: 2), scanner.read("-"), let month = takeMonth(&scanner),
            scanner.read("-"), let year = scanner.takeNumber(digits: 2), scanner.read(" "),
            let time = takeTime(&scanner), takeZone(&scanner)
        else { return nil }
        return CivilTime(
            year: year < 69 ? 2000 + year : 1900 + year, month: month, day: day, hour: time.hour,
            minute: time.minute, second: time.second)
    }

    /// `Nov  6 08:49:37 1994`
    private static func asctime(_ scanner: inout FieldScanner) -> CivilTime? {
        guard let month = takeMonth(&scanner), scanner.read(" "),
            let day = scanner.read(" ") ? scanner.takeNumber(digits: 1) : scanner.takeNumber(digits: 2),
            scanner.read(" "), let time = takeTime(&scanner), scanner.read(" "),
            let year = scanner.takeNumber(digits: 4)
        else { return nil }
        return CivilTime(
            year: year, month: month, day: day, hour: time.hour, minute: time.minute, second: time.second)
    }

    private static func takeMonth(_ scanner: inout FieldScanner) -> Int? {
        let name = scanner.takeWhile(\.isASCIILetter)
        guard let index = months.firstIndex(where: name.elementsEqual) else { return nil }
        return index + 1
    }

    private static func takeTime(_ scanner: inout FieldScanner) -> (hour: Int, minute: Int, second: Int)? {
        guard let hour = scanner.takeNumber(digits: 2), scanner.read(":"),
            let minute = scanner.takeNumber(digits: 2), scanner.read(":"),
            let second = scanner.takeNumber(digits: 2)
        else { return nil }
        return (hour, minute, second)
    }

    private static func takeZone(_ scanner: inout FieldScanner) -> Bool {
        scanner.read(" ") && scanner.takeWhile(\.isASCIILetter).elementsEqual("GMT".utf8)
    }

    private static func append(_ value: Int, digits count: Int, to bytes: inout [UInt8]) {
        var divisor = count == 4 ? 1_000 : 10
        while divisor > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(value / divisor % 10))
            divisor /= 10
        }
    }
}
