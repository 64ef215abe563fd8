import AFCCache
import AFCLinter
import AFCPlatform
import AFCText
import ArgumentParser

/// The configurations of linted files, each read once.
struct LintProject {
    /// A configuration and the folder that its paths are relative to.
    struct Scope {
        /// The absolute path of the folder.
        var folder: String
        /// The configuration, overridden by the command line.
        var configuration: LintConfiguration

        /// Returns a file's path as the configuration names it.
        func name(of file: String) -> String { Path.relative(file, to: folder) }
    }

    private let options: LintRuleOptions
    private let named: Scope?
    private var found: [String: Scope] = [:]

    /// - Parameter options: The options of the command line.
    /// - Throws: `ValidationError` if the configuration that they name is invalid.
    init(_ options: LintRuleOptions) throws {
        self.options = options
        named = try options.config.map { try Self.read($0, options) }
    }

    /// Returns the configuration of a file.
    ///
    /// - Throws: `ValidationError` if there is one that is invalid.
    mutating func scope(of file: String) throws -> Scope {
        if let named { return named }
        let folder = Path.folder(of: Path.absolute(file))
        if let known = found[folder] { return known }
        let scope = try options.noConfig ? none : search(from: folder)
        found[folder] = scope
        return scope
    }

    private var none: Scope {
        var scope = Scope(folder: WorkingFolder.path, configuration: LintConfiguration())
        options.apply(to: &scope.configuration)
        return scope
    }

    /// Searches a folder and those above it, up to a repository's root or the user's home.
    private func search(from folder: String) throws -> Scope {
        let home = getenv("HOME").map { Path.absolute(String(cString: $0)) }
        var folder = folder
        while true {
            let path = folder == "/" ? "/" + LintConfiguration.fileName : folder + "/" + LintConfiguration.fileName
            if access(path, F_OK) == 0 { return try Self.read(path, options) }
            guard folder != "/", folder != home, access(folder + "/.git", F_OK) != 0 else { return none }
            folder = Path.folder(of: folder)
        }
    }

    /// The most configurations in a chain of 'extends'.
    private static let extensionLimit = 8

    private static func read(_ path: String, _ options: LintRuleOptions) throws -> Scope {
        var configuration = try read(path, below: [])
        options.apply(to: &configuration)
        return Scope(folder: Path.folder(of: Path.absolute(path)), configuration: configuration)
    }

    /// Reads a configuration and the ones that it extends.
    private static func read(_ path: String, below: [String]) throws -> LintConfiguration {
        let place = Path.absolute(path)
        guard !below.contains(place), below.count < extensionLimit else {
            let problem = below.contains(place) ? "extends itself" : "is extended by more than \(extensionLimit) others"
            throw ValidationError("\(path):1:1: the configuration \(problem)")
        }
        let bytes = try SmallFile.read(path, limit: LintConfiguration.byteLimit)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ValidationError("\(path):1:1: the file is not UTF-8")
        }
        var configuration: LintConfiguration
        do throws(LintConfigurationError) {
            configuration = try LintConfiguration(parsing: text)
        } catch {
            throw ValidationError("\(path):\(error)")
        }
        let folder = Path.folder(of: Path.absolute(path))
        func located(_ path: String) -> String { path.hasPrefix("/") ? path : folder + "/" + path }
        configuration.baseline = configuration.baseline.map(located)
        for base in configuration.extended.reversed() {
            guard access(located(base), R_OK) == 0 else {
                let reason = String(cString: strerror(errno))
                throw ValidationError(
                    "\(path):1:1: cannot read \(PrintableText.quoted(base)), which 'extends' names: \(reason)"
                )
            }
            configuration.extend(try read(located(base), below: below + [place]))
        }
        return configuration
    }
}
