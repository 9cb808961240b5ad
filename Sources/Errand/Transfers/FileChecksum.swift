import Foundation

/// What a downloaded file is compared with before it is put in place.
///
/// A file that differs is an error of kind ``RequestError/Kind/invalidResponse`` that says both sums; nothing of it is kept, and the destination
/// stays as it was. The sum is taken of the bytes as they are written; of a download that resumes those that are there are read for it.
public struct FileChecksum: Sendable, Hashable {
  fileprivate enum Kind: String {
    case sha256 = "sha-256"
    case sha512 = "sha-512"
  }

  /// `nil` for what the server announces.
  private let expected: (kind: Kind, sum: String)?

  /// SHA-256, in 64 hexadecimal digits of any case; other text is an error before anything is sent.
  public static func sha256(_ digits: String) -> FileChecksum {
    FileChecksum(expected: (.sha256, digits.lowercased()))
  }

  /// SHA-512, in 128 hexadecimal digits of any case; other text is an error before anything is sent.
  public static func sha512(_ digits: String) -> FileChecksum {
    FileChecksum(expected: (.sha512, digits.lowercased()))
  }

  /// The one that the server announces by `Repr-Digest` (RFC 9530 section 3), which it is asked for by `Want-Repr-Digest`: its SHA-512, else its
  /// SHA-256.
  ///
  /// An answer that has neither is refused. It is of the bytes as they are sent, so that none are asked for in a content coding.
  public static let announced = FileChecksum(expected: nil)

  /// Refuses digits that are none.
  func check() throws(Refusal) {
    guard let (kind, sum) = expected else { return }
    let isSum = sum.utf8.count == kind.length * 2 && sum.utf8.allSatisfy { ASCII.hexDigit($0) != nil }
    if !isSum {
      throw Refusal(
        "the checksum \(sum.debugDescription) is not \(kind.length * 2) hexadecimal digits",
        kind: .invalidRequest)
    }
  }

  /// Asks for the announcement.
  func ask(_ request: inout HTTPRequest) {
    guard expected == nil else { return }
    request.headers["Accept-Encoding"] = "identity"
    if !request.headers.contains("Want-Repr-Digest") {
      request.headers["Want-Repr-Digest"] = "sha-512=10, sha-256=5"
    }
  }

  /// What sums up the body of a response, and knows what is to come of it.
  func summing(_ head: HTTPResponse) throws(Refusal) -> Summing {
    if let (kind, sum) = expected { return Summing(kind, expected: sum) }
    guard PartRecord.isPlain(head) else {
      throw Refusal(
        "the checksum that the server announces is of the bytes in their content coding",
        kind: .invalidResponse)
    }
    let announced = Self.announced(by: head.headers.values(for: "Repr-Digest").joined(separator: ","))
    guard let (kind, sum) = announced else {
      throw Refusal("the server announced no sha-512 or sha-256 by Repr-Digest", kind: .invalidResponse)
    }
    return Summing(kind, expected: sum)
  }

  /// The best of a dictionary of byte sequences (RFC 9651 sections 3.2 and 3.3.5), in hexadecimal digits; others are not looked at.
  private static func announced(by field: String) -> (Kind, String)? {
    var sums: [String: String] = [:]
    for member in field.split(separator: ",") {
      let parts = member.split(separator: "=", maxSplits: 1)
      guard parts.count == 2 else { continue }
      let value = parts[1].prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces)
      guard value.count > 2, value.hasPrefix(":"), value.hasSuffix(":"),
        let bytes = Data(base64Encoded: String(value.dropFirst().dropLast()))
      else { continue }
      sums[parts[0].trimmingCharacters(in: .whitespaces)] = hexadecimal(bytes)
    }
    for kind in [Kind.sha512, .sha256] {
      if let sum = sums[kind.rawValue], sum.utf8.count == kind.length * 2 { return (kind, sum) }
    }
    return nil
  }

  fileprivate static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// Whether they expect the same.
  public static func == (a: FileChecksum, b: FileChecksum) -> Bool {
    a.expected?.kind == b.expected?.kind && a.expected?.sum == b.expected?.sum
  }

  /// Hashes what is expected.
  public func hash(into hasher: inout Hasher) { hasher.combine(expected?.sum) }

  /// A sum under way.
  struct Summing: Sendable {
    private let kind: Kind
    private let expected: String
    private var sum: RunningSum

    fileprivate init(_ kind: Kind, expected: String) {
      (self.kind, self.expected) = (kind, expected)
      sum = RunningSum(kind == .sha256 ? .sha256 : .sha512)
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) { sum.update(bytes) }

    /// Throws where the sum is another one.
    func check(_ url: URL) throws(Refusal) {
      let found = FileChecksum.hexadecimal(sum.finished())
      guard found != expected else { return }
      throw Refusal(
        "\(url.lastPathComponent) has the \(kind.rawValue) \(found), and \(expected) was expected; nothing of it is kept",
        kind: .invalidResponse)
    }
  }
}

extension FileChecksum.Kind {
  /// In bytes.
  fileprivate var length: Int { self == .sha256 ? 32 : 64 }
}
