import AFCText
import ArgumentParser
import Testing

@testable import AFCProgram

struct QuantityParserTests {
    @Test(
        arguments: [
            ("0", 0), ("1", 1), ("512k", 512_000), ("512K", 512_000), ("2G", 2_000_000_000), ("1.5M", 1_500_000),
            ("64Mi", 67_108_864), ("64 MiB", 67_108_864), ("1T", 1_000_000_000_000), ("1Ti", 1_099_511_627_776),
            ("100B", 100), ("0.5Ki", 512), ("1.0009k", 1000), ("9223372036854775807", .max),
            ("9223372.036854775807T", nil),
            ("9223372036854775808", nil), ("9223373T", nil), ("9223372036854775.807k", .max), ("", nil), ("k", nil),
            ("-1", nil), ("+1", nil), ("1e3", nil), ("1,5k", nil), ("1.2.3", nil), ("1kk", nil), ("٣", nil),
            ("0x10", nil),
            ("1.1234567891k", nil), ("1P", nil), (".5k", nil), ("5.", nil),
        ] as [(String, Int64?)]
    ) func `a size is digits, perhaps decimals, perhaps a unit`(text: String, expected: Int64?) {
        #expect(ByteSize.parse(text) == expected)
    }

    @Test(
        arguments: [
            ("0", 0), ("2", 2_000), ("90s", 90_000), ("250ms", 250), ("2h", 7_200_000), ("1.5h", 5_400_000),
            ("1h30m", 5_400_000), ("1h30m5s", 5_405_000), ("10min", 600_000), ("1D", 86_400_000), ("0.001", 1),
            ("0.0004", 0), ("366000d", 31_622_400_000_000), ("366001d", nil), ("1h30", nil), ("", nil), ("s", nil),
            ("-1s", nil), ("1 h", nil), ("5y", nil), ("99999999999999999999s", nil), ("1..5s", nil),
        ] as [(String, Int64?)]
    ) func `a duration is numbers with units, or seconds`(text: String, expected: Int64?) {
        #expect(TimeSpan.parse(text) == expected.map { .milliseconds($0) })
    }

    @Test(
        arguments: [
            ("0", 0), ("100000", 100_000), ("100k", 100_000), ("1.5M", 1_500_000), ("1Ki", nil), ("1kB", nil),
            ("1 ", nil), ("", nil), ("-1", nil), ("k", nil),
        ] as [(String, Int64?)]
    ) func `a count has a unit of thousands, or none`(text: String, expected: Int64?) {
        #expect(ByteSize.parseCount(text) == expected)
    }

    @Test(arguments: [("1d", 86_400), ("86400", 86_400), ("1h30m", 5_400), ("1.5m", 90), ("0", 0)])
    func `whole seconds may be written with units`(text: String, expected: Int64) throws {
        #expect(try TimeSpan.secondsArgument(text) == expected)
    }

    @Test func `an invalid quantity is refused with the right form`() {
        #expect(throws: ValidationError.self) { try ByteSize.argument("many") }
        #expect(throws: ValidationError.self) { try TimeSpan.argument("soon") }
        #expect(throws: ValidationError.self) { try TimeSpan.secondsArgument("1.5s") }
        #expect(throws: ValidationError.self) { try StaleAllowance(argument: "always") }
        #expect(throws: ValidationError.self) { try LimitArgument.bytes("nothing") }
    }
}
