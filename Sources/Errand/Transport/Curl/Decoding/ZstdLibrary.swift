#if os(Linux)
import CCurl

struct ZstdLibrary: @unchecked Sendable {
  // Guarded by immutability: constant addresses of functions in a library that stays loaded.
  let create: ccurl_zstd_create
  let set: ccurl_zstd_set
  let decode: ccurl_zstd_decode
  let isError: ccurl_zstd_is_error
  let destroy: ccurl_zstd_destroy

  init?(_ name: String = "libzstd.so.1") {
    guard let library = DynamicLibrary(name),
      let create = library.function("ZSTD_createDCtx", as: ccurl_zstd_create.self),
      let set = library.function("ZSTD_DCtx_setParameter", as: ccurl_zstd_set.self),
      let decode = library.function("ZSTD_decompressStream", as: ccurl_zstd_decode.self),
      let isError = library.function("ZSTD_isError", as: ccurl_zstd_is_error.self),
      let destroy = library.function("ZSTD_freeDCtx", as: ccurl_zstd_destroy.self)
    else { return nil }
    (self.create, self.set, self.decode, self.isError, self.destroy) = (create, set, decode, isError, destroy)
  }
}
#endif
