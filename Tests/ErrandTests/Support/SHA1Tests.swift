import Foundation
import Testing

@testable import Errand

@Suite("SHA-1")
struct SHA1Tests {
  static func sum(_ pieces: [Data]) -> String {
    var sum = SHA1()
    for piece in pieces { piece.withUnsafeBytes { sum.update($0) } }
    return sum.finished().map { String(format: "%02x", Int($0)) }.joined()
  }

  @Test(
    "The examples have the sums of the standard",
    arguments: [
      ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"), ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
      ),
    ])
  func examples(text: String, sum: String) { #expect(Self.sum([Data(text.utf8)]) == sum) }

  @Test("A million letters have the sum of the standard, in pieces of every length")
  func pieces() {
    let letters = Data(repeating: 0x61, count: 1_000_000)
    var (rest, pieces) = (letters[...], [Data]())
    while !rest.isEmpty {
      let piece = rest.prefix(pieces.count % 200)
      pieces.append(Data(piece))
      rest = rest.dropFirst(piece.count)
    }
    #expect(Self.sum(pieces) == "34aa973cd4c4daa4f61eeb2bdbad27316534016f")
  }
}
