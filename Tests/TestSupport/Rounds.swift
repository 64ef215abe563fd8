import Foundation

/// How often a test tries something random, or how long its hostile input is.
public enum Rounds {
    /// The number by which `AFCACHE_ROUNDS` multiplies what each run does; 1 without it.
    public static let factor = ProcessInfo.processInfo.environment["AFCACHE_ROUNDS"].flatMap(Int.init) ?? 1

    /// Returns a number of rounds.
    ///
    /// - Parameter usual: The number in each run of the tests.
    /// - Returns: The number of this run.
    public static func count(_ usual: Int) -> Int { usual * max(factor, 1) }
}
