#if os(Linux)
/// Easy handles at rest: making one costs more than a reset.
///
/// A handle is used again only by a libcurl that forgets the headers of its last response. One before 8.2 keeps a
/// pointer to the last of them, and a response whose head begins with a folded line then changes freed memory.
struct CurlHandlePool {
  private var resting: [CurlHandle] = []

  /// Gives a handle without options; `nil` when libcurl cannot make one.
  mutating func take() -> CurlHandle? { resting.popLast() ?? CurlHandle() }

  /// Takes a handle back and clears it, so that it does not hold the last user's pointers.
  mutating func give(_ handle: CurlHandle) {
    guard CurlLibrary.forgetsHeaders, resting.count < 64 else { return }
    handle.reset()
    resting.append(handle)
  }

  mutating func removeAll() { resting = [] }
}
#endif
