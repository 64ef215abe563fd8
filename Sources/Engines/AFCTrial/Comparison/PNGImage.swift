internal import AFCZip

/// A picture in PNG, as browsers make it: 8 bits a color, with or without transparency, not interlaced.
package struct PNGImage: Sendable, Equatable {
    /// The most pixels of a picture.
    private static let pixelLimit = 16 << 20

    /// The width, in pixels.
    package let width: Int
    /// The height, in pixels.
    package let height: Int
    /// The bytes of a pixel: 3 for red, green and blue, 4 with transparency.
    package let channels: Int
    /// The pixels, row by row.
    package let pixels: [UInt8]

    /// Creates a picture from its pixels.
    package init(width: Int, height: Int, channels: Int, pixels: [UInt8]) {
        precondition(pixels.count == width * height * channels, "\(pixels.count)")
        (self.width, self.height, self.channels, self.pixels) = (width, height, channels, pixels)
    }

    /// Reads a file; nil if it isn't such a picture.
    ///
    /// - Parameter file: The bytes of the file.
    package init?(_ file: [UInt8]) {
        guard file.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) else { return nil }
        func number(_ place: Int) -> Int { file[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
        var place = 8
        var size: (width: Int, height: Int, channels: Int)?
        var data: [UInt8] = []
        while place + 12 <= file.count {
            let (length, start) = (number(place), place + 8)
            guard length <= file.count - start - 4 else { return nil }
            switch String(decoding: file[place + 4..<start], as: UTF8.self) {
            case "IHDR":
                guard length == 13, file[start + 8] == 8, file[start + 10...start + 12].allSatisfy({ $0 == 0 }) else {
                    return nil
                }
                let channels = [2: 3, 6: 4][file[start + 9]]
                guard let channels else { return nil }
                size = (number(start), number(start + 4), channels)
            case "IDAT": data += file[start..<start + length]
            default: break
            }
            place = start + length + 4
        }
        guard let size, size.width > 0, size.height > 0, size.width <= Self.pixelLimit,
            size.height <= Self.pixelLimit / size.width,
            let rows = Self.inflated(data, to: (size.width * size.channels + 1) * size.height),
            let pixels = Self.unfiltered(rows, size)
        else { return nil }
        self.init(width: size.width, height: size.height, channels: size.channels, pixels: pixels)
    }

    private static func inflated(_ data: [UInt8], to count: Int) -> [UInt8]? {
        guard var inflater = try? Inflater(isWrapped: true) else { return nil }
        var (input, output) = (data, [UInt8](repeating: 0, count: count))
        let written = input.withUnsafeMutableBytes { input in
            inflater.give(input)
            return output.withUnsafeMutableBytes { inflater.fill($0) }
        }
        return written == count ? output : nil
    }

    /// Undoes the filters of the rows (PNG §9.2).
    private static func unfiltered(_ rows: [UInt8], _ size: (width: Int, height: Int, channels: Int)) -> [UInt8]? {
        let (length, step) = (size.width * size.channels, size.channels)
        var pixels = [UInt8](repeating: 0, count: length * size.height)
        for row in 0..<size.height {
            let (filter, source, target) = (rows[row * (length + 1)], row * (length + 1) + 1, row * length)
            guard filter <= 4 else { return nil }
            for index in 0..<length {
                let left = index >= step ? Int(pixels[target + index - step]) : 0
                let above = row > 0 ? Int(pixels[target + index - length]) : 0
                let corner = row > 0 && index >= step ? Int(pixels[target + index - length - step]) : 0
                let guess =
                    switch filter {
                    case 0: 0
                    case 1: left
                    case 2: above
                    case 3: (left + above) / 2
                    default: nearest(left, above, corner)
                    }
                pixels[target + index] = UInt8(truncatingIfNeeded: Int(rows[source + index]) + guess)
            }
        }
        return pixels
    }

    /// Paeth's predictor (PNG §9.4).
    private static func nearest(_ left: Int, _ above: Int, _ corner: Int) -> Int {
        let guess = left + above - corner
        let (a, b, c) = (abs(guess - left), abs(guess - above), abs(guess - corner))
        return a <= b && a <= c ? left : b <= c ? above : corner
    }
}
