internal import AFCFiles
internal import AFCZip

/// Where the parts of a body lie, as text: `offset+count`, with commas between.
enum ExtentText {
    static func text(of extents: [FileExtent]) -> String {
        extents.map { "\($0.offset)+\($0.count)" }.joined(separator: ",")
    }

    /// The extents, or nil where the text says none.
    static func extents(in text: String) -> [FileExtent]? {
        var extents: [FileExtent] = []
        for part in text.split(separator: ",") {
            let numbers = part.split(separator: "+")
            guard numbers.count == 2, let offset = Int64(numbers[0]), let count = Int(numbers[1]), offset >= 0,
                count >= 0
            else { return nil }
            extents.append(FileExtent(offset: offset, count: count))
        }
        return extents
    }
}
