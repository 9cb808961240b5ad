/// A value that is hidden wherever it is printed, under whatever name.
struct HiddenValue: Sendable, Hashable {
  /// In UTF-8.
  let bytes: [UInt8]
  /// Whether it is hidden only where no letter and no digit stands beside it, as short values occur in words too.
  let standsAlone: Bool

  /// One that is marked as a secret; `nil` for an empty one.
  init?(_ secret: Secret) {
    bytes = Array(secret.reveal().utf8)
    guard !bytes.isEmpty else { return nil }
    standsAlone = bytes.count < 4
  }

  /// One that was sent under the name of a secret; `nil` where it says too little: an id or a word may be anybody's.
  init?(learned text: some StringProtocol) {
    bytes = Array(text.utf8)
    guard (4...16_384).contains(bytes.count), !Self.common.contains(text.lowercased()) else { return nil }
    standsAlone = bytes.count < 8
  }

  private static let common: Set<String> = ["true", "false", "null", "none", "undefined", Redaction.marker]
}

extension HiddenValue: CustomStringConvertible, CustomReflectable {
  var description: String { Redaction.marker }
  var customMirror: Mirror { Mirror(self, children: []) }
}
