import Foundation

/// The body is without framing.
struct RawRequest: Sendable, Equatable {
  var lines: [String]
  var body: Data

  var line: String { lines.first ?? "" }

  /// Ignores letter case.
  func value(of name: String) -> String? {
    let start = name.lowercased() + ":"
    guard let line = lines.first(where: { $0.lowercased().hasPrefix(start) }) else { return nil }
    return line.dropFirst(start.count).trimmingCharacters(in: .whitespaces)
  }
}

/// Used only by the server's script.
final class RawConnection {
  let number: Int

  /// `nil` after close.
  private var channel: (any ServerChannel)?
  private var buffer: [UInt8] = []
  private let record: (RawRequest) -> Void
  private let noteText: (String) -> Void

  init(
    _ channel: any ServerChannel, number: Int, record: @escaping (RawRequest) -> Void,
    note: @escaping (String) -> Void
  ) {
    self.channel = channel
    self.number = number
    self.record = record
    noteText = note
  }

  /// Reports progress to the test.
  func note(_ text: String) { noteText(text) }

  /// Records the request; `nil` after close by the client.
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

  /// Without recording; `nil` after close by the client.
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
  func send(_ bytes: Data) -> Bool { bytes.withUnsafeBytes { channel?.send($0) ?? false } }

  /// Sends the output of `body` together, if possible.
  func together(_ body: () -> Void) {
    channel?.hold()
    body()
    channel?.release()
  }

  func waitForClose() {
    while fill() {}
  }

  /// `taken` gets the size of each piece.
  ///
  /// Returns `false` after an early close.
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
    channel?.close()
    channel = nil
  }

  /// Without the closing message of TLS.
  func cut() {
    channel?.cut()
    channel = nil
  }

  func reset() {
    channel?.reset()
    channel = nil
  }

  func channel<Channel>(as type: Channel.Type) -> Channel? { channel as? Channel }

  private func fill() -> Bool {
    let bytes = channel?.receive() ?? []
    buffer += bytes
    return !bytes.isEmpty
  }

  /// Without the line end; `nil` after close by the client.
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

  /// `nil` after an early close by the client.
  func read(_ count: Int) -> [UInt8]? {
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
