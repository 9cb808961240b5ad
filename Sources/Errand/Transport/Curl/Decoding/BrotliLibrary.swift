#if os(Linux)
import CCurl

/// The functions of libbrotlidec.
struct BrotliLibrary: @unchecked Sendable {
  // Guard: addresses of code that stays loaded, never changed.
  let create: ccurl_brotli_create
  let decode: ccurl_brotli_decode
  let destroy: ccurl_brotli_destroy

  /// `nil` where the library or one of its functions is missing.
  init?(_ name: String = "libbrotlidec.so.1") {
    guard let library = DynamicLibrary(name),
      let create = library.function("BrotliDecoderCreateInstance", as: ccurl_brotli_create.self),
      let decode = library.function("BrotliDecoderDecompressStream", as: ccurl_brotli_decode.self),
      let destroy = library.function("BrotliDecoderDestroyInstance", as: ccurl_brotli_destroy.self)
    else { return nil }
    (self.create, self.decode, self.destroy) = (create, decode, destroy)
  }
}
#endif
