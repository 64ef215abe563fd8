public import AFCHTTP

/// An image that serves packages when it is run: the program in one layer, and the packages in another.
///
/// The layer of the program is the same for all packages, so that registries and machines keep it once.
public struct SiteImage: Sendable {
    /// The folder of the packages in images.
    public static let folder = "/srv/afcache"

    /// A package.
    public struct Package: Sendable {
        /// The path of the zip.
        public var path: String
        /// The name of its file in the image.
        public var name: String
        /// The path of its mount index; nil if the program in the image couldn't read it.
        public var index: String?

        /// Creates the description of a package.
        ///
        /// - Parameters:
        ///   - path: The path of the zip.
        ///   - name: The name of its file in the image.
        ///   - index: The path of its mount index; nil if the program in the image couldn't read it.
        public init(path: String, name: String, index: String? = nil) {
            (self.path, self.name, self.index) = (path, name, index)
        }

        /// The path in the image.
        public var place: String { SiteImage.folder + "/" + name }
        /// The path of the index in the image, if there is one.
        public var indexPlace: String { place + ".index" }
    }

    /// The program.
    public var program: ImageProgram
    /// The packages.
    public var packages: [Package]
    /// The date of the newest package; nil if none has one.
    public var created: Timestamp?
    /// The words after the program's path in the command line that serves.
    public var serving: [String]
    /// The words after the program's path in the command line that tells if the server is healthy.
    public var checking: [String]
    /// The port that the server listens on.
    public var port: UInt16
    /// What the image says of itself; keys as in the OCI image specification, "Pre-Defined Annotation Keys".
    public var labels: [String: String] = [:]
    /// The image that it builds on; nil for none.
    public var base: ImageBase?

    /// Creates an image.
    ///
    /// - Parameters:
    ///   - program: The program.
    ///   - packages: The packages.
    ///   - created: The date of the newest package; nil if none has one.
    ///   - serving: The words after the program's path in the command line that serves.
    ///   - checking: The words after the program's path in the command line that tells if the server is healthy.
    ///   - port: The port that the server listens on.
    public init(
        program: ImageProgram,
        packages: [Package],
        created: Timestamp?,
        serving: [String],
        checking: [String],
        port: UInt16
    ) {
        (self.program, self.packages, self.created) = (program, packages, created)
        (self.serving, self.checking, self.port) = (serving, checking, port)
    }
}

/// An image that another one builds on, with its blobs on this machine.
public struct ImageBase: Sendable {
    /// The name by which the user named it.
    let name: String
    /// The folder with the blobs, named by their digests.
    let folder: String
    let image: BaseImage
}

/// An image in a layout.
public struct WrittenImage: Sendable {
    /// The folder of the blobs.
    let folder: String
    /// The bytes of the manifest.
    let manifest: [UInt8]
    /// The blobs that the manifest names; the configuration is the last one.
    let blobs: [ImageBlob]

    /// The digest of the manifest: `sha256:` and 64 digits.
    public var digest: String { RegistryManifest.digest(manifest) }
    /// The size of all blobs, in bytes.
    public var size: Int64 { blobs.reduce(0) { $0 + $1.size } }
}
