import AFCURL
import HTTPTypes
import NIOCore
import NIOHPACK
import NIOHTTP2
import Testing

@testable import AFCOrigin

/// Feeds bytes in reads of a size, and returns what the wire makes of them as the exchange would keep it.
private func receive(_ text: String, reads size: Int) throws -> ResponsePiece {
    var wire = HTTP1Wire()
    _ = wire.begin(OriginRequest(try WebURL("http://docs.example/"), fields: [:]))
    var piece = ResponsePiece()
    var rest = ArraySlice(text.utf8)
    while !rest.isEmpty {
        _ = wire.take(ByteBuffer(bytes: rest.prefix(size)))
        rest = rest.dropFirst(size)
        while let event = try wire.next() {
            switch event {
            case .head(let head, let length): (piece.head, piece.length) = (head, length)
            case .body(let bytes):
                // What was read before is no longer in the storage.
                #expect(bytes.storageCapacity <= 4 * size)
                piece.append(bytes)
            case .end: piece.isEnd = true
            case .interim: break
            }
        }
    }
    return piece
}

private let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

@Suite struct FramingTests {
    @Test(arguments: [
        ("long extensions", "2;" + String(repeating: "e", count: 2000) + "\r\nok\r\n", 20),
        (
            "extensions beside a little more data",
            "20;" + String(repeating: "e", count: 200) + "\r\n" + String(repeating: "x", count: 32) + "\r\n", 200
        ),
        ("sizes with leading white space", "1" + String(repeating: " ", count: 100) + "\r\na\r\n", 300),
    ])
    func `chunks with much more framing than data are refused`(_ name: String, chunk: String, count: Int) throws {
        // RFC 9112 §7.1.1.
        #expect(throws: WireError.tooMuchFraming, "\(name)") {
            _ = try receive(chunked + String(repeating: chunk, count: count), reads: 64 << 10)
        }
    }

    @Test(arguments: [
        ("chunks of one byte", "1\r\na\r\n", 1),
        ("short extensions", "1;a=b\r\na\r\n", 1),
        (
            "signed chunks, as of object stores",
            "400;chunk-signature=" + String(repeating: "0", count: 64) + "\r\n" + String(repeating: "a", count: 1024)
                + "\r\n", 1024
        ),
    ])
    func `chunks keep about as much memory as they have data`(_ name: String, chunk: String, bytes: Int) throws {
        let count = 400_000 / chunk.utf8.count
        // Reads that end within lines.
        let piece = try receive(chunked + String(repeating: chunk, count: count) + "0\r\n\r\n", reads: 1021)
        #expect(piece.isEnd)
        #expect(piece.body.reduce(0) { $0 + $1.readableBytes } == count * bytes, "\(name)")
        let kept = piece.body.reduce(0) { $0 + $1.storageCapacity + 64 }
        #expect(kept <= 4 * count * bytes + 4096, "\(name): \(kept) for \(count * bytes)")
    }

    @Test func `a part of a large read is kept without the rest of it`() {
        var piece = ResponsePiece()
        let read = ByteBuffer(repeating: 0x61, count: 64 << 10)
        for number in 0..<1000 {
            if let slice = read.getSlice(at: number, length: 2) { piece.append(slice) }
        }
        #expect(piece.body.count == 1)
        #expect(piece.body.allSatisfy { $0.storageCapacity <= 4096 })
        piece.append(read)
        piece.append(ByteBuffer(string: "end"))
        #expect(piece.body.map(\.readableBytes) == [2000, 64 << 10, 3])
    }

    @Test(arguments: [(1, 255, 5000, true), (1, 0, 50_000, true), (16, 0, 50_000, false), (1000, 255, 5000, false)])
    func `frames with much more framing than data are refused`(
        bytes: Int,
        padding: Int,
        count: Int,
        isRefused: Bool
    ) throws {
        var wire = HTTP2Wire()
        _ = wire.begin(OriginRequest(try WebURL("https://docs.example/"), fields: [:]))
        _ = wire.take(.headers(.init(headers: [":status": "200"])))
        let data = IOData.byteBuffer(ByteBuffer(repeating: 0x61, count: bytes))
        let read = Result {
            for _ in 0..<count {
                _ = wire.take(.data(.init(data: data, paddingBytes: padding == 0 ? nil : padding)))
                while try wire.next() != nil {}
            }
        }
        if isRefused { #expect(throws: WireError.tooMuchFraming) { try read.get() } } else { try read.get() }
    }
}
