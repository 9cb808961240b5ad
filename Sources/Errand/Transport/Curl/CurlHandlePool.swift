#if os(Linux)
/// Easy handles at rest: making one costs more than using one again.
struct CurlHandlePool {
  private static let limit = 1024
  private var plain: [CurlHandle] = []
  private var secure: [CurlHandle] = []

  /// Gives a handle for http or https; `nil` when libcurl cannot make one.
  mutating func take(isSecure: Bool) -> CurlHandle? {
    (isSecure ? secure.popLast() : plain.popLast()) ?? CurlHandle(isSecure: isSecure)
  }

  /// Takes a handle back and clears it, so that it does not hold the last user's pointers.
  mutating func give(_ handle: CurlHandle) {
    guard handle.recycle(), plain.count + secure.count < Self.limit else { return }
    if handle.isSecure { secure.append(handle) } else { plain.append(handle) }
  }

  mutating func removeAll() { (plain, secure) = ([], []) }
}
#endif
