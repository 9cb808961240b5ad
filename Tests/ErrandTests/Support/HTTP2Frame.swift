import Foundation

/// RFC 9113 section 4.1.
struct HTTP2Frame: Equatable {
  enum Kind: UInt8 {
    case data, headers, priority, reset, settings, push, ping, goAway, windowUpdate, continuation
  }

  var kind: Kind
  var flags: UInt8 = 0
  var stream: UInt32 = 0
  var payload: [UInt8] = []

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

  /// The server's first frame; `window` is the bytes of a stream.
  static func settings(concurrentStreams: UInt32? = nil, window: UInt32? = nil) -> HTTP2Frame {
    HTTP2Frame(
      kind: .settings,
      payload: (concurrentStreams.map { [0, 3] + number($0) } ?? [])
        + (window.map { [0, 4] + number($0) } ?? []))
  }

  /// Allows `count` more bytes of a stream.
  static func windowUpdate(_ stream: UInt32, by count: Int) -> HTTP2Frame {
    HTTP2Frame(kind: .windowUpdate, stream: stream, payload: number(UInt32(count)))
  }

  static let acknowledgement = HTTP2Frame(kind: .settings, flags: 1)

  /// A complete response: `:status: 200` without a body.
  static func answer(to stream: UInt32) -> HTTP2Frame {
    HTTP2Frame(kind: .headers, flags: 5, stream: stream, payload: [0x88])
  }

  /// Header frames of at most 16,384 bytes; `isWhole` ends the stream.
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

  /// Without indexing and Huffman coding (RFC 7541 section 6.2.2).
  static func field(_ name: String, _ value: String) -> [UInt8] {
    var bytes: [UInt8] = [0]
    for text in [name, value] { bytes += length(text.utf8.count) + Array(text.utf8) }
    return bytes
  }

  /// With a 7-bit prefix (RFC 7541 section 5.1).
  private static func length(_ count: Int) -> [UInt8] {
    guard count >= 127 else { return [UInt8(count)] }
    var (bytes, rest): ([UInt8], Int) = ([127], count - 127)
    while rest >= 128 {
      bytes.append(UInt8(rest % 128) | 128)
      rest /= 128
    }
    return bytes + [UInt8(rest)]
  }

  /// 7 is `REFUSED_STREAM`, 8 is `CANCEL`.
  static func reset(_ stream: UInt32, code: UInt32) -> HTTP2Frame {
    HTTP2Frame(kind: .reset, stream: stream, payload: number(code))
  }

  /// `last` is the last processed stream; code 0 means no error.
  static func goAway(last: UInt32, code: UInt32 = 0) -> HTTP2Frame {
    HTTP2Frame(kind: .goAway, payload: number(last) + number(code))
  }
}

extension RawConnection {
  /// Calls `answer` with the stream of each request, `received` with each piece of a body, and `ended` at the
  /// end of a body.
  func serveHTTP2(
    _ settings: HTTP2Frame = .settings(), _ answer: (UInt32) -> Void,
    received: (HTTP2Frame) -> Void = { _ in }, pinged: () -> Void = {}, ended: (UInt32) -> Void
  ) {
    // The client's connection preface, which starts with "PRI * HTTP/2.0".
    guard read(24) != nil else { return }
    send(settings.bytes)
    while let frame = readFrame() {
      if frame == HTTP2Frame(kind: .settings, payload: frame.payload) {
        send(HTTP2Frame.acknowledgement.bytes)
      }
      if frame.kind == .ping, frame.flags & 1 == 0 {
        send(HTTP2Frame(kind: .ping, flags: 1, payload: frame.payload))
        pinged()
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
