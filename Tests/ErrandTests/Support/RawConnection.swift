import Foundation

/// A request that a raw server received: the lines of the head, and the body without framing.
struct RawRequest: Sendable, Equatable {
  var lines: [String]
  var body: Data

  /// The request line.
  var line: String { lines.first ?? "" }

  /// Returns the value of a field, ignoring letter case.
  func value(of name: String) -> String? {
    let start = name.lowercased() + ":"
    guard let line = lines.first(where: { $0.lowercased().hasPrefix(start) }) else { return nil }
    return line.dropFirst(start.count).trimmingCharacters(in: .whitespaces)
  }
}

/// A connection of a ``RawServer``, used only by the server's script.
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

  /// Reports the script's progress to the test.
  func note(_ text: String) { noteText(text) }

  /// Reads and records a request with its body; returns `nil` if the client has closed the connection.
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

  /// Reads the lines of a head without recording; returns `nil` if the client has closed the connection.
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

  /// Sends the output of `body`, together if possible.
  func together(_ body: () -> Void) {
    channel?.hold()
    body()
    channel?.release()
  }

  /// Waits until the client closes the connection.
  func waitForClose() {
    while fill() {}
  }

  /// Reads and drops `count` bytes, and calls `taken` with the size of each piece.
  ///
  /// Returns `false` if the client closes the connection earlier.
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

  /// Closes the connection without the closing message of TLS.
  func cut() {
    channel?.cut()
    channel = nil
  }

  /// Closes the connection with a reset.
  func reset() {
    channel?.reset()
    channel = nil
  }

  /// Returns the channel as a concrete type, for functions of only one kind of channel.
  func channel<Channel>(as type: Channel.Type) -> Channel? { channel as? Channel }

  private func fill() -> Bool {
    let bytes = channel?.receive() ?? []
    buffer += bytes
    return !bytes.isEmpty
  }

  /// Reads a line without its end; returns `nil` if the client has closed the connection.
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

  /// Reads `count` bytes; returns `nil` if the client closes the connection earlier.
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
