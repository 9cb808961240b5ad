#if os(Linux)
struct DecoderLibraries: Sendable {
  let zlib: ZlibLibrary?
  let brotli: BrotliLibrary?
  let zstd: ZstdLibrary?

  static let system = DecoderLibraries(
    zlib: ZlibLibrary(), brotli: BrotliLibrary(), zstd: ZstdLibrary())

  var codings: [ContentCoding] {
    (zlib == nil ? [] : [.gzip, .deflate]) + (brotli == nil ? [] : [.br]) + (zstd == nil ? [] : [.zstd])
  }

  func decoder(for coding: ContentCoding) -> (any BodyDecoder)? {
    switch coding {
    case .gzip, .deflate: zlib.map { Inflater(coding, by: $0) }
    case .br: brotli.map { PieceDecoder(BrotliCodec($0)) }
    case .zstd: zstd.map { PieceDecoder(ZstdCodec($0)) }
    }
  }
}
#endif
