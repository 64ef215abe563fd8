import AFCCache
import AFCFiles
import AFCText

/// The destination of a report: standard output, or a file that appears once the report is complete.
final class ReportOutput {
    private let sink: OutputSink?
    private let path: String
    private var failure: FileError?

    /// - Parameter path: The file, or nil for standard output.
    /// - Throws: `CacheError` if the file can't be written.
    init(_ path: String?) throws {
        self.path = path ?? ""
        if let path { try WholeFile.requireNoPackage(path) }
        do throws(FileError) {
            sink = try path.map { path throws(FileError) in try OutputSink(OutputTarget(path)) }
        } catch {
            throw CacheError(.inputOutput, subject: path ?? "", message: error.message)
        }
    }

    /// Writes text of the report; errors of a file are thrown when it is finished.
    func write(_ text: String) {
        guard let sink else { return Console.write(text) }
        guard failure == nil else { return }
        let bytes = Array(text.utf8)
        do throws(FileError) {
            try bytes.span.bytes.withUnsafeBytes { bytes throws(FileError) in try sink.append(bytes) }
        } catch {
            failure = error
        }
    }

    /// Ends the report.
    ///
    /// - Throws: `CacheError` if the file couldn't be written; an existing file is then unchanged.
    func finish() throws {
        guard let sink else { return Console.flush() }
        do throws(FileError) {
            if let failure { throw failure }
            try sink.finish()
        } catch {
            throw CacheError(.inputOutput, subject: path, message: error.message)
        }
    }
}
