import Foundation

/// A frame of HTTP/2 (RFC 9113 section 4.1), as far as a server of the tests needs it.
struct HTTP2Frame: Equatable {
  enum Kind: UInt8 {
    case data, headers, priority, reset, settings, push, ping, goAway, windowUpdate, continuation
  }

  var kind: Kind
  var flags: UInt8 = 0
  var stream: UInt32 = 0
  var payload: [UInt8] = []

  /// The bytes on the wire.
  var bytes: Data {
    let length = UInt32(payload.count)
    return Data([
      UInt8(length >> 16 & 0xFF), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF), kind.rawValue, flags,
    ])
      + Self.number(stream) + payload
  }

  private static func number(_ value: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(value >> (24 - 8 * $0) & 0xFF) }
  }

  /// What a server says first: nothing special, or how many streams it takes at once, or how many bytes of a stream.
  static func settings(concurrentStreams: UInt32? = nil, window: UInt32? = nil) -> HTTP2Frame {
    HTTP2Frame(
      kind: .settings,
      payload: (concurrentStreams.map { [0, 3] + number($0) } ?? [])
        + (window.map { [0, 4] + number($0) } ?? []))
  }

  /// Leave for so many more bytes of a stream.
  static func windowUpdate(_ stream: UInt32, by count: Int) -> HTTP2Frame {
    HTTP2Frame(kind: .windowUpdate, stream: stream, payload: number(UInt32(count)))
  }

  static let acknowledgement = HTTP2Frame(kind: .settings, flags: 1)

  /// A whole response: `:status: 200`, and no body.
  static func answer(to stream: UInt32) -> HTTP2Frame {
    HTTP2Frame(kind: .headers, flags: 5, stream: stream, payload: [0x88])
  }

  /// A response with these fields, whole where `body` is, in frames of at most 16,384 bytes.
  static func response(
    to stream: UInt32, fields: [(name: String, value: String)] = [], body: String, isWhole: Bool = true
  ) -> [HTTP2Frame] {
    var block: [UInt8] = [0x88]
    for (name, value) in fields { block += field(name, value) }
    var frames: [HTTP2Frame] = []
    repeat {
      let payload = Array(block.prefix(16_384))
      block.removeFirst(payload.count)
      frames.append(
        HTTP2Frame(
          kind: frames.isEmpty ? .headers : .continuation, flags: block.isEmpty ? 4 : 0, stream: stream,
          payload: payload))
    } while !block.isEmpty
    frames.append(
      HTTP2Frame(kind: .data, flags: isWhole ? 1 : 0, stream: stream, payload: Array(body.utf8)))
    return frames
  }

  /// A field without an index and without Huffman codes (RFC 7541 section 6.2.2).
  static func field(_ name: String, _ value: String) -> [UInt8] {
    var bytes: [UInt8] = [0]
    for text in [name, value] { bytes += length(text.utf8.count) + Array(text.utf8) }
    return bytes
  }

  /// A length with a prefix of seven bits (RFC 7541 section 5.1).
  private static func length(_ count: Int) -> [UInt8] {
    guard count >= 127 else { return [UInt8(count)] }
    var (bytes, rest): ([UInt8], Int) = ([127], count - 127)
    while rest >= 128 {
      bytes.append(UInt8(rest % 128) | 128)
      rest /= 128
    }
    return bytes + [UInt8(rest)]
  }

  /// The end of one stream; `REFUSED_STREAM` is 7, `CANCEL` is 8.
  static func reset(_ stream: UInt32, code: UInt32) -> HTTP2Frame {
    HTTP2Frame(kind: .reset, stream: stream, payload: number(code))
  }

  /// The last of what was dealt with; without an error by default.
  static func goAway(last: UInt32, code: UInt32 = 0) -> HTTP2Frame {
    HTTP2Frame(kind: .goAway, payload: number(last) + number(code))
  }
}

extension RawConnection {
  /// Serves HTTP/2: greets, and calls `answer` with the stream of each request, `received` with each piece of its body, and
  /// `ended` when the body has come, until the client is gone.
  func serveHTTP2(
    _ settings: HTTP2Frame = .settings(), _ answer: (UInt32) -> Void,
    received: (HTTP2Frame) -> Void = { _ in }, ended: (UInt32) -> Void
  ) {
    // "PRI * HTTP/2.0" and what follows it.
    guard read(24) != nil else { return }
    send(settings.bytes)
    while let frame = readFrame() {
      if frame == HTTP2Frame(kind: .settings, payload: frame.payload) {
        send(HTTP2Frame.acknowledgement.bytes)
      }
      if frame.kind == .headers { answer(frame.stream) }
      if frame.kind == .data { received(frame) }
      if frame.kind == .data, frame.flags & 1 == 1 { ended(frame.stream) }
    }
  }

  private func readFrame() -> HTTP2Frame? {
    guard let head = read(9), let kind = HTTP2Frame.Kind(rawValue: head[3]) else { return nil }
    let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
    guard let payload = read(length) else { return nil }
    let stream = head[5...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return HTTP2Frame(kind: kind, flags: head[4], stream: stream, payload: payload)
  }

  func send(_ frame: HTTP2Frame) { send(frame.bytes) }
}
