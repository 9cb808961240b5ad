package import Errand
import ErrandJSON
package import Foundation

/// A HAR 1.2 file.
///
/// Decoding drops fields that Errand does not know.
///
/// Some browsers omit fields, or write fields with a wrong type. Such fields usually get a default.
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

  /// Returns the file as JSON; equal contents give equal bytes.
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
  package func value<Value: Decodable>(_ key: Key, or other: Value) -> Value {
    (try? decodeIfPresent(Value.self, forKey: key)) ?? other
  }
}

package struct HAREntry: Codable, Sendable {
  package struct Cache: Codable, Sendable {}

  package var startedDateTime = ""
  /// The duration in milliseconds.
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
  /// Creates headers from HAR fields, without pseudo-fields (RFC 9113 section 8.3).
  ///
  /// A value with line breaks becomes several fields, because browsers join repeated fields with line breaks.
  package init(har pairs: [HARPair]) {
    self.init()
    for pair in pairs where !pair.name.isEmpty && !pair.name.hasPrefix(":") {
      for value in Self.lines(of: pair.value) { add(pair.name, value) }
      if pair.value.isEmpty { add(pair.name, "") }
    }
  }

  /// Splits a value at LF and CR LF, but not at other line separators such as U+0085.
  private static func lines(of value: String) -> [String] {
    let lines = value.utf8.split(separator: UInt8(ascii: "\n"))
    return lines.map { line in
      let isWindows = line.last == UInt8(ascii: "\r") && line.endIndex < value.utf8.endIndex
      return String(Substring(isWindows ? line.dropLast() : line))
    }
  }

  package var pairs: [HARPair] { fields.map { HARPair(name: $0.name, value: $0.value) } }
}

/// The durations of the phases of an exchange, in milliseconds.
///
/// An unknown duration is 0 for `send`, `wait` and `receive`, and -1 for the other phases.
package struct HARTimings: Codable, Sendable {
  package var blocked = -1.0
  package var dns = -1.0
  /// The time to connect, including TLS.
  package var connect = -1.0
  package var ssl = -1.0
  package var send = 0.0
  package var wait = 0.0
  package var receive = 0.0

  package init() {}

  /// The sum of the phases.
  ///
  /// `connect` includes TLS, so `ssl` is not added.
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

  package init(_ metrics: TransportSummary.Metrics) {
    let connected = max(metrics.connect, metrics.secureConnect)
    if metrics.isConnectionReused {
      // The time until the connection was available counts as blocked.
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
