import Testing

/// Lets only a few tests run at a time: each starts several programs, for which a small machine has no room otherwise.
struct FewAtOnce: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        await Room.shared.enter()
        do {
            try await function()
        } catch {
            await Room.shared.leave()
            throw error
        }
        await Room.shared.leave()
    }

    private actor Room {
        static let shared = Room()
        private var places = 4
        private var waiting: [CheckedContinuation<Void, Never>] = []

        func enter() async {
            guard places == 0 else {
                places -= 1
                return
            }
            await withCheckedContinuation { waiting.append($0) }
        }

        func leave() {
            if waiting.isEmpty { places += 1 } else { waiting.removeFirst().resume() }
        }
    }
}

extension Trait where Self == FewAtOnce {
    static var fewAtOnce: Self { Self() }
}
