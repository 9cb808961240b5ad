public import Foundation

/// Parses a `multipart/*` document from chunks of any size (RFC 2046 section 5.1).
///
/// ```swift
/// var parser = try MultipartParser(contentType: response.head.headers["Content-Type"])
/// for try await chunk in response.body {
///   for event in try parser.read(chunk) { print(event) }
/// }
/// for event in try parser.finish() { print(event) }
/// ```
///
/// The parser decodes parts in Base64 or quoted-printable (RFC 2045 section 6).
public struct MultipartParser: Sendable {
  /// An event of the parser.
  public enum Event: Sendable, Hashable {
    /// The start of a part.
    case part(HTTPHeaders)
    /// Bytes of the current part.
    case bytes(Data)
  }

  private enum State { case preamble, head, bodyStart, body, epilogue }

  private let partLimit: Int

  private var state = State.preamble
  private var buffer: MultipartBuffer
  private var head: PartHead
  private var partCount = 0
  private var decoder: PartDecoder?

  var kept: Int { buffer.count }

  /// Creates a parser for a boundary; throws a ``Refusal`` for an invalid boundary.
  ///
  /// - Parameters:
  ///   - boundary: The boundary, without the leading `--`; 1 to 256 bytes without line breaks.
  ///   - partLimit: The largest number of parts; 10,000 by default.
  ///   - headLimit: The largest number of bytes in the head of a part; 64 KiB by default.
  public init(boundary: String, partLimit: Int = 10_000, headLimit: Int = 65_536) throws(Refusal) {
    let isOnOneLine = !boundary.utf8.contains { $0 == 0x0D || $0 == 0x0A }
    guard (1...256).contains(boundary.utf8.count), isOnOneLine else {
      throw Self.refusal("\(boundary.debugDescription) is not a valid boundary")
    }
    buffer = MultipartBuffer(boundary: boundary)
    head = PartHead(limit: headLimit)
    self.partLimit = partLimit
  }

  /// Creates a parser for the boundary in a `Content-Type`.
  ///
  /// Throws a ``Refusal`` unless the type is `multipart/*` with a valid boundary.
  public init(
    contentType: String?, partLimit: Int = 10_000, headLimit: Int = 65_536
  ) throws(Refusal) {
    guard let contentType, let media = MediaType(contentType), media.type == "multipart" else {
      let found = contentType.map { "is \($0.debugDescription)" } ?? "is missing"
      throw Self.refusal("the Content-Type \(found), but a multipart type is required")
    }
    guard let boundary = media["boundary"] else {
      throw Self.refusal("the Content-Type \(media) has no boundary")
    }
    try self.init(boundary: boundary, partLimit: partLimit, headLimit: headLimit)
  }

  /// Returns the parts of a complete document; throws a ``Refusal`` for an invalid type or document.
  public static func parts(of document: Data, contentType: String?) throws(Refusal) -> [BodyPart] {
    var (parser, parts) = (try MultipartParser(contentType: contentType), CollectedParts())
    for piece in WorkSteps.pieces(of: document) { parts.add(try parser.read(piece)) }
    parts.add(try parser.finish())
    return parts.all
  }

  static func parts(
    of document: Data, contentType: String?, pause: () async throws -> Void
  ) async throws -> [BodyPart] {
    var (parser, parts) = (try MultipartParser(contentType: contentType), CollectedParts())
    for piece in WorkSteps.pieces(of: document) {
      parts.add(try parser.read(piece))
      if piece.endIndex < document.endIndex { try await pause() }
    }
    parts.add(try parser.finish())
    return parts.all
  }

  /// Parses the next chunk; after a thrown ``Refusal``, discard the parser.
  public mutating func read(_ chunk: Data) throws(Refusal) -> [Event] {
    guard state != .epilogue else { return [] }
    buffer.append(chunk)
    return try advance(isAtEnd: false)
  }

  /// Ends the document, and returns the last events; throws a ``Refusal`` for an incomplete document.
  public mutating func finish() throws(Refusal) -> [Event] {
    let events = try advance(isAtEnd: true)
    guard state == .epilogue else {
      throw Self.refusal(
        state == .preamble
          ? "the multipart body contains no boundary"
          : "the multipart body ends without its last boundary, in part \(partCount)")
    }
    return events
  }

  static func refusal(_ message: String) -> Refusal { Refusal(message, kind: .decoding) }
}

extension MultipartParser {
  private struct Progress {
    var place = 0
    var events: [Event] = []
  }

  private mutating func advance(isAtEnd: Bool) throws(Refusal) -> [Event] {
    var progress = Progress()
    while try step(&progress, isAtEnd: isAtEnd) {}
    if state == .epilogue {
      buffer.removeAll()
    } else {
      buffer.removeFirst(progress.place)
    }
    return progress.events
  }

  /// Parses one step; returns `false` if more bytes are needed, or after the last boundary.
  private mutating func step(_ progress: inout Progress, isAtEnd: Bool) throws(Refusal) -> Bool {
    switch state {
    case .epilogue: return false
    case .preamble, .body: return try passBytes(&progress, isAtEnd: isAtEnd)
    case .head: return try takeLine(&progress, isAtEnd: isAtEnd)
    case .bodyStart:
      // The line break after the head may also be the line break before the next boundary.
      switch buffer.match(at: progress.place, isAtEnd: isAtEnd) {
      case .open: return false
      case .delimiter(let end, let isLast): try endPart(&progress, at: end, isLast: isLast)
      case .none: (state, progress.place) = (.body, progress.place + 2)
      }
      return true
    }
  }

  /// Consumes the bytes before a boundary; bytes that may begin a boundary stay in the buffer.
  private mutating func passBytes(_ progress: inout Progress, isAtEnd: Bool) throws(Refusal) -> Bool {
    let start = progress.place
    var end = start
    var found: (end: Int, isLast: Bool)?
    search: while true {
      end = buffer.carriageReturn(from: end) ?? buffer.count
      guard end < buffer.count else { break }
      switch buffer.match(at: end, isAtEnd: isAtEnd) {
      case .none: end += 1
      case .open: break search
      case .delimiter(let lineEnd, let isLast):
        found = (lineEnd, isLast)
        break search
      }
    }
    if state == .body, end > start { add(buffer[start..<end], to: &progress) }
    progress.place = end
    guard let found else { return false }
    try endPart(&progress, at: found.end, isLast: found.isLast)
    return true
  }

  private mutating func takeLine(_ progress: inout Progress, isAtEnd: Bool) throws(Refusal) -> Bool {
    let start = progress.place + 2
    switch buffer.match(at: progress.place, isAtEnd: isAtEnd) {
    case .open: return false
    case .delimiter(let end, let isLast):
      beginPart(&progress)
      try endPart(&progress, at: end, isLast: isLast)
      return true
    case .none: break
    }
    guard let end = buffer.lineEnd(from: start) else {
      // Does not count the last byte, because the byte may begin the line break.
      try head.check(adding: buffer.count - start - 1)
      return false
    }
    try head.check(adding: end - start)
    progress.place = end
    if start == end {
      beginPart(&progress)
      state = .bodyStart
    } else {
      try head.add(buffer[start..<end])
    }
    return true
  }

  private mutating func beginPart(_ progress: inout Progress) {
    decoder = PartDecoder(head.fields)
    if decoder != nil { head.fields["Content-Transfer-Encoding"] = nil }
    progress.events.append(.part(head.fields))
  }

  private mutating func add(_ bytes: ArraySlice<UInt8>, to progress: inout Progress) {
    let data = decoder?.decode(bytes) ?? Data(bytes)
    if !data.isEmpty { progress.events.append(.bytes(data)) }
  }

  private mutating func endPart(_ progress: inout Progress, at end: Int, isLast: Bool) throws(Refusal) {
    if let decoder {
      guard let rest = decoder.finish() else {
        throw Self.refusal("the Base64 of part \(partCount) ends within a byte")
      }
      if !rest.isEmpty { progress.events.append(.bytes(rest)) }
    }
    decoder = nil
    // The line break after the boundary may also be the line break before the next boundary.
    progress.place = isLast ? end : end - 2
    guard !isLast else {
      state = .epilogue
      return
    }
    partCount += 1
    guard partCount <= partLimit else {
      throw Self.refusal("the multipart body has more than \(partLimit) part\(partLimit == 1 ? "" : "s")")
    }
    state = .head
    head.begin(part: partCount)
  }
}

private struct CollectedParts {
  private var parts: [(headers: HTTPHeaders, data: Data)] = []

  mutating func add(_ events: [MultipartParser.Event]) {
    for event in events {
      switch event {
      case .part(let headers): parts.append((headers, Data()))
      case .bytes(let data):
        guard let last = parts.indices.last else { continue }
        if parts[last].data.isEmpty { parts[last].data = data } else { parts[last].data.append(data) }
      }
    }
  }

  var all: [BodyPart] {
    parts.map { BodyPart(headers: $0.headers, body: .data($0.data, contentType: $0.headers["Content-Type"])) }
  }
}

extension ResponseSerializer where Self == StandardSerializer<[BodyPart]> {
  /// The parts of a `multipart/*` body; the default if `Response` is `[BodyPart]`.
  public static var multipart: StandardSerializer<[BodyPart]> {
    StandardSerializer { response, context in
      try await MultipartParser.parts(of: response.body, contentType: response.headers["Content-Type"]) {
        try await WorkSteps.pause(unless: context.dispatched.cancellation)
      }
    }
  }
}

extension Request where Response == [BodyPart] {
  /// A serializer for the parts of a `multipart/*` body.
  public var responseSerializer: any ResponseSerializer<Response> { .multipart }
}
