import ErrandJSON
import Errand
import Foundation

/// A HAR 1.2 file: what is read and written of it.
///
/// Reading is lenient: a field that browsers leave out, or write in another type, has a default, unless there is no
/// exchange without it. What is not read is not written either.
struct HARFile: Codable, Sendable {
  struct Log: Codable, Sendable {
    var version = "1.2"
    var creator = Creator()
    var entries: [HAREntry]
  }

  struct Creator: Codable, Sendable {
    var name = "Errand"
    var version = "1"
  }

  var log: Log

  init(entries: [HAREntry]) { log = Log(entries: entries) }

  /// The bytes of the file; the same entries give the same bytes.
  func encoded() throws -> Data {
    var coding = JSONCoding()
    coding.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try coding.encode(self) + [0x0A]
  }
}

extension HARFile.Log {
  private enum CodingKeys: CodingKey { case version, creator, entries }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    creator = fields.value(.creator, or: HARFile.Creator())
    entries = try fields.decode([HAREntry].self, forKey: .entries)
  }
}

extension HARFile.Creator {
  private enum CodingKeys: CodingKey { case name, version }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    name = fields.value(.name, or: "")
    version = fields.value(.version, or: "")
  }
}

extension KeyedDecodingContainer {
  /// The value of a field, or another when it is missing, null, or of another type.
  func value<Value: Decodable>(_ key: Key, or other: Value) -> Value {
    (try? decodeIfPresent(Value.self, forKey: key)) ?? other
  }
}

/// One exchange of a HAR file.
struct HAREntry: Codable, Sendable {
  struct Cache: Codable, Sendable {}

  var startedDateTime = ""
  /// Milliseconds.
  var time = 0.0
  var request: HARRequest
  var response: HARResponse
  var cache = Cache()
  var timings = HARTimings()
  var comment: String?

  /// The response as a transport gives it; throws where there was none.
  func replayed(to request: HTTPRequest, from exchange: RecordedExchange) throws -> TransportResponse {
    guard response.status > 0 else { throw failure(of: exchange) }
    guard let body = response.content.bytes else {
      throw TransportError(.recording, "the body of \(exchange) is not base64")
    }
    let head = HTTPResponse(
      status: HTTPStatus(response.status), headers: HTTPHeaders(response.headers), url: request.url)
    let summary = TransportSummary(trailers: HTTPHeaders(response.trailers ?? []))
    return TransportResponse(head: head, body: BodyStream(body, summary: summary))
  }

  /// Browsers write a request that failed with the status 0, and Chromium with a word for the reason.
  private func failure(of exchange: RecordedExchange) -> TransportError {
    let reason = response.error ?? comment ?? "no reason is given"
    return TransportError(
      Self.kind(of: reason), "it failed when it was recorded (\(exchange.line)): \(reason)")
  }

  private static func kind(of reason: String) -> RequestError.Kind {
    let reason = reason.uppercased()
    return kinds.first { words, _ in words.contains { reason.contains($0) } }?.kind ?? .transport
  }

  private static let kinds: [(words: [String], kind: RequestError.Kind)] = [
    (["NAME_NOT_RESOLVED", "NAME_RESOLUTION", "UNKNOWN_HOST"], .nameNotResolved),
    (["TIMED_OUT", "TIMEOUT"], .timedOut),
    (["SSL", "CERT", "SECURE"], .secureConnectionFailed),
    (["CONNECTION_RESET", "CONNECTION_CLOSED", "EMPTY_RESPONSE", "NET_RESET"], .connectionLost),
    (["CONNECTION_REFUSED", "CONNECTION_FAILED", "ADDRESS_UNREACHABLE"], .connectionFailed),
  ]
}

extension HAREntry {
  private enum CodingKeys: CodingKey {
    case startedDateTime, time, request, response, cache, timings, comment
  }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    startedDateTime = fields.value(.startedDateTime, or: "")
    time = fields.value(.time, or: 0)
    request = try fields.decode(HARRequest.self, forKey: .request)
    response = try fields.decode(HARResponse.self, forKey: .response)
    timings = fields.value(.timings, or: HARTimings())
    comment = fields.value(.comment, or: nil)
  }
}

extension HARContent {
  /// The body; empty where it was not kept, `nil` where it cannot be read.
  var bytes: Data? { HARText(text: text ?? "", encoding: encoding).bytes(type: mimeType) }
}

/// A name and a value of a HAR file: a header field, a query item or a form field.
struct HARPair: Codable, Sendable {
  var name: String
  var value: String

  init(name: String, value: String) {
    self.name = name
    self.value = value
  }

  private enum CodingKeys: CodingKey { case name, value }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    name = fields.value(.name, or: "")
    value = fields.value(.value, or: "")
  }
}

extension HTTPHeaders {
  /// The fields as a browser wrote them too: without the pseudo-fields of HTTP/2 (RFC 9113 section 8.3), and fields
  /// that were joined by line breaks apart again.
  init(_ pairs: [HARPair]) {
    self.init()
    for pair in pairs where !pair.name.isEmpty && !pair.name.hasPrefix(":") {
      for value in Self.lines(of: pair.value) { add(pair.name, value) }
      if pair.value.isEmpty { add(pair.name, "") }
    }
  }

  /// By bytes, as a value may have other characters that end a line, such as U+0085.
  private static func lines(of value: String) -> [String] {
    let lines = value.utf8.split(separator: UInt8(ascii: "\n"))
    return lines.map { line in
      let isWindows = line.last == UInt8(ascii: "\r") && line.endIndex < value.utf8.endIndex
      return String(Substring(isWindows ? line.dropLast() : line))
    }
  }

  var pairs: [HARPair] { fields.map { HARPair(name: $0.name, value: $0.value) } }
}

/// What the phases of an exchange took, in milliseconds; -1 for a phase that did not happen or is not known.
struct HARTimings: Codable, Sendable {
  var blocked = -1.0
  var dns = -1.0
  /// TLS included.
  var connect = -1.0
  var ssl = -1.0
  var send = 0.0
  var wait = 0.0
  var receive = 0.0

  /// The whole; TLS is counted with the connection.
  var total: Double { [blocked, dns, connect, send, wait, receive].filter { $0 > 0 }.reduce(0, +) }
}

extension HARTimings {
  private enum CodingKeys: CodingKey { case blocked, dns, connect, ssl, send, wait, receive }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    blocked = fields.value(.blocked, or: -1)
    dns = fields.value(.dns, or: -1)
    connect = fields.value(.connect, or: -1)
    ssl = fields.value(.ssl, or: -1)
    send = fields.value(.send, or: 0)
    wait = fields.value(.wait, or: 0)
    receive = fields.value(.receive, or: 0)
  }

  /// The phases as a transport measured them.
  init(_ metrics: TransportMetrics) {
    let connected = max(metrics.connect, metrics.secureConnect)
    dns = Self.phase(from: .zero, to: metrics.nameLookup)
    connect = Self.phase(from: metrics.nameLookup, to: connected)
    ssl = Self.phase(from: metrics.connect, to: metrics.secureConnect)
    wait = max(Self.phase(from: max(connected, metrics.nameLookup), to: metrics.firstByte), 0)
    receive = max(Self.phase(from: metrics.firstByte, to: metrics.total), 0)
  }

  private static func phase(from start: Duration, to end: Duration) -> Double {
    end > start ? (end - start) / .milliseconds(1) : -1
  }
}
