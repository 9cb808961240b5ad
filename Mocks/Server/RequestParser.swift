import Errand
import Foundation

/// An incremental parser of HTTP/1 requests (RFC 9112).
struct RequestParser {
  enum Event {
    case continueExpected
    case request(RequestMessage)
  }

  private enum Phase {
    case requestLine, headers
    case body(rest: Int)
    case chunkSize
    case chunk(rest: Int)
    case chunkEnd, trailers
  }

  private enum Step {
    case onward, starved
    case found(Event)
  }

  /// The approximate limit of the head and of the trailers, in bytes without line ends.
  private static let headLimit = 65_536
  private static let bodyLimit = 1 << 30

  private var input = InputBuffer()
  private var phase = Phase.requestLine
  private var message: RequestMessage?
  private var headRest = RequestParser.headLimit

  var pending: Int { input.count }

  mutating func append(_ bytes: ArraySlice<UInt8>) { input.append(bytes) }

  mutating func next() throws(MalformedRequest) -> Event? {
    while true {
      switch try step() {
      case .onward: continue
      case .starved: return nil
      case .found(let event): return event
      }
    }
  }

  private mutating func step() throws(MalformedRequest) -> Step {
    switch phase {
    case .body(let rest): return takeBody(rest)
    case .chunk(let rest): return takeChunk(rest)
    default: break
    }
    guard let line = try input.line(limit: headRest) else { return .starved }
    headRest -= line.count
    switch phase {
    case .requestLine: try beginMessage(line)
    case .headers: return try takeHeader(line)
    case .chunkSize: try beginChunk(line)
    case .chunkEnd: try endChunk(line)
    case .trailers: return try takeTrailer(line)
    case .body, .chunk: break
    }
    return .onward
  }

  private mutating func finish() -> Step {
    guard let message else { return .onward }
    self.message = nil
    phase = .requestLine
    headRest = Self.headLimit
    return .found(.request(message))
  }
}

extension RequestParser {
  private mutating func beginMessage(_ line: ArraySlice<UInt8>) throws(MalformedRequest) {
    // Empty lines before the request line are ignored (RFC 9112 section 2.2).
    guard !line.isEmpty else { return }
    message = try RequestMessage(requestLine: line)
    phase = .headers
  }

  private mutating func takeHeader(_ line: ArraySlice<UInt8>) throws(MalformedRequest) -> Step {
    guard line.isEmpty, let message else {
      self.message?.headers.fields.append(try RequestMessage.field(line))
      return .onward
    }
    switch try message.framing() {
    case .length(0): return finish()
    case .length(let length):
      try Self.checkBodyLength(length)
      phase = .body(rest: length)
    case .chunked: phase = .chunkSize
    }
    return message.expectsContinue && input.count == 0 ? .found(.continueExpected) : .onward
  }
}

extension RequestParser {
  private mutating func takeBody(_ rest: Int) -> Step {
    let left = appendBody(rest)
    phase = .body(rest: left)
    return left == 0 ? finish() : .starved
  }

  private mutating func beginChunk(_ line: ArraySlice<UInt8>) throws(MalformedRequest) {
    let text = HTTPHeaders.decode(line.prefix { $0 != UInt8(ascii: ";") })
    let digits = text.trimmingCharacters(in: .whitespaces)
    guard !digits.isEmpty, digits.allSatisfy(\.isHexDigit), let size = Int(digits, radix: 16) else {
      throw MalformedRequest("invalid chunk size: \(text.prefix(80).debugDescription)")
    }
    try Self.checkBodyLength(size)
    try Self.checkBodyLength(size + (message?.body.count ?? 0))
    headRest = Self.headLimit
    phase = size == 0 ? .trailers : .chunk(rest: size)
  }

  private mutating func takeChunk(_ rest: Int) -> Step {
    let left = appendBody(rest)
    phase = left == 0 ? .chunkEnd : .chunk(rest: left)
    return left == 0 ? .onward : .starved
  }

  private mutating func endChunk(_ line: ArraySlice<UInt8>) throws(MalformedRequest) {
    guard line.isEmpty else { throw MalformedRequest("a chunk is longer than its size") }
    phase = .chunkSize
  }

  private mutating func takeTrailer(_ line: ArraySlice<UInt8>) throws(MalformedRequest) -> Step {
    if line.isEmpty { return finish() }
    message?.trailers.fields.append(try RequestMessage.field(line))
    return .onward
  }

  private mutating func appendBody(_ rest: Int) -> Int {
    let bytes = input.take(rest)
    message?.body.append(contentsOf: bytes)
    return rest - bytes.count
  }

  private static func checkBodyLength(_ length: Int) throws(MalformedRequest) {
    if length > bodyLimit { throw MalformedRequest("the body is too long", status: 413) }
  }
}

struct MalformedRequest: Error {
  let message: String
  let status: HTTPResponse.Status

  init(_ message: String, status: HTTPResponse.Status = 400) {
    self.message = message
    self.status = status
  }

  var answer: MockAnswer { .text("malformed request: \(message)", status: status) }
}
