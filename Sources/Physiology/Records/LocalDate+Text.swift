extension LocalDate {
    /// The day that `2026-03-04` names; nil for a text that is no date.
    package init?(_ text: String) {
        guard let match = text.wholeMatch(of: /(\d{4})-(\d\d)-(\d\d)/), let year = Int(match.1),
            let month = Int(match.2), let day = Int(match.3)
        else { return nil }
        self.init(year: year, month: month, day: day)
        // 30 February has the number of a day in March.
        guard LocalDate(number: number) == self else { return nil }
    }
}
