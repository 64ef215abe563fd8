import Testing

@testable import Packager

struct HostScheduleTests {
    @Test func `hosts take turns, and none gets more at once than it should`() {
        var schedule = HostSchedule(["a", "a", "a", "b"], perHost: 2, total: 10)
        #expect(schedule.next(at: .zero) == .start(0))
        #expect(schedule.next(at: .zero) == .start(3))
        #expect(schedule.next(at: .zero) == .start(1))
        #expect(schedule.next(at: .zero) == .busy)
        schedule.finish("a")
        #expect(schedule.next(at: .zero) == .start(2))
        for host in ["a", "a", "b"] { schedule.finish(host) }
        #expect(schedule.next(at: .zero) == .finished)
    }

    @Test func `no more run at once than the total`() {
        var schedule = HostSchedule(["a", "b"], perHost: 8, total: 1)
        #expect(schedule.next(at: .zero) == .start(0))
        #expect(schedule.next(at: .zero) == .busy)
        schedule.finish("a")
        #expect(schedule.next(at: .zero) == .start(1))
    }

    @Test func `a host with a delay is asked one by one, and not before its time`() {
        var schedule = HostSchedule(["a", "a", "b"], perHost: 8, total: 8, delays: ["a": .seconds(2)])
        #expect(schedule.next(at: .zero) == .start(0))
        #expect(schedule.next(at: .zero) == .start(2))
        #expect(schedule.next(at: .seconds(3)) == .busy)
        schedule.finish("a")
        #expect(schedule.next(at: .seconds(1)) == .wait(until: .seconds(2)))
        #expect(schedule.next(at: .seconds(2)) == .start(1))
        #expect(schedule.notBefore == ["a": .seconds(4)])
    }

    @Test func `a delay lasts from one round to the next`() {
        var schedule = HostSchedule(
            ["a"],
            perHost: 8,
            total: 8,
            delays: ["a": .seconds(2)],
            notBefore: ["a": .seconds(4)]
        )
        #expect(schedule.next(at: .seconds(3)) == .wait(until: .seconds(4)))
        #expect(schedule.next(at: .seconds(4)) == .start(0))
    }
}
