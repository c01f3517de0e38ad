/// A date and a time of day in UTC, in the proleptic Gregorian calendar.
package struct CivilTime {
    package var year: Int
    /// 1 to 12.
    package var month: Int
    /// 1 to 31.
    package var day: Int
    package var hour: Int
    package var minute: Int
    /// 60 in a leap second, which counts as the first second of the next minute.
    package var second: Int

    package init(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
    }

    package init(secondsSince1970 seconds: Int64) {
        let days = Int(seconds.dividedDown(by: 86_400))
        let secondOfDay = Int(seconds - Int64(days) * 86_400)
        hour = secondOfDay / 3_600
        minute = secondOfDay / 60 % 60
        second = secondOfDay % 60
        // Years are counted from March, so that the leap day is the last of its year, in eras of 400 years.
        let shifted = days + Self.daysFromMarchOfYear0
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Whether the date and the time exist.
    package var isValid: Bool {
        (1...12).contains(month) && (1...daysInMonth).contains(day) && (0...23).contains(hour)
            && (0...59).contains(minute) && (0...60).contains(second)
    }

    /// Only for valid values.
    package var secondsSince1970: Int64 {
        Int64(daysSince1970) * 86_400 + Int64(hour * 3_600 + minute * 60 + second)
    }

    /// 0 for Sunday.
    var weekday: Int {
        let day = (daysSince1970 + 4) % 7
        return day < 0 ? day + 7 : day
    }

    private static let daysFromMarchOfYear0 = 719_468

    private var daysSince1970: Int {
        let yearFromMarch = month <= 2 ? year - 1 : year
        let era = (yearFromMarch >= 0 ? yearFromMarch : yearFromMarch - 399) / 400
        let yearOfEra = yearFromMarch - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - Self.daysFromMarchOfYear0
    }

    private var daysInMonth: Int {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }
}

extension CivilTime {
    /// Returns UTC in ISO 8601's extended form, such as `2025-01-31T23:59:59Z`, or in its basic form, which has no separators.
    package func text(isBasic: Bool = false) -> String {
        func digits(_ number: Int, _ count: Int = 2) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        let date = [digits(year, 4), digits(month), digits(day)].joined(separator: isBasic ? "" : "-")
        let time = [digits(hour), digits(minute), digits(second)].joined(separator: isBasic ? "" : ":")
        return date + "T" + time + "Z"
    }
}
