import Errand
import ErrandMocks
public import Foundation

/// The route `/bytes/n`: reproducible bytes, whole or in part.
public struct BytesRoute: Sendable {
  /// All the bytes.
  public let bytes: Data

  /// Creates the route of `/bytes/count`; a negative count means 0.
  public init(count: Int) {
    bytes = Data((0..<max(count, 0)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
  }

  var answer: MockAnswer {
    .data(bytes, contentType: "application/octet-stream")
      .header("ETag", #""bytes-\#(bytes.count)""#)
      .header("Last-Modified", "Sat, 21 Nov 2026 10:00:00 GMT")
      .acceptingRanges()
  }
}
