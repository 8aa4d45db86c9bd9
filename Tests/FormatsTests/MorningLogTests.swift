import Foundation
import Physiology
import Protocols
import Testing

@testable import Formats

struct MorningLogTests {
    private func read(_ text: String) throws -> MorningLog { try MorningLog.read(bytes: Array(text.utf8), name: "log") }

    @Test func `an Android log has year, day, month, and 0.0 for no reading`() throws {
        let log = try read(
            """
            date, time, HR,AVNN,SDNN,rMSSD,pNN50,LF,HF,HRV4T_Recovery_Points,training,trainingRPE, trainingTSS, sickness

            2017-19-07,01:00,0.0,0.0,0.0,0.0,0.0,0.0,0.0,,rest,,,not sick
            2017-01-08,08:21,52.19,1149.5,34.07,27.01,5.66,0.02,0.03,6.97,average,3,140.0,sick
            """)
        #expect(log.source == "HRV4Training")
        #expect(log.entries.map { LocalDay.text($0.day) } == ["2017-07-19", "2017-08-01"])
        let (empty, full) = (log.entries[0], log.entries[1])
        #expect(empty.bpm == nil && empty.rmssdMs == nil && empty.load == nil && empty.isSick == false)
        #expect(full.bpm == 52.19 && full.rmssdMs == 27.01 && full.sdnnMs == 34.07 && full.pnn50Percent == 5.66)
        #expect(full.load == 140 && full.perceivedExertion == 3 && full.isSick == true && full.score == 6.97)
    }

    @Test func `lines may end with CR alone, and times in the afternoon of another language`() throws {
        let rows = [
            "\u{FEFF}date,timestamp_measurement,HR,AVNN,SDNN,rMSSD,pNN50,HRV4T_Recovery_Points",
            "2018-04-27 12:01:00 a. m. +0000,-,-,-,-,-,-,-",
            "2018-05-18 12:01:00 a. m. +0000,2018-05-18 7:33:16 a. m. +0000,64.45,940.76,52.96,32.62,8.06,7.19",
            "2018-06-03 12:01:00 a. m. +0000,2018-06-03 6:47:32 p.\u{202F}m. +0200,67.28,888.56,51.76,60.79,25.40,8.13",
        ]
        let log = try read(rows.joined(separator: "\r"))
        #expect(log.entries.map { LocalDay.text($0.day) } == ["2018-04-27", "2018-05-18", "2018-06-03"])
        let moments = log.entries.map { $0.measured?.timestamp(in: LocalClock(timeZone: .gmt)).description }
        #expect(moments == [nil, "2018-05-18T07:33:16.000Z", "2018-06-03T16:47:32.000Z"])
    }

    @Test func `a log of Elite HRV has local times`() throws {
        let log = try read(
            """
            Member,Date,Datetime,Type,HRV,lnRmssd,Rmssd,Nn50,Pnn50,Sdnn,Score,Indication,Balance,Rolling Avg HRV,HRV CV,HR,Rolling Avg HR
            A,2017-09-06,2017-09-06 06:23:22,readiness,57,3.7105,40.87,32,21.33,61.9,,,,57,0,50.46,50.46
            """)
        #expect(log.source == "Elite HRV")
        let entry = try #require(log.entries.first)
        #expect(entry.rmssdMs == 40.87 && entry.sdnnMs == 61.9 && entry.bpm == 50.46 && entry.score == 57)
        let berlin = LocalClock(timeZone: try #require(TimeZone(identifier: "Europe/Berlin")))
        #expect(entry.measured?.timestamp(in: berlin).description == "2017-09-06T04:23:22.000Z")
        // Elite HRV's score is 100 · ln(RMSSD) / 6.5.
        #expect(abs(100 * Foundation.log(40.87) / 6.5 - 57) < 0.5)
    }

    @Test func `readings become records, loads and empty days are counted`() throws {
        let log = try read(
            "date,rmssd_ms,hr_bpm,tss\n2024-01-01,40,50,90\n2024-01-02,,,\n2024-01-03,42,51,\n2024-01-03,,,30\n")
        var records: [BodyRecord] = []
        let tally = try log.records(clock: LocalClock(timeZone: .gmt)) { records.append($0) }
        #expect(records.count == 2 && tally.taken == ["variability": 2])
        #expect(tally.skipped["day without a reading"] == 1 && tally.skipped["second row of a day"] == 1)
        guard case .variability(let first) = records[0] else {
            Issue.record("no reading")
            return
        }
        #expect(first.kind == .morning && first.rmssdMs == 40 && first.bpm == 50)
        #expect(first.start.description == "2024-01-01T07:00:00.000Z")
        #expect(log.entries.last?.load == 30 && log.entries.last?.rmssdMs == 42)
    }

    @Test(arguments: ["date,tss\n", "a,b\n1,2\n", "date,rmssd\nyesterday,40\n"])
    func `what is no log is refused by name`(text: String) {
        #expect(throws: FormatError.self) { try read(text) }
    }

    @Test(arguments: [
        ("date,HR,rMSSD\n2024-01-01,50,40\n", FileFormat.morningLog), ("date,tss\n2024-01-01,50\n", .morningLog),
        ("elapsed_s,power_w,hr_bpm,cadence_rpm\n0,0,68,0\n", .ride),
        ("time,bpm\n2024-01-01T00:00:00Z,50\n", .recording),
        ("timestamp_measurement,HR,AVNN,SDNN,rMSSD\r2024-01-01,50,40\r", .morningLog),
    ])
    func `the columns say what a table is`(text: String, format: FileFormat) throws {
        #expect(try FileFormat.detect(head: Array(text.utf8), name: "table.csv") == format)
    }
}
