internal import AFCURL

/// Paths that grow by what they consist of already, as relative links on a page that answers to every path make them.
enum PathRepetition {
    static func obstacle(to url: WebURL, _ options: TrapOptions) -> SkipRule? {
        var segments: [Substring] = []
        for segment in url.pathSegments {
            guard segments.count < options.depthLimit else { return .pathDepth }
            segments.append(segment)
        }
        // Fewer can't break any of the rules.
        guard segments.count > min(options.repetitionLimit, options.segmentLimit) else { return nil }
        var counts: [Substring: Int] = [:]
        for segment in segments where !segment.isEmpty {
            counts[segment, default: 0] += 1
            if counts[segment, default: 0] > options.segmentLimit { return .repeatedPath }
        }
        return longestRun(in: segments) > options.repetitionLimit ? .repeatedPath : nil
    }

    /// How often the same sequence of segments stands one behind the other, at most.
    static func longestRun(in segments: [Substring]) -> Int {
        var longest = segments.isEmpty ? 0 : 1
        for length in stride(from: 1, through: segments.count / 2, by: 1) {
            // Where each segment is the one so many before it, the sequence repeats.
            var equal = 0
            for index in length..<segments.count {
                equal = segments[index] == segments[index - length] ? equal + 1 : 0
                longest = max(longest, equal / length + 1)
            }
        }
        return longest
    }
}
