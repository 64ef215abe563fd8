import Testing

@testable import AFCache

/// Moments that many wait for.
@Suite(.timeLimit(.minutes(10)))
struct AlarmTests {
    @Test func `each waits until its own moment, later ones too, and a cancelled one not at all`() async {
        let alarms = Alarms()
        let start = ContinuousClock.now
        let offsets = [300, 20, 200, 20, 100, 1]
        await withTaskGroup(of: (Int, Bool, ContinuousClock.Instant).self) { group in
            for offset in offsets {
                group.addTask {
                    let isOver = await alarms.wait(until: start + .milliseconds(offset))
                    return (offset, isOver, ContinuousClock.now)
                }
            }
            let cancelled = Task { await alarms.wait(until: start + .seconds(3600)) }
            cancelled.cancel()
            #expect(await cancelled.value == false)
            for await (offset, isOver, time) in group {
                #expect(isOver && time >= start + .milliseconds(offset))
            }
        }
        #expect(alarms.count == 0)
    }

    @Test func `thousands that are cancelled leave nothing behind`() async {
        let alarms = Alarms()
        for _ in 0..<5000 {
            let task = Task { await alarms.wait(until: .now + .seconds(3600)) }
            await Task.yield()
            task.cancel()
            #expect(await task.value == false)
        }
        #expect(alarms.count == 0)
    }
}
