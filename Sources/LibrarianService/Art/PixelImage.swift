import CImages
import Foundation

/// A picture as red, green, blue bytes, row by row from the top.
struct PixelImage {
    let width: Int
    let height: Int
    let pixels: [UInt8]

    /// A picture of more pixels than this is not decoded: 100 megabytes of memory.
    private static let mostPixels = 34_000_000

    init(width: Int, height: Int, pixels: [UInt8]) {
        self.width = width
        self.height = height
        self.pixels = pixels
    }

    /// Decodes a JPEG or PNG; nil for anything else, and for anything broken.
    init?(decoding data: Data) {
        let image = data.starts(with: [0xFF, 0xD8]) ? Self.jpeg(data) : Self.png(data)
        guard let image else { return nil }
        self = image
    }

    private static func isSane(_ width: Int, _ height: Int) -> Bool {
        width > 0 && height > 0 && width <= mostPixels / height
    }

    private static func jpeg(_ data: Data) -> PixelImage? {
        guard let decoder = tjInitDecompress() else { return nil }
        defer { tjDestroy(decoder) }
        let bytes = [UInt8](data)
        var width: Int32 = 0
        var height: Int32 = 0
        var subsampling: Int32 = 0
        var colours: Int32 = 0
        guard tjDecompressHeader3(decoder, bytes, UInt(bytes.count), &width, &height, &subsampling, &colours) == 0,
            isSane(Int(width), Int(height))
        else { return nil }
        var pixels = [UInt8](repeating: 0, count: Int(width) * Int(height) * 3)
        let status = tjDecompress2(
            decoder, bytes, UInt(bytes.count), &pixels, width, 0, height, Int32(TJPF_RGB.rawValue), 0)
        // A warning (a file that is cut short) still gives the part that is there.
        guard status == 0 || tjGetErrorCode(decoder) == Int32(TJERR_WARNING.rawValue) else { return nil }
        return PixelImage(width: Int(width), height: Int(height), pixels: pixels)
    }

    private static func png(_ data: Data) -> PixelImage? {
        let bytes = [UInt8](data)
        return bytes.withUnsafeBytes { buffer in
            var image = png_image()
            guard resonance_png_begin(&image, buffer.baseAddress, buffer.count) == 0 else { return nil }
            defer { png_image_free(&image) }
            guard isSane(Int(image.width), Int(image.height)) else { return nil }
            var pixels = [UInt8](repeating: 0, count: Int(image.width) * Int(image.height) * 3)
            guard resonance_png_finish(&image, &pixels) == 0 else { return nil }
            return PixelImage(width: Int(image.width), height: Int(image.height), pixels: pixels)
        }
    }

    /// The middle square of the picture, scaled: each new pixel is the mean of the old ones under it.
    func square(_ side: Int) -> PixelImage {
        let edge = min(width, height)
        let left = (width - edge) / 2
        let top = (height - edge) / 2
        var result = [UInt8](repeating: 0, count: side * side * 3)
        for y in 0..<side {
            let rows = Self.span(y, of: side, over: edge)
            for x in 0..<side {
                let columns = Self.span(x, of: side, over: edge)
                var sums = (0, 0, 0)
                for row in rows {
                    for column in columns {
                        let place = ((top + row) * width + left + column) * 3
                        sums.0 += Int(pixels[place])
                        sums.1 += Int(pixels[place + 1])
                        sums.2 += Int(pixels[place + 2])
                    }
                }
                let count = rows.count * columns.count
                let place = (y * side + x) * 3
                result[place] = UInt8(sums.0 / count)
                result[place + 1] = UInt8(sums.1 / count)
                result[place + 2] = UInt8(sums.2 / count)
            }
        }
        return PixelImage(width: side, height: side, pixels: result)
    }

    /// The old pixels under the new one at `index`: at least one.
    private static func span(_ index: Int, of side: Int, over edge: Int) -> Range<Int> {
        let start = index * edge / side
        return start..<max(start + 1, (index + 1) * edge / side)
    }

    /// As JPEG of quality 85; nil when there is no memory.
    var jpeg: Data? {
        guard let encoder = tjInitCompress() else { return nil }
        defer { tjDestroy(encoder) }
        var output: UnsafeMutablePointer<UInt8>?
        var count: UInt = 0
        let status = tjCompress2(
            encoder, pixels, Int32(width), 0, Int32(height), Int32(TJPF_RGB.rawValue), &output, &count,
            Int32(TJSAMP_420.rawValue), 85, 0)
        defer { tjFree(output) }
        guard status == 0, let output else { return nil }
        return Data(bytes: output, count: Int(count))
    }
}
