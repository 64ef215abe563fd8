/// Finds the pictures that a WebVTT file names for the times of a video, such as `sprite.jpg#xywh=0,0,160,90`.
///
/// Players show them above the time line. A picture without a part of it (Media Fragments URI §4.2.2) may be a text,
/// so that it is a guess.
enum CaptionReferences {
    /// The largest number of guesses in one file.
    private static let guessLimit = 1_024

    /// Returns the pictures, each once.
    static func list(in text: ScanBuffer, _ limits: DiscoveryLimits) -> ReferenceList {
        var list = ReferenceList()
        var guesses = 0
        guard text.hasPrefix("webvtt", at: text.hasPrefix("\u{FEFF}", at: 0) ? 3 : 0) else { return list }
        TextLines.forEach(in: text) { range in
            guard range.count <= limits.referenceBytes, !text.slice(range).contains(where: \.isSpace),
                text.find(UInt8(ascii: "."), from: range.lowerBound, to: range.upperBound) < range.upperBound
            else { return true }
            let line = text.string(range)
            guard LoadingElement.isImage(line) else { return true }
            var reference = Reference(line, .requisite, .image, attribute: "cue", at: range.lowerBound)
            reference.resolution = .utf8Address
            reference.isGuess = !line.contains("#xywh=")
            if reference.isGuess {
                guesses += 1
                guard guesses <= guessLimit else { return true }
            }
            return list.add(reference, limits)
        }
        list.finish()
        return list
    }
}
