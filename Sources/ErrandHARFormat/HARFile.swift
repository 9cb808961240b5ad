package import Errand
import ErrandJSON
package import Foundation

/// A HAR 1.2 file: what is read and written of it.
///
/// Reading is lenient: a field that browsers leave out, or write in another type, has a default, unless there is no
/// exchange without it. What is not read is not written either.
package struct HARFile: Codable, Sendable {
  package struct Log: Codable, Sendable {
    package var version = "1.2"
    package var creator = Creator()
    package var entries: [HAREntry]
  }

  package struct Creator: Codable, Sendable {
    package var name = "Errand"
    package var version = "1"
  }

  package var log: Log

  package init(entries: [HAREntry]) { log = Log(entries: entries) }

  /// The bytes of the file; the same entries give the same bytes.
  package func encoded() throws -> Data {
    var coding = JSONCoding()
    coding.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try coding.encode(self) + [0x0A]
  }
}

extension HARFile.Log {
  private enum CodingKeys: CodingKey { case version, creator, entries }

  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    creator = fields.value(.creator, or: HARFile.Creator())
    entries = try fields.decode([HAREntry].self, forKey: .entries)
  }
}

extension HARFile.Creator {
  private enum CodingKeys: CodingKey { case name, version }

  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    name = fields.value(.name, or: "")
    version = fields.value(.version, or: "")
  }
}

extension KeyedDecodingContainer {
  /// The value of a field, or another when it is missing, null, or of another type.
  package func value<Value: Decodable>(_ key: Key, or other: Value) -> Value {
    (try? decodeIfPresent(Value.self, forKey: key)) ?? other
  }
}

/// One exchange of a HAR file.
package struct HAREntry: Codable, Sendable {
  package struct Cache: Codable, Sendable {}

  package var startedDateTime = ""
  /// Milliseconds.
  package var time = 0.0
  package var request: HARRequest
  package var response: HARResponse
  package var cache = Cache()
  package var timings = HARTimings()
  package var serverIPAddress: String?
  package var comment: String?
}

extension HAREntry {
  private enum CodingKeys: CodingKey {
    case startedDateTime, time, request, response, cache, timings, serverIPAddress, comment
  }

  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    startedDateTime = fields.value(.startedDateTime, or: "")
    time = fields.value(.time, or: 0)
    request = try fields.decode(HARRequest.self, forKey: .request)
    response = try fields.decode(HARResponse.self, forKey: .response)
    timings = fields.value(.timings, or: HARTimings())
    serverIPAddress = fields.value(.serverIPAddress, or: nil)
    comment = fields.value(.comment, or: nil)
  }
}

/// A name and a value of a HAR file: a header field, a query item or a form field.
package struct HARPair: Codable, Sendable {
  package var name: String
  package var value: String

  package init(name: String, value: String) {
    self.name = name
    self.value = value
  }

  private enum CodingKeys: CodingKey { case name, value }

  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    name = fields.value(.name, or: "")
    value = fields.value(.value, or: "")
  }
}

extension HTTPHeaders {
  /// The fields as a browser wrote them too: without the pseudo-fields of HTTP/2 (RFC 9113 section 8.3), and fields
  /// that were joined by line breaks apart again.
  package init(har pairs: [HARPair]) {
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

  package var pairs: [HARPair] { fields.map { HARPair(name: $0.name, value: $0.value) } }
}

/// What the phases of an exchange took, in milliseconds; -1 for a phase that did not happen or is not known.
package struct HARTimings: Codable, Sendable {
  package var blocked = -1.0
  package var dns = -1.0
  /// TLS included.
  package var connect = -1.0
  package var ssl = -1.0
  package var send = 0.0
  package var wait = 0.0
  package var receive = 0.0

  package init() {}

  /// The whole; TLS is counted with the connection.
  package var total: Double { [blocked, dns, connect, send, wait, receive].filter { $0 > 0 }.reduce(0, +) }
}

extension HARTimings {
  private enum CodingKeys: CodingKey { case blocked, dns, connect, ssl, send, wait, receive }

  package init(from decoder: any Decoder) throws {
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
  package init(_ metrics: TransportSummary.Metrics) {
    let connected = max(metrics.connect, metrics.secureConnect)
    if metrics.isConnectionReused {
      // Nothing was looked up, and what it took to get hold of the connection was no connecting.
      let held = max(connected, metrics.nameLookup)
      blocked = Self.phase(from: .zero, to: held)
      wait = max(Self.phase(from: held, to: metrics.firstByte), 0)
      receive = max(Self.phase(from: metrics.firstByte, to: metrics.total), 0)
      return
    }
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
