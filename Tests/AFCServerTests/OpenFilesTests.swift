import AFCText
import Testing

@testable import AFCServer

struct OpenFilesTests {
    @Test(arguments: [
        (4096, 16_384, 52, 4096), (4096, 1024, 52, 324), (4096, 200, 52, 49), (4096, 76, 52, 8), (2, 60, 52, 2),
    ])
    func `a connection may need three files, so that all together never reach the limit`(
        asked: Int,
        files: Int,
        others: Int,
        expected: Int
    ) throws {
        let limit = try OpenFiles.connectionLimit(asked: asked, files: files, others: others)
        #expect(limit == expected)
        #expect(3 * limit + others <= files)
    }

    @Test(arguments: [24, 64, 75]) func `too few files are an error that says how many are needed`(files: Int) {
        let error = #expect(throws: ServerError.self) {
            try OpenFiles.connectionLimit(asked: 4096, files: files, others: 52)
        }
        #expect(
            error?.description
                == "cannot serve: this process may open only \(files) files, and a server needs at least 76"
        )
        #expect(error?.remedy == .raiseOpenFiles)
    }
}
