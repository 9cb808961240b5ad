#if os(Linux)
/// Easy handles at rest: making one costs more than using one again.
struct CurlHandlePool {
  private var resting: [CurlHandle] = []

  /// Gives a handle without options; `nil` when libcurl cannot make one.
  mutating func take() -> CurlHandle? { resting.popLast() ?? CurlHandle() }

  /// Takes a handle back and clears it, so that it does not hold the last user's pointers.
  mutating func give(_ handle: CurlHandle) {
    if handle.recycle(), resting.count < 64 { resting.append(handle) }
  }

  mutating func removeAll() { resting = [] }
}
#endif
