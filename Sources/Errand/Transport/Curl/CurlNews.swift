#if os(Linux)
import Foundation

/// What the loop has for the consumer at the end of a turn.
struct CurlNews {
  var head: HTTPResponse?
  var chunks: [Data] = []
  var buffered = 0
  var ending: Result<Void, any Error>?
  var summary = TransportSummary()

  /// Adds bytes, few large chunks rather than many small ones.
  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    buffered += bytes.count
    if let last = chunks.indices.last, chunks[last].count < 1 << 17 {
      chunks[last].append(contentsOf: bytes)
    } else {
      chunks.append(Data(bytes))
    }
  }
}
#endif
