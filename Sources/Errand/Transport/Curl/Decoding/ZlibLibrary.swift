#if os(Linux)
import CCurl

/// The functions of zlib.
struct ZlibLibrary: @unchecked Sendable {
  // Guard: addresses of code that stays loaded, never changed.
  private let functions: ccurl_zlib

  /// `nil` where the library or one of its functions is missing.
  init?(_ name: String = "libz.so.1") {
    var functions = ccurl_zlib()
    guard ccurl_load_zlib(name, &functions) else { return nil }
    self.functions = functions
  }

  /// Begins a stream; `bits` tell the format and the size of the window.
  func start(_ stream: UnsafeMutablePointer<ccurl_z_stream>, bits: Int32) -> Int32 {
    functions.`init`(stream, bits, "1.2", Int32(MemoryLayout<ccurl_z_stream>.size))
  }

  /// Begins another stream of the same format.
  func restart(_ stream: UnsafeMutablePointer<ccurl_z_stream>) -> Int32 { functions.reset(stream) }

  func inflate(_ stream: UnsafeMutablePointer<ccurl_z_stream>) -> Int32 {
    functions.inflate(stream, CCURL_Z_NO_FLUSH)
  }

  /// Frees what the stream has.
  func end(_ stream: UnsafeMutablePointer<ccurl_z_stream>) { _ = functions.end(stream) }

  /// Begins to write gzip (RFC 1952) at the level that zlib takes for the best of time and size.
  func startGzip(_ stream: UnsafeMutablePointer<ccurl_z_stream>) -> Int32 {
    functions.deflate_init(
      stream, -1, 8, CCURL_MAX_WBITS + 16, 8, 0, "1.2", Int32(MemoryLayout<ccurl_z_stream>.size))
  }

  func deflate(_ stream: UnsafeMutablePointer<ccurl_z_stream>, isLast: Bool) -> Int32 {
    functions.deflate(stream, isLast ? CCURL_Z_FINISH : CCURL_Z_NO_FLUSH)
  }

  /// Frees what a stream that was written has.
  func endGzip(_ stream: UnsafeMutablePointer<ccurl_z_stream>) { _ = functions.deflate_end(stream) }
}
#endif
