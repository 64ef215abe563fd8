extension TextDecoding {
    /// A text in UTF-8, and the places of its parts in the bytes that it was decoded from.
    struct Places {
        /// A part in which both have the same bytes.
        private struct Run {
            var text: Int
            var source: Int
            var count: Int
        }

        private let bytes: UnsafeBufferPointer<UInt8>
        /// The decoded text; nil if it is the bytes themselves, from `start` on.
        private let decoded: [UInt8]?
        private let start: Int
        private let runs: [Run]

        /// Decodes a text; nil if ASCII isn't written as such in its encoding.
        init?(of bytes: UnsafeBufferPointer<UInt8>, _ encoding: TextEncoding) {
            self.bytes = bytes
            switch encoding.form {
            case .utf16LE, .utf16BE, .iso2022JP, .replacement: return nil
            case .utf8:
                start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
                (decoded, runs) = (nil, [])
            case .singleByte, .gbk, .gb18030, .big5, .eucJP, .shiftJIS, .eucKR:
                start = 0
                guard bytes.contains(where: { $0 >= 0x80 }) else {
                    (decoded, runs) = (nil, [])
                    return
                }
                let result = LegacyDecoder.decodeWithRuns(bytes, encoding.form)
                decoded = result.text
                runs = result.runs.map { Run(text: $0.text, source: $0.source, count: $0.count) }
            }
        }

        /// Passes the text to a closure.
        func withText<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
            if let decoded { return decoded.withUnsafeBufferPointer(body) }
            return body(UnsafeBufferPointer(rebasing: bytes[start...]))
        }

        /// Returns the range of the bytes for a range of the text, whose ends are beside ASCII characters.
        func range(_ range: Range<Int>) -> Range<Int> {
            guard decoded != nil else { return range.lowerBound + start..<range.upperBound + start }
            let lower = place(range.lowerBound)
            return lower..<max(lower, place(range.upperBound))
        }

        private func place(_ position: Int) -> Int {
            // The last run that begins at the position or before it.
            var (low, high) = (0, runs.count)
            while low < high {
                let middle = (low + high) / 2
                if runs[middle].text <= position { low = middle + 1 } else { high = middle }
            }
            guard low > 0 else { return 0 }
            let run = runs[low - 1]
            return run.source + min(position - run.text, run.count)
        }
    }
}
