import AFCCache
import AFCFiles
import AFCText
import ArgumentParser

/// The file that a command makes of others, as '-o' names it.
enum OutputFile {
    /// Opens the place of a new file, and checks that it may be written there.
    ///
    /// - Parameters:
    ///   - output: The path, or '-' for standard output.
    ///   - sources: The paths of the files that it is made of, none of which may be replaced.
    ///   - refusal: The sentence for a source that would be replaced.
    ///   - isForced: True if another existing file may be replaced.
    /// - Returns: The place.
    /// - Throws: `ValidationError` if the file must not be replaced, and ``CacheError`` if it can't be written.
    static func target(
        _ output: String,
        of sources: [String],
        refusal: String,
        isForced: Bool
    ) throws -> OutputTarget {
        let target: OutputTarget
        do throws(FileError) {
            target = try OutputTarget(output)
        } catch {
            throw CacheError(.inputOutput, subject: output, message: error.message)
        }
        guard target.isReplacing else { return target }
        for source in sources {
            // A source that can't be opened is reported when it is read.
            if let one = try? OpenFile.State(path: source), let other = try? OpenFile.State(path: output), one == other
            {
                throw ValidationError("\(refusal); name another file with '-o'")
            }
        }
        guard isForced else {
            let name = PrintableText.quoted(output)
            throw ValidationError("\(name) already exists; name another file with '-o', or replace it with '--force'")
        }
        return target
    }
}
