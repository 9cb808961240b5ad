import Foundation
import Testing

@testable import Errand

/// The examples of FIPS 180-4, and pieces of every length.
@Suite("SHA-256 and SHA-512")
struct SHA2Tests {
  static func sum<Word: SHA2Word>(_ pieces: [Data], _ word: Word.Type) -> String {
    var sum = SHA2<Word>()
    for piece in pieces { piece.withUnsafeBytes { sum.update($0) } }
    return sum.finished().map { String(format: "%02x", Int($0)) }.joined()
  }

  private static let long =
    "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"

  @Test(
    "The examples have the sums of the standard",
    arguments: [
      (
        "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
          + "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"
      ),
      (
        "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
          + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
      ),
      (
        long, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1",
        "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018"
          + "501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909"
      ),
    ])
  func examples(text: String, sha256: String, sha512: String) {
    #expect(Self.sum([Data(text.utf8)], UInt32.self) == sha256)
    #expect(Self.sum([Data(text.utf8)], UInt64.self) == sha512)
  }

  @Test("A million times a")
  func million() {
    let pieces = [Data](repeating: Data(repeating: 0x61, count: 1_000), count: 1_000)
    #expect(
      Self.sum(pieces, UInt32.self) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    #expect(
      Self.sum(pieces, UInt64.self)
        == "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973eb"
        + "de0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b")
  }

  @Test("Whatever the pieces are, the sum is that of the whole")
  func pieces() {
    var random = SeededGenerator(seed: 4)
    for length in 0..<300 {
      let bytes = Data((0..<length).map { _ in UInt8(random.below(256)) })
      var (pieces, rest) = ([Data](), bytes[...])
      while !rest.isEmpty {
        let piece = rest.prefix(1 + random.below(70))
        pieces.append(Data(piece))
        rest = rest.dropFirst(piece.count)
      }
      #expect(Self.sum(pieces, UInt32.self) == Self.sum([bytes], UInt32.self))
      #expect(Self.sum(pieces, UInt64.self) == Self.sum([bytes], UInt64.self))
    }
  }
}
