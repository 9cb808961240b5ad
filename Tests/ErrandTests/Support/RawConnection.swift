import Foundation

/// What a raw server read: the lines of the head as they came, and the body without its framing.
struct RawRequest: Sendable, Equatable {
  var lines: [String]
  var body: Data

  /// The first line.
  var line: String { lines.first ?? "" }

  /// The value of a field, by the exact name, or by its lowercase.
  func value(of name: String) -> String? {
    let start = name.lowercased() + ":"
    guard let line = lines.first(where: { $0.lowercased().hasPrefix(start) }) else { return nil }
    return line.dropFirst(start.count).trimmingCharacters(in: .whitespaces)
  }
}

/// One connection of a ``RawServer``, used by its script only.
final class RawConnection {
  let number: Int

  private var descriptor: Int32
  private var buffer: [UInt8] = []
  private let record: (RawRequest) -> Void
  private let noteText: (String) -> Void

  init(
    _ descriptor: Int32, number: Int, record: @escaping (RawRequest) -> Void, note: @escaping (String) -> Void
  ) {
    self.descriptor = descriptor
    self.number = number
    self.record = record
    noteText = note
  }

  /// Tells the test where the script is.
  func note(_ text: String) { noteText(text) }

  /// Reads and records a request with its body; `nil` when the client is gone.
  @discardableResult
  func readRequest() -> RawRequest? {
    guard let lines = readHead() else { return nil }
    var request = RawRequest(lines: lines, body: Data())
    if let length = request.value(of: "Content-Length").flatMap({ Int($0) }) {
      guard let bytes = read(length) else { return nil }
      request.body = Data(bytes)
    } else if request.value(of: "Transfer-Encoding") == "chunked" {
      guard let bytes = readChunks() else { return nil }
      request.body = bytes
    }
    record(request)
    return request
  }

  /// Reads the lines of a head, without recording anything; `nil` when the client is gone.
  func readHead() -> [String]? {
    var lines: [String] = []
    while let line = readLine() {
      if line.isEmpty { return lines }
      lines.append(line)
    }
    return nil
  }

  func send(_ text: String) { send(Data(text.utf8)) }

  @discardableResult
  func send(_ bytes: Data) -> Bool { bytes.withUnsafeBytes { LoopbackSocket.send($0, to: descriptor) } }

  /// Waits until the client closes.
  func waitForClose() {
    while fill() {}
  }

  /// Reads and drops so many bytes, and calls `taken` with the size of each piece; `false` when the client is gone.
  func discard(_ count: Int, taken: (Int) -> Void) -> Bool {
    var rest = count
    while rest > 0 {
      guard !buffer.isEmpty || fill() else { return false }
      let piece = min(buffer.count, rest)
      buffer.removeFirst(piece)
      rest -= piece
      taken(piece)
    }
    return true
  }

  func close() {
    if descriptor >= 0 { LoopbackSocket.close(descriptor) }
    descriptor = -1
  }

  /// Cuts the connection with a reset.
  func reset() {
    LoopbackSocket.reset(descriptor)
    descriptor = -1
  }

  private func fill() -> Bool {
    let bytes = LoopbackSocket.receive(from: descriptor)
    buffer += bytes
    return !bytes.isEmpty
  }

  /// Reads a line without its end; `nil` when the client is gone.
  func readLine() -> String? {
    var searched = 0
    while true {
      if let end = buffer[searched...].firstIndex(of: 0x0A) {
        defer { buffer.removeFirst(end + 1) }
        return String(decoding: buffer[..<end].filter { $0 != 0x0D }, as: UTF8.self)
      }
      searched = buffer.count
      guard fill() else { return nil }
    }
  }

  private func read(_ count: Int) -> [UInt8]? {
    while buffer.count < count {
      guard fill() else { return nil }
    }
    defer { buffer.removeFirst(count) }
    return Array(buffer[..<count])
  }

  private func readChunks() -> Data? {
    var body = Data()
    while let line = readLine(), let size = Int(line, radix: 16) {
      guard let bytes = read(size), readLine() != nil else { return nil }
      if size == 0 { return body }
      body.append(contentsOf: bytes)
    }
    return nil
  }
}
