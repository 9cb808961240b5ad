public import Foundation

/// Recognizable bodies from a number.
public enum CachePattern {
  /// Returns the pieces of a body, up to about 200 KB in total.
  public static func pieces(of seed: UInt64) -> [Data] {
    let count = Int((seed >> 33) % 200_000)
    return (0..<4).map { piece in
      Data(repeating: UInt8(truncatingIfNeeded: seed >> (8 * UInt64(piece))), count: count / 4 + piece)
    }
  }

  /// Returns the whole body.
  public static func body(of seed: UInt64) -> Data { pieces(of: seed).reduce(Data(), +) }
}
