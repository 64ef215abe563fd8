import Testing

/// The entry point of all tests on Linux.
///
/// The package manager generates the same one, but only after it has read an index of the sources, to find tests of the
/// older library XCTest. There are none here, and the index costs a tenth of the build.
@main
struct Runner {
    static func main() async {
        // The package manager asks which tests of XCTest there are.
        if CommandLine.arguments.contains("--dump-tests-json") {
            print(#"{"tests": []}"#)
        } else {
            await Testing.__swiftPMEntryPoint() as Never
        }
    }
}
