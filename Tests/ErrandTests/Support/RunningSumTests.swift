import CSums
import Foundation
import Testing

@testable import Errand

@Suite("Incremental hash functions")
struct RunningSumTests {
  static func sum(_ kind: RunningSum.Kind, _ pieces: [Data]) -> String {
    var sum = RunningSum(kind)
    for piece in pieces { piece.withUnsafeBytes { sum.update($0) } }
    return digits(sum.digest())
  }

  static func digits(_ bytes: [UInt8]) -> String { bytes.map { String(format: "%02x", Int($0)) }.joined() }

  private static let long =
    "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"

  @Test(
    "The examples have the digests of the standards",
    arguments: [
      (RunningSum.Kind.md5, "", "d41d8cd98f00b204e9800998ecf8427e"),
      (.md5, "a", "0cc175b9c0f1b6a831c399e269772661"),
      (.md5, "message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
      (.md5, String(repeating: "1234567890", count: 8), "57edf4a22be3c955ac49da2e2107b67a"),
      (.sha1, "", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
      (.sha1, "abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
      (.sha256, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      (.sha256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (.sha256, long, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"),
      (
        .sha512, "",
        "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
          + "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"
      ),
      (
        .sha512, "abc",
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
          + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
      ),
      (
        .sha512, long,
        "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018"
          + "501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909"
      ),
      (.sha512To256, "", "c672b8d1ef56ed28ab87c3622c5114069bdd3ad7b8f9737498d0c01ecef0967a"),
      (.sha512To256, "abc", "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"),
    ])
  func examples(kind: RunningSum.Kind, text: String, sum: String) {
    #expect(Self.sum(kind, [Data(text.utf8)]) == sum)
  }

  @Test(
    "A million times \"a\" in pieces of every length",
    arguments: [
      (RunningSum.Kind.sha1, "34aa973cd4c4daa4f61eeb2bdbad27316534016f"),
      (.sha256, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
      (
        .sha512,
        "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973eb"
          + "de0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b"
      ),
    ])
  func million(kind: RunningSum.Kind, sum: String) {
    let letters = Data(repeating: 0x61, count: 1_000_000)
    var (rest, pieces) = (letters[...], [Data]())
    while !rest.isEmpty {
      let piece = rest.prefix(pieces.count % 3_000)
      pieces.append(Data(piece))
      rest = rest.dropFirst(piece.count)
    }
    #expect(Self.sum(kind, pieces) == sum)
  }

  @Test("Inputs of any length in any pieces have the standard's digest, also from a copy")
  func pieces() {
    let kinds: [(RunningSum.Kind, ([UInt8]) -> [UInt8])] = [
      (.md5, PlainSum.md5), (.sha1, PlainSum.sha1), (.sha256, PlainSum.sha256), (.sha512, PlainSum.sha512),
      (.sha512To256, PlainSum.sha512To256),
    ]
    var random = SeededGenerator(seed: 4)
    for length in Array(0..<260) + [511, 512, 513, 1_000, 4_096] {
      let bytes = (0..<length).map { _ in UInt8(random.below(256)) }
      let (kind, plain) = kinds[length % kinds.count]
      for (kind, plain) in length < 10 ? kinds : [(kind, plain)] {
        var (sum, place) = (RunningSum(kind), 0)
        while place < length {
          let count = min(random.below(200), length - place)
          bytes.withUnsafeBytes { sum.update(UnsafeRawBufferPointer(rebasing: $0[place..<place + count])) }
          place += count
        }
        let expected = Self.digits(plain(bytes))
        #expect(Self.digits(sum.digest()) == expected, "\(kind), \(length) bytes")
        var other = sum
        other.update(UnsafeRawBufferPointer(start: nil, count: 0))
        #expect(Self.digits(other.digest()) == expected, "\(kind), \(length) bytes")
      }
    }
  }

  /// On a processor without these instructions, both implementations are the same.
  @Test(
    "The processor's instructions give the same digests as plain C",
    arguments: [CSUMS_MD5, CSUMS_SHA1, CSUMS_SHA256, CSUMS_SHA512, CSUMS_SHA512_256])
  func instructions(function: csums_kind) {
    var random = SeededGenerator(seed: 5)
    for blocks in 1..<20 {
      let bytes = (0..<blocks * 128).map { _ in UInt8(random.below(256)) }
      var (sum, plain) = (csums(), csums())
      csums_begin(&sum, function)
      csums_begin(&plain, function)
      csums_update(&sum, bytes, bytes.count)
      let isWide = function.rawValue >= CSUMS_SHA512.rawValue
      csums_mix_plainly(&plain, bytes, bytes.count / (isWide ? 128 : 64))
      #expect(withUnsafeBytes(of: sum.state) { Array($0) } == withUnsafeBytes(of: plain.state) { Array($0) })
    }
  }
}
