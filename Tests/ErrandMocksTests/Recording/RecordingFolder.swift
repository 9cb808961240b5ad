import Errand
import ErrandMocks
import Foundation

/// A folder for the HAR files of a test, deleted on deallocation.
final class RecordingFolder: Sendable {
  private let url = FileManager.default.temporaryDirectory.appendingPathComponent(
    "errand-\(UUID().uuidString)")

  deinit { try? FileManager.default.removeItem(at: url) }

  func file(_ name: String = "users.har") -> URL { url.appendingPathComponent(name) }

  func text(_ name: String = "users.har") throws -> String {
    try String(contentsOf: file(name), encoding: .utf8)
  }

  /// Writes a text to a file of the folder.
  @discardableResult
  func write(_ text: String, _ name: String = "users.har") throws -> URL {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file(name))
    return file(name)
  }

  @discardableResult
  func write(entries: String..., name: String = "users.har") throws -> URL {
    try write(#"{"log":{"version":"1.2","entries":[\#(entries.joined(separator: ","))]}}"#, name)
  }

  /// Returns a minimal entry.
  static func entry(_ url: String, status: Int = 200, body: String = "") -> String {
    entry("GET", url, status: status, body: body)
  }

  /// Returns a minimal entry with a method and a request body.
  static func entry(
    _ method: String, _ url: String, status: Int = 200, body: String = "", sent: String? = nil
  ) -> String {
    let postData = sent.map { #","postData":{"mimeType":"application/json","text":"\#(escaped($0))"}"# } ?? ""
    return """
      {"request":{"method":"\(method)","url":"\(url)"\(postData)},
      "response":{"status":\(status),"headers":[{"name":"Content-Type","value":"application/json"}],"content":{"mimeType":"application/json","text":"\(escaped(body))"}}}
      """
  }

  private static func escaped(_ text: String) -> String { text.replacing("\"", with: "\\\"") }
}

extension Transport {
  /// Sends a request, and returns the response with its whole body.
  @discardableResult
  func answer(
    _ method: HTTPMethod = .get, _ url: String, headers: HTTPHeaders = [:], body: RequestBody = .none,
    cancellation: CancellationSignal = CancellationSignal()
  ) async throws -> HTTPResponse {
    var headers = headers
    if let type = body.contentType { headers.add("Content-Type", type) }
    guard let url = URL(string: url) else { throw URLError(.badURL) }
    let request = HTTPRequest(url: url, method: method, headers: headers, body: body)
    let answer = try await send(TransportRequest(request, cancellation: cancellation))
    var response = answer.head
    for try await chunk in answer.body { response.body.append(chunk) }
    response.trailers = answer.body.summary.trailers
    return response
  }

  /// Returns the status and the text of a response.
  func line(_ method: HTTPMethod = .get, _ url: String, body: RequestBody = .none) async throws -> String {
    let response = try await answer(method, url, body: body)
    return "\(response.status.code) \(String(decoding: response.body, as: UTF8.self))"
  }
}

extension RecordingTransport {
  /// Records requests into a new file.
  static func record(
    _ file: URL, over transport: any Transport, _ requests: (any Transport) async throws -> Void
  ) async throws {
    let recording = try RecordingTransport(file, mode: .recordAll, over: transport)
    try await requests(recording)
    try recording.save()
  }
}
