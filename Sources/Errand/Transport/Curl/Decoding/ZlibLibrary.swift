#if os(Linux)
import CCurl

struct ZlibLibrary: @unchecked Sendable {
  // Guarded by immutability: constant addresses of functions in a library that stays loaded.
  private let functions: ccurl_zlib

  init?(_ name: String = "libz.so.1") {
    var functions = ccurl_zlib()
    guard ccurl_load_zlib(name, &functions) else { return nil }
    self.functions = functions
  }

  func start(_ stream: UnsafeMutablePointer<ccurl_z_stream>, bits: Int32) -> Int32 {
    functions.`init`(stream, bits, "1.2", Int32(MemoryLayout<ccurl_z_stream>.size))
  }

  func restart(_ stream: UnsafeMutablePointer<ccurl_z_stream>) -> Int32 { functions.reset(stream) }

  func inflate(_ stream: UnsafeMutablePointer<ccurl_z_stream>) -> Int32 {
    functions.inflate(stream, CCURL_Z_NO_FLUSH)
  }

  func end(_ stream: UnsafeMutablePointer<ccurl_z_stream>) { _ = functions.end(stream) }

  /// Starts a gzip compression with zlib's default level.
  func startGzip(_ stream: UnsafeMutablePointer<ccurl_z_stream>) -> Int32 {
    functions.deflate_init(
      stream, -1, 8, CCURL_MAX_WBITS + 16, 8, 0, "1.2", Int32(MemoryLayout<ccurl_z_stream>.size))
  }

  func deflate(_ stream: UnsafeMutablePointer<ccurl_z_stream>, isLast: Bool) -> Int32 {
    functions.deflate(stream, isLast ? CCURL_Z_FINISH : CCURL_Z_NO_FLUSH)
  }

  func endGzip(_ stream: UnsafeMutablePointer<ccurl_z_stream>) { _ = functions.deflate_end(stream) }
}
#endif
