import Foundation

/// The expected checksum of a downloaded file, verified before the file is put in place.
///
/// A mismatch is an error of kind ``RequestError/Kind/invalidResponse``, and the received bytes are removed.
public struct FileChecksum: Sendable, Hashable {
  fileprivate enum Kind: String {
    case sha256 = "sha-256"
    case sha512 = "sha-512"
  }

  /// `nil`: the checksum announced by the server.
  private let expected: (kind: Kind, sum: String)?

  /// Returns an expected SHA-256 checksum.
  ///
  /// `digits` must be 64 hexadecimal digits, or the request fails.
  public static func sha256(_ digits: String) -> FileChecksum {
    FileChecksum(expected: (.sha256, digits.lowercased()))
  }

  /// Returns an expected SHA-512 checksum.
  ///
  /// `digits` must be 128 hexadecimal digits, or the request fails.
  public static func sha512(_ digits: String) -> FileChecksum {
    FileChecksum(expected: (.sha512, digits.lowercased()))
  }

  /// The checksum that the server announces in `Repr-Digest` (RFC 9530 section 3): SHA-512, or else SHA-256.
  ///
  /// The request asks for a response without content coding. An encoded response, or a response with neither
  /// checksum, is rejected.
  public static let announced = FileChecksum(expected: nil)

  func check() throws(Refusal) {
    guard let (kind, sum) = expected else { return }
    let isSum = sum.utf8.count == kind.length * 2 && sum.utf8.allSatisfy { ASCII.hexDigit($0) != nil }
    if !isSum {
      throw Refusal(
        "the checksum \(sum.debugDescription) is not \(kind.length * 2) hexadecimal digits",
        kind: .invalidRequest)
    }
  }

  func ask(_ request: inout HTTPRequest) {
    guard expected == nil else { return }
    request.headers["Accept-Encoding"] = "identity"
    if !request.headers.contains("Want-Repr-Digest") {
      request.headers["Want-Repr-Digest"] = "sha-512=10, sha-256=5"
    }
  }

  func summing(_ head: HTTPResponse) throws(Refusal) -> Summing {
    if let (kind, sum) = expected { return Summing(kind, expected: sum) }
    guard PartRecord.isPlain(head) else {
      throw Refusal(
        "the server's checksum covers the encoded bytes, not the decoded file",
        kind: .invalidResponse)
    }
    let announced = Self.announced(by: head.headers.values(for: "Repr-Digest").joined(separator: ","))
    guard let (kind, sum) = announced else {
      throw Refusal("the server sent no sha-512 or sha-256 in Repr-Digest", kind: .invalidResponse)
    }
    return Summing(kind, expected: sum)
  }

  /// Reads a dictionary of byte sequences (RFC 9651 sections 3.2 and 3.3.5).
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

  /// Returns true if both values expect the same checksum.
  public static func == (a: FileChecksum, b: FileChecksum) -> Bool {
    a.expected?.kind == b.expected?.kind && a.expected?.sum == b.expected?.sum
  }

  /// Hashes the expected checksum.
  public func hash(into hasher: inout Hasher) { hasher.combine(expected?.sum) }

  struct Summing: Sendable {
    private let kind: Kind
    private let expected: String
    private var sum: RunningSum

    fileprivate init(_ kind: Kind, expected: String) {
      (self.kind, self.expected) = (kind, expected)
      sum = RunningSum(kind == .sha256 ? .sha256 : .sha512)
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) { sum.update(bytes) }

    func check(_ url: URL) throws(Refusal) {
      let found = FileChecksum.hexadecimal(sum.digest())
      guard found != expected else { return }
      throw Refusal(
        "\(url.lastPathComponent) has the \(kind.rawValue) \(found) instead of \(expected); the downloaded bytes were removed",
        kind: .invalidResponse)
    }
  }
}

extension FileChecksum.Kind {
  /// In bytes.
  fileprivate var length: Int { self == .sha256 ? 32 : 64 }
}
