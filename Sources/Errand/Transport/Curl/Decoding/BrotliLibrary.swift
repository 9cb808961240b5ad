#if os(Linux)
import CCurl

struct BrotliLibrary: @unchecked Sendable {
  // Guarded by immutability: constant addresses of functions in a library that stays loaded.
  let create: ccurl_brotli_create
  let decode: ccurl_brotli_decode
  let destroy: ccurl_brotli_destroy

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
