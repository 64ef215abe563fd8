import Testing

@testable import AFCPackageFormat

struct OddDelimiterTests {
    /// Each makes a search begin at each of its repetitions; with the square of the length, a text would take hours.
    @Test(
        .timeLimit(.minutes(10)),
        arguments: ["a ", ", ", "a | ", "a:1 ", "a;", ";a:1", "\u{A0}a", "；a", "1 Jan 1 0:0 "]
    )
    func `a long field is searched in linear time`(part: String) {
        let text = Array(("http://d.example/" + String(repeating: part, count: 400_000 / part.utf8.count)).utf8)
        #expect(text.withUnsafeBufferPointer { OddDelimiter.inURL($0, 0..<$0.count) } == nil)
    }
}
