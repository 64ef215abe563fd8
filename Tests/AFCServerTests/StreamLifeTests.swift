import Testing

@testable import AFCServer

/// Each event in each phase of an HTTP/2 stream.
@Suite struct StreamLifeTests {
    private static let makers: [(StreamLife.Phase, [StreamLife.Event])] = [
        (.waiting, []), (.answering, [.head]), (.written, [.head, .lastFrame]), (.answered, [.head, .answer]),
        (.done, [.head, .lastFrame, .answer]), (.closed, [.closed]),
    ]

    /// The phases after a request, a last frame, the end of an answer, and the end of the stream.
    static let table: [(StreamLife.Phase, [StreamLife.Phase])] = [
        (.waiting, [.answering, .waiting, .waiting, .closed]),
        (.answering, [.answering, .written, .answered, .closed]),
        (.written, [.written, .written, .done, .closed]),
        (.answered, [.answered, .done, .answered, .closed]),
        (.done, [.done, .done, .done, .closed]),
        (.closed, [.closed, .closed, .closed, .closed]),
    ]

    @Test func `each event leads from each phase to the expected one`() {
        for ((phase, events), (start, expected)) in zip(Self.makers, Self.table) {
            for (event, next) in zip([StreamLife.Event.head, .lastFrame, .answer, .closed], expected) {
                var life = StreamLife()
                for event in events { life.apply(event) }
                #expect(life.phase == phase && phase == start)
                life.apply(event)
                #expect(life.phase == next, "\(event) in \(phase)")
            }
        }
    }
}
