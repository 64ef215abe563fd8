internal import AFCFiles
public import AFCText

/// The program of an image, with what it needs to run where there is nothing else.
public struct ImageProgram: Sendable {
    /// The path of the program in images.
    public static let path = "/usr/bin/afcache"
    /// The mode of what is run; libraries, too, since the loader maps them as code.
    private static let mode: UInt32 = 0o755

    /// Runs a program, by its path and its arguments, and returns its exit status and what it prints, which is at most
    /// some hundred lines.
    public typealias Run = (_ words: [String]) throws -> (status: Int32, output: [UInt8])

    /// The name of the processor that the program is for, such as `amd64`.
    public let architecture: String
    /// The files, in the order of their paths.
    let entries: [LayerWriter.Entry]

    /// Examines a program for an image that has a base, which must have all that the program needs.
    ///
    /// - Parameter path: The path of the program.
    /// - Throws: ``DeliveryError`` with the code `inputOutput` if it isn't a program for Linux.
    public init(path: String) throws(DeliveryError) {
        architecture = try Self.form(of: path).architecture
        entries = [LayerWriter.Entry(path: Self.relative(Self.path), source: path, mode: Self.mode)]
    }

    /// Collects a program and the libraries with which it runs on this machine.
    ///
    /// Its loader says which those are. They go beside the C library, where the loader looks for them by default, with
    /// the C library's tables of character sets.
    ///
    /// - Parameters:
    ///   - path: The path of the program.
    ///   - run: A closure that runs the program's loader.
    /// - Throws: ``DeliveryError`` with the code `inputOutput` if it isn't a program for Linux or a library is missing.
    public init(path: String, withLibraries run: Run) throws(DeliveryError) {
        let form = try Self.form(of: path)
        architecture = form.architecture
        var sources = [Self.path: path]
        func failure(_ message: String, _ remedy: Remedy? = .nameBase) -> DeliveryError {
            DeliveryError(.inputOutput, subject: path, message: message, remedy: remedy)
        }
        if let loader = form.loader {
            let list = try Self.list(path, loader, run)
            guard list.missing.isEmpty else {
                throw failure("the program needs \(list.missing.joined(separator: ", ")), which isn't installed here")
            }
            do throws(FileError) {
                sources[loader] = loader
                let folder = try OpenFile.resolvedPath(of: Durable.folder(of: list.cLibrary ?? loader))
                for library in list.libraries {
                    let place = library.name.hasPrefix("/") ? library.name : folder + "/" + library.name
                    sources[place] = library.path
                }
                let tables = folder + "/gconv"
                for name in FolderListing.names(in: tables) ?? [] where OpenFile.isRegularFile(tables + "/" + name) {
                    sources[tables + "/" + name] = tables + "/" + name
                }
            } catch {
                throw failure(error.message, nil)
            }
        }
        entries = sources.sorted { $0.key < $1.key }.map { place, source in
            LayerWriter.Entry(path: Self.relative(place), source: source, mode: Self.mode)
        }
    }

    private static func form(of path: String) throws(DeliveryError) -> ExecutableForm {
        let beginning: [UInt8]
        do throws(FileError) {
            let file = try OpenFile(reading: path)
            beginning = try file.beginning(Int(min(try file.size(), Int64(ExecutableForm.beginning))))
        } catch {
            throw DeliveryError(.inputOutput, subject: path, message: error.message)
        }
        do throws(ExecutableForm.Problem) {
            return try ExecutableForm(beginning)
        } catch {
            throw DeliveryError(.inputOutput, subject: path, message: error.message, remedy: .nameProgram)
        }
    }

    private static func list(_ path: String, _ loader: String, _ run: Run) throws(DeliveryError) -> LoaderList {
        let result: (status: Int32, output: [UInt8])
        do {
            result = try run([loader, "--list", path])
        } catch {
            let message = (error as? FileError)?.message ?? "\(error)"
            throw DeliveryError(.inputOutput, subject: path, message: message, remedy: .nameBase)
        }
        guard result.status == 0 else {
            let message = "\(PrintableText.quoted(loader)) can't list the program's libraries (status \(result.status))"
            throw DeliveryError(.inputOutput, subject: path, message: message, remedy: .nameBase)
        }
        return LoaderList(String(decoding: result.output, as: UTF8.self), loader: loader)
    }

    private static func relative(_ path: String) -> String { String(path.drop { $0 == "/" }) }
}
