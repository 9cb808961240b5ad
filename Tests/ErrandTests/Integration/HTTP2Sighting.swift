#if os(Linux)
import Foundation

@testable import Errand

/// As nginx reports the connection, with the transport's metrics.
struct HTTP2Sighting: Sendable {
  let connection: Substring
  let version: Substring
  let number: Int
  let metrics: TransportSummary.Metrics

  struct Unreadable: Error { var text: String }

  /// Checks that the response belongs to its number.
  init(_ transport: CurlTransport, _ base: URL, number: Int, method: HTTPMethod = .get) async throws {
    let url = URL(string: "\(base)/connection?n=\(number)")!
    let request = HTTPRequest(url: url, method: method)
    let response = try await transport.send(TransportRequest(request, timeout: .seconds(20)))
    let text = String(decoding: try await response.body.all(), as: UTF8.self)
    let words = text.split(separator: " ")
    guard words.count == 3, words[2] == "\(number)", let metrics = response.body.summary.metrics else {
      throw Unreadable(text: text)
    }
    (connection, version, self.number, self.metrics) = (words[0], words[1], number, metrics)
  }

  /// At most `width` requests at the same time; in the order of the numbers.
  static func of(
    _ transport: CurlTransport, _ base: URL, count: Int, width: Int = .max, method: HTTPMethod = .get
  ) async throws -> [HTTP2Sighting] {
    let all = try await withThrowingTaskGroup(of: HTTP2Sighting.self) { group in
      var all: [HTTP2Sighting] = []
      for number in 0..<count {
        if number >= width, let next = try await group.next() { all.append(next) }
        group.addTask { try await HTTP2Sighting(transport, base, number: number, method: method) }
      }
      return try await group.reduce(into: all) { $0.append($1) }
    }
    return all.sorted { $0.number < $1.number }
  }
}
#endif
