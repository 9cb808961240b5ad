public import Foundation

/// Bodies that are made of a number, and so known again.
public enum CachePattern {
  /// The pieces of one: none to 200 KB.
  public static func pieces(of seed: UInt64) -> [Data] {
    let count = Int((seed >> 33) % 200_000)
    return (0..<4).map { piece in
      Data(repeating: UInt8(truncatingIfNeeded: seed >> (8 * UInt64(piece))), count: count / 4 + piece)
    }
  }

  /// All of it.
  public static func body(of seed: UInt64) -> Data { pieces(of: seed).reduce(Data(), +) }
}
