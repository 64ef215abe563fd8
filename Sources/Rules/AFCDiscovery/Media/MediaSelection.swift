/// The streams of a video or a sound to take, of the several that its playlist offers.
///
/// A playlist names the same content in several qualities. A player may ask for any of them.
public enum MediaSelection: String, Sendable, CaseIterable {
    /// All streams.
    case all
    /// The stream with the highest bit rate, with its sound and subtitles.
    case best
    /// The stream with the lowest bit rate, with its sound and subtitles.
    case smallest
    /// Only the playlist itself.
    case none

    /// Returns the places of the chosen streams.
    ///
    /// - Parameter rates: The bit rates of the streams, in the playlist's order.
    /// - Returns: The places in that order; of several streams with the same bit rate, the first is chosen.
    func chosen(of rates: [Int]) -> [Int] {
        switch self {
        case .all: Array(rates.indices)
        case .best: rates.indices.max { (rates[$0], -$0) < (rates[$1], -$1) }.map { [$0] } ?? []
        case .smallest: rates.indices.min { (rates[$0], $0) < (rates[$1], $1) }.map { [$0] } ?? []
        case .none: []
        }
    }
}
