/// The difference between two pictures, as a reader sees it: small shifts of edges and of colors don't count.
package enum PictureComparison {
    /// The side of a block, in pixels.
    package static let block = 16
    /// The difference of a color's mean, of 255, from which on a block differs.
    package static let tolerance = 24

    /// Returns the share of blocks that differ.
    ///
    /// - Parameters:
    ///   - one: A picture.
    ///   - other: Another one; what only one of them has differs.
    /// - Returns: The share, from 0 to 1.
    package static func difference(_ one: PNGImage, _ other: PNGImage) -> Double {
        let (width, height) = (max(one.width, other.width), max(one.height, other.height))
        guard width > 0, height > 0 else { return 0 }
        var (blocks, different) = (0, 0)
        for top in stride(from: 0, to: height, by: block) {
            for left in stride(from: 0, to: width, by: block) {
                blocks += 1
                switch (one.mean(left, top), other.mean(left, top)) {
                case (let first?, let second?):
                    if zip(first, second).contains(where: { abs($0 - $1) > tolerance }) { different += 1 }
                case (nil, nil): break
                default: different += 1
                }
            }
        }
        return Double(different) / Double(blocks)
    }
}

extension PNGImage {
    /// The means of red, green and blue in the block at a place; nil if the picture ends before.
    fileprivate func mean(_ left: Int, _ top: Int) -> [Int]? {
        guard left < width, top < height else { return nil }
        let (right, bottom) = (min(left + PictureComparison.block, width), min(top + PictureComparison.block, height))
        var sums = [0, 0, 0]
        for y in top..<bottom {
            for x in left..<right {
                let place = (y * width + x) * channels
                for color in 0..<3 { sums[color] += Int(pixels[place + color]) }
            }
        }
        return sums.map { $0 / ((right - left) * (bottom - top)) }
    }
}
