internal import AFCFiles
import AFCPackageFormat
import AFCURL
import AFCZip

/// Measures the parser that loading and linting share, without their own work.
struct ManifestBenchmark {
    let path: String

    func run() throws {
        let file = try OpenFile(reading: path)
        let bytes = try file.contents(upTo: PackageLayout.metadataByteLimit)
        var count = 0
        let parsing = best {
            var reader = ManifestReader(bytes)
            count = 0
            while reader.next() != nil { count += 1 }
        }
        var length = 0
        let making = best {
            var reader = ManifestReader(bytes)
            length = 0
            while let entry = reader.next()?.entry { length += entry.url.description.utf8.count }
        }
        let streaming = try ContinuousClock().measure {
            var reader = ManifestReader()
            count = 0
            while try reader.next({ try file.read(into: $0, at: Int64($1)) }) != nil { count += 1 }
        }
        print("\(count) entries, \(bytes.count) bytes, \(length) of them URLs")
        print("parse: \(parsing)")
        print("parse, in chunks: \(streaming)")
        print("parse, creating each entry: \(making)")
    }

    private func best(_ work: () -> Void) -> Duration {
        (0..<5).map { _ in ContinuousClock().measure(work) }.min() ?? .zero
    }
}
