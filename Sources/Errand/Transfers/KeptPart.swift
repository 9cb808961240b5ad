import Foundation

/// The first bytes of a file that did not arrive whole, beside the place where it is to be, with what tells whether they still belong to it.
///
/// Two files have it: the bytes, and the validator of the response they came with, as `If-Range` asks for it (RFC 9110 section 13.1.5). The name of
/// both is made of the URL and the destination, so that the next request of the same finds them. A lock of the system's keeps two requests,
/// also of two processes, from one part; it is gone with the process.
struct KeptPart: Sendable {
  let path: String
  private let validatorPath: String

  /// - Parameter request: the one that is going to be sent.
  init(of destination: URL, for request: HTTPRequest) {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    // FNV-1a, as the name has to be the same in every run.
    for byte in "\(request.url.absoluteString)\n\(destination.path)".utf8 {
      hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
    }
    let name = ".errand-\(String(hash, radix: 16))"
    let directory = destination.deletingLastPathComponent()
    path = directory.appendingPathComponent("\(name).part", isDirectory: false).path
    validatorPath = directory.appendingPathComponent("\(name).validator", isDirectory: false).path
  }

  /// Opens the bytes for writing, with the lock; `nil` where another has it, or there can be no such file.
  func open() -> Int32? {
    let descriptor = Foundation.open(
      path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o666)
    guard descriptor >= 0 else { return nil }
    // One that was put in place while this one waited for nothing is not there any more.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, let opened = try? RegularFile.state(of: descriptor),
      (try? RegularFile.state(at: path))?.isSameFile(as: opened) == true
    else {
      Foundation.close(descriptor)
      return nil
    }
    return descriptor
  }

  /// Closes the bytes, and gives the lock back also where a process that is being started has the file open still.
  static func close(_ descriptor: Int32) {
    flock(descriptor, LOCK_UN)
    Foundation.close(descriptor)
  }

  /// What came with the bytes; `nil` where nothing is known of them.
  var validator: String? {
    guard let text = try? String(contentsOfFile: validatorPath, encoding: .utf8), !text.isEmpty else {
      return nil
    }
    return text
  }

  /// Notes of what response the bytes are going to be; `nil` for one that no range can be asked of.
  func note(_ validator: String?) throws {
    guard let validator else {
      unlink(validatorPath)
      return
    }
    try Data(validator.utf8).write(to: URL(fileURLWithPath: validatorPath), options: .atomic)
  }

  /// Forgets the bytes and what is known of them.
  func remove() {
    unlink(path)
    unlink(validatorPath)
  }

  /// The strong validator of a response whose body can be asked for in ranges (RFC 9110 sections 8.8.3 and 8.8.2.2).
  static func validator(of head: HTTPResponse) -> String? {
    guard head.status == 200, isPlain(head),
      head.headers["Accept-Ranges"]?.lowercased() != "none"
    else { return nil }
    if let tag = head.headers["ETag"] { return tag.hasPrefix("\"") && tag.count > 2 ? tag : nil }
    guard let modified = head.headers["Last-Modified"], let date = HTTPDate.parse(modified),
      let answered = head.serverDate, answered.timeIntervalSince(date) >= 1
    else { return nil }
    return modified
  }

  /// Whether the bytes are as the file has them: a part of what was coded is a part of others.
  static func isPlain(_ head: HTTPResponse) -> Bool {
    head.headers["Content-Encoding"].map { $0.lowercased() == "identity" } ?? true
  }

  /// The first byte and the length of the whole, of a `Content-Range` (RFC 9110 section 14.4); the length is `nil` where it is not known.
  static func range(of head: HTTPResponse) -> (first: Int64, length: Int64?)? {
    guard let field = head.headers["Content-Range"] else { return nil }
    let words = field.split(separator: " ", maxSplits: 1)
    guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
    let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
    let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, ends.count == 2, let first = number(ends[0]), let last = number(ends[1]),
      first <= last
    else { return nil }
    return (first, parts[1] == "*" ? nil : number(parts[1]))
  }

  private static func number(_ digits: Substring) -> Int64? {
    digits.utf8.allSatisfy { 0x30...0x39 ~= $0 } ? Int64(digits) : nil
  }
}
