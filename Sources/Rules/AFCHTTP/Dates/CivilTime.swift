/// The year to second of a point in time in UTC, in the proleptic Gregorian calendar that RFC 3339 and HTTP use.
struct CivilTime: Equatable {
    var year: Int
    var month: Int
    var day: Int
    var hour = 0
    var minute = 0
    var second = 0

    /// Creates the parts of a point in time, by Howard Hinnant's algorithm over eras of 400 years that begin in March.
    init(_ time: Timestamp) {
        let (days, seconds) = time.secondsSinceEpoch.floorDivided(by: 86_400)
        let (era, dayOfEra) = (days + 719_468).floorDivided(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        month = Int(shifted < 10 ? shifted + 3 : shifted - 9)
        day = Int(dayOfYear - (153 * shifted + 2) / 5 + 1)
        year = Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0)
        hour = Int(seconds / 3600)
        minute = Int(seconds / 60 % 60)
        second = Int(seconds % 60)
    }

    /// Creates the parts of the nearest point in time that can be written as text.
    init(textOf time: Timestamp) {
        self.init(min(max(time, .earliestText), .latestText))
    }

    init(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
    }

    /// Returns the point in time, or nil if the day or the time doesn't exist.
    ///
    /// Second 60 is accepted if it is a leap second, the last of a UTC day (RFC 9110 §5.6.7), and means the next
    /// second.
    ///
    /// - Parameter offset: The seconds by which the written time is ahead of UTC.
    /// - Returns: The point in time, or nil.
    @inline(__always)
    func timestamp(offset: Int64 = 0) -> Timestamp? {
        guard UInt(bitPattern: month &- 1) < 12, day >= 1, day <= daysInMonth, UInt(bitPattern: hour) < 24,
            UInt(bitPattern: minute) < 60, UInt(bitPattern: second) <= 60, UInt(bitPattern: year) < 10_000
        else { return nil }
        let seconds = daysSinceEpoch &* 86_400 &+ Int64(hour &* 3600 &+ minute &* 60 &+ second) &- offset
        guard second < 60 || seconds % 86_400 == 0 else { return nil }
        let time = Timestamp(secondsSinceEpoch: seconds)
        return time <= .latestText && time >= .earliestText ? time : nil
    }

    /// The weekday, from 0 for Sunday to 6 for Saturday.
    var weekday: Int { Int((daysSinceEpoch + 4).floorDivided(by: 7).remainder) }

    /// The parts in an order that compares as time does.
    var order: (Int, Int, Int, Int, Int, Int) { (year, month, day, hour, minute, second) }

    private var daysSinceEpoch: Int64 {
        // Counted from March, so that a leap day is the last of its year; eras aren't negative, since years start at 0.
        let shifted = (month <= 2 ? year &- 1 : year) &+ 400
        let era = shifted / 400
        let yearOfEra = shifted &- era &* 400
        let dayOfYear = (153 &* (month > 2 ? month &- 3 : month &+ 9) &+ 2) / 5 &+ day &- 1
        let dayOfEra = yearOfEra &* 365 &+ yearOfEra / 4 &- yearOfEra / 100 &+ dayOfYear
        return Int64((era &- 1) &* 146_097 &+ dayOfEra &- 719_468)
    }

    private var daysInMonth: Int {
        if month == 2 { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28 }
        // 31, 30, 31, … with an exception after July.
        return 30 &+ ((month ^ (month >> 3)) & 1)
    }
}

extension Int64 {
    /// Returns the quotient and the remainder, which is never negative.
    fileprivate func floorDivided(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
