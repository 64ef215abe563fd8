internal import HTTPCaching

/// A received response as memory has it; never changed, only replaced.
final class ReceivedVariant: Sendable {
    let id: Int64
    init(id: Int64) { self.id = id }
}
