internal import AFCText
internal import Crypto

/// A part of a batch's sites, for one of several jobs.
public struct BatchShard: Sendable, Equatable, CustomStringConvertible {
    /// The most shards.
    public static let countLimit = 100_000

    /// The number, from 1.
    public var index: Int
    /// How many there are.
    public var count: Int

    /// Creates a shard; nil unless the number is at most the count, and the count at most ``countLimit``.
    ///
    /// - Parameters:
    ///   - index: The number, from 1.
    ///   - count: How many there are.
    public init?(index: Int, count: Int) {
        guard (1...Self.countLimit).contains(count), (1...count).contains(index) else { return nil }
        (self.index, self.count) = (index, count)
    }

    /// The form `3/8`.
    public var description: String { "\(index)/\(count)" }

    /// Returns whether a site belongs to the shard: the first 8 bytes of the SHA-256 of its name, as a number, modulo the
    /// count.
    ///
    /// - Parameter name: The name of the site.
    /// - Returns: True if it does.
    public func contains(_ name: String) -> Bool {
        let number = SHA256.hash(data: Array(name.utf8)).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return number % UInt64(count) == UInt64(index - 1)
    }

    /// Reads a shard from an option and the variables of job services.
    ///
    /// - Parameters:
    ///   - option: `I/N`, `/N`, or nil.
    ///   - variables: The environment.
    /// - Returns: The shard, and the variable that numbers it; nil for all sites.
    /// - Throws: ``Problem``.
    public static func read(
        _ option: String?,
        variables: [String: String]
    ) throws(Problem) -> (shard: BatchShard, variable: String?)? {
        var stated: (index: Int?, count: Int)?
        if let option {
            let parts = option.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count == 2, let count = Int(parts[1]), parts[0].isEmpty || Int(parts[0]) != nil else {
                throw Problem("\(PrintableText.quoted(option)) is not a shard; write for example 3/8, or /8")
            }
            if let index = Int(parts[0]) {
                guard let shard = BatchShard(index: index, count: count) else {
                    throw Problem(
                        "\(PrintableText.quoted(option)) is not a shard; the first number must be from 1 to the second, which is at "
                            + "most \(countLimit)"
                    )
                }
                return (shard, nil)
            }
            stated = (nil, count)
        }
        guard let place = try place(variables) else {
            guard let stated else { return nil }
            throw Problem(
                "'/\(stated.count)' needs the number of this job from the environment, and there is none; write for example "
                    + "1/\(stated.count)"
            )
        }
        guard let count = stated?.count ?? place.count else {
            throw Problem(
                "\(place.variable) numbers this job, but not how many there are; say so with for example '/8'"
            )
        }
        guard let shard = BatchShard(index: place.index, count: count) else {
            throw Problem("\(place.variable) says that this is job \(place.index) of \(count), which is impossible")
        }
        return (shard, place.variable)
    }

    /// Returns the number of this job, from 1, that the environment states, and the count if it does.
    private static func place(
        _ variables: [String: String]
    ) throws(Problem) -> (variable: String, index: Int, count: Int?)? {
        /// The variables of a service: the number, the lowest number (or its variable), and the count.
        let services: [(number: String, lowest: String?, first: Int, count: String?)] = [
            ("SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", 0, "SLURM_ARRAY_TASK_COUNT"),
            ("AWS_BATCH_JOB_ARRAY_INDEX", nil, 0, "AWS_BATCH_JOB_ARRAY_SIZE"),
            ("JOB_COMPLETION_INDEX", nil, 0, nil),
            ("CI_NODE_INDEX", nil, 1, "CI_NODE_TOTAL"),
        ]
        for service in services {
            guard let text = variables[service.number] else { continue }
            let lowest = try service.lowest.flatMap { variables[$0] }.map { text throws(Problem) in
                try number(text, service.lowest ?? "")
            }
            let count = try service.count.flatMap { name in variables[name].map { (name, $0) } }.map {
                pair throws(Problem) in try number(pair.1, pair.0)
            }
            let (index, overflows) = try number(text, service.number).subtractingReportingOverflow(
                lowest ?? service.first
            )
            guard !overflows, index < Int.max else { throw Problem("\(service.number) is no number of a job") }
            return (service.number, index + 1, count)
        }
        return nil
    }

    private static func number(_ text: String, _ variable: String) throws(Problem) -> Int {
        guard let number = Int(text), number >= 0 else {
            throw Problem("\(variable) is \(PrintableText.quoted(text)), which is not a number")
        }
        return number
    }

    /// What is wrong with a shard.
    public struct Problem: Error, Equatable, Sendable {
        /// A sentence that says what to do; lower case, no full stop.
        public var message: String

        init(_ message: String) { self.message = message }
    }
}
