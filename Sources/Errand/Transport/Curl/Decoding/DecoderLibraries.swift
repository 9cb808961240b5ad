#if os(Linux)
/// The decoders that are there only where the system has them.
struct DecoderLibraries: Sendable {
  let zlib: ZlibLibrary?
  let brotli: BrotliLibrary?
  let zstd: ZstdLibrary?

  /// Those of the system, looked for once.
  static let system = DecoderLibraries(
    zlib: ZlibLibrary(), brotli: BrotliLibrary(), zstd: ZstdLibrary())

  /// The codings that can be undone, in the order browsers name them.
  var codings: [ContentCoding] {
    (zlib == nil ? [] : [.gzip, .deflate]) + (brotli == nil ? [] : [.br]) + (zstd == nil ? [] : [.zstd])
  }

  /// `nil` where the coding's library is missing.
  func decoder(for coding: ContentCoding) -> (any BodyDecoder)? {
    switch coding {
    case .gzip, .deflate: zlib.map { Inflater(coding, by: $0) }
    case .br: brotli.map { PieceDecoder(BrotliCodec($0)) }
    case .zstd: zstd.map { PieceDecoder(ZstdCodec($0)) }
    }
  }
}
#endif
