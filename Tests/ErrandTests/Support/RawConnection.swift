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

  /// `nil` once it is closed.
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
  func send(_ bytes: Data) -> Bool { bytes.withUnsafeBytes { channel?.send($0) ?? false } }

  /// Sends what `body` sends so that all of it arrives at once.
  func together(_ body: () -> Void) {
    channel?.hold()
    body()
    channel?.release()
  }

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
    channel?.close()
    channel = nil
  }

  /// Closes without the goodbye of TLS.
  func cut() {
    channel?.cut()
    channel = nil
  }

  /// Cuts the connection with a reset.
  func reset() {
    channel?.reset()
    channel = nil
  }

  /// What only one kind of channel can do.
  func channel<Channel>(as type: Channel.Type) -> Channel? { channel as? Channel }

  private func fill() -> Bool {
    let bytes = channel?.receive() ?? []
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

  /// Reads so many bytes; `nil` when the client is gone before.
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
