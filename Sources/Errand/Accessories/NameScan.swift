/// Looks at a name in one pass over its bytes, as a text may consist of names.
///
/// It sees what ``SecretName`` makes of the name: its letters in lower case and its digits.
struct NameScan {
  /// What is kept of a name, or of a part of one.
  struct Form {
    private(set) var count = 0
    /// FNV-1a.
    private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    /// The last four bytes.
    private var end: UInt32 = 0

    mutating func add(_ byte: UInt8) {
      count += 1
      hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
      end = end << 8 | UInt32(byte)
    }

    /// Whether it is the name of a secret as a whole, or ends in `auth`.
    var looksSecret: Bool { end == NameScan.auth || NameScan.wholes.contains(self) }
  }

  private static let auth: UInt32 = "auth".utf8.reduce(0) { $0 << 8 | UInt32($1) }
  private static let wholes = SecretNames(["cookie", "setcookie", "jwt", "pwd", "pass"])

  /// Whether a name, or one of the parts it has between brackets and full stops, is one that `isSecret` knows.
  ///
  /// - Parameter findsWords: whether one of the words that a secret's name has in it is enough.
  static func finds(
    in name: UnsafeBufferPointer<UInt8>, words findsWords: Bool, _ isSecret: (Form) -> Bool
  ) -> Bool {
    var (whole, part, hasParts, index) = (Form(), Form(), false, 0)
    var state = SecretWords.start
    while index < name.count {
      var byte = name[index]
      index += 1
      switch byte {
      case 0x30...0x39, 0x61...0x7A: break
      case 0x41...0x5A: byte |= 0x20
      // The Kelvin sign is a k in lower case.
      case 0xE2 where index + 1 < name.count && name[index] == 0x84 && name[index + 1] == 0xAA:
        (byte, index) = (UInt8(ascii: "k"), index + 2)
      case 0x80...: break
      case UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "."):
        if part.count > 0, isSecret(part) { return true }
        (part, hasParts) = (Form(), true)
        continue
      default: continue
      }
      whole.add(byte)
      part.add(byte)
      if findsWords, SecretWords.isComplete(&state, with: byte) { return true }
    }
    return isSecret(whole) || hasParts && isSecret(part)
  }
}
