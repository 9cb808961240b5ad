public import Errand
public import Foundation

/// One entry of a recording, named so that it can be found in the file.
public struct RecordedExchange: Sendable, Hashable, CustomStringConvertible {
  /// The HAR file.
  public let file: URL
  /// The number of the entry in the file, from 1.
  public let number: Int
  /// The method of the request.
  public let method: HTTPMethod
  /// The URL of the request, with its secrets hidden.
  public let url: String
  /// The status of the response; 0 when there was none.
  public let status: HTTPStatus

  init(_ entry: HAREntry, number: Int, file: URL, redaction: Redaction) {
    self.file = file
    self.number = number
    method = HTTPMethod(entry.request.method)
    url = URL(string: entry.request.url).map(redaction.url) ?? redaction.text(entry.request.url)
    status = HTTPStatus(max(entry.response.status, 0))
  }

  /// Entry, request line and status: `users.har, entry 3, GET https://api.example.com/users/7, 200 OK`.
  public var description: String { "\(file.lastPathComponent), \(line), \(status)".printed }

  /// The number and the request line.
  var line: String { "entry \(number), \(method) \(url)" }
}
