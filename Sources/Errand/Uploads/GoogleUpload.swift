import Foundation

struct GoogleUpload: UploadDialect {
  let name = "google"
  let chunkSize: Int64
  let minimumLastChunk: Int64 = 2_500
  let startMayHaveBody = true
  let addressHeaders = ["X-Goog-Upload-URL", "X-Goog-Upload-Control-URL", "X-GUploader-UploadID", "Location"]

  private static func command(_ command: String) -> HTTPHeaders {
    ["X-Goog-Upload-Protocol": "resumable", "X-Goog-Upload-Command": command]
  }

  func startHeaders(length: Int64?, contentType: String?) -> HTTPHeaders {
    var headers = Self.command("start")
    headers["X-Goog-Upload-Content-Type"] = contentType ?? "application/octet-stream"
    if let length { headers["X-Goog-Upload-Content-Length"] = "\(length)" }
    return headers
  }

  func statusQuery() -> UploadMessage { UploadMessage(method: .post, headers: Self.command("query")) }

  func cancellation() -> UploadMessage { UploadMessage(method: .post, headers: Self.command("cancel")) }

  func message(for chunk: UploadChunk) -> UploadMessage {
    let command = !chunk.isLast ? "upload" : chunk.count == 0 ? "finalize" : "upload, finalize"
    var headers = Self.command(command)
    headers["X-Goog-Upload-Offset"] = "\(chunk.offset)"
    // Without the header, the server may respond with 308, which also means a redirect.
    headers["X-GUploader-No-308"] = "yes"
    if chunk.count > 0 { headers["Content-Type"] = "application/octet-stream" }
    return UploadMessage(method: .put, headers: headers, body: chunk.body)
  }

  func accepts(_ head: HTTPResponse) -> Bool { head.status.isSuccess || head.status == 308 }

  func begin(_ response: HTTPResponse) throws(Refusal) -> UploadProtocol.State {
    var state = UploadProtocol.State(name, url: try response.uploadURL(in: "X-Goog-Upload-URL"))
    state.granularity = max(response.byteCount("X-Goog-Upload-Chunk-Granularity") ?? 1, 1)
    guard state.granularity <= Self.longestGranularity else {
      throw Refusal(
        "the server requires chunks in multiples of \(state.granularity) bytes, more than the maximum of \(Self.longestGranularity) bytes",
        kind: .invalidResponse)
    }
    return state
  }

  func progress(in answer: HTTPResponse, of state: UploadProtocol.State) throws(Refusal) -> UploadStatus {
    let status = try Self.status(of: answer)
    let offset: Int64
    switch Self.received(in: answer) {
    case .bytes(let count): offset = count
    case .unsaid where status == "final", .unreadable where status == "final":
      offset = state.length ?? state.offset
    case .unsaid, .unreadable:
      throw Refusal(
        "the server does not report the offset of the upload: the response has no X-Goog-Upload-Size-Received",
        kind: .invalidResponse)
    }
    return UploadStatus(offset: offset, isComplete: status == "final")
  }

  func progress(after chunk: UploadChunk, in answer: HTTPResponse) throws(Refusal) -> UploadStatus? {
    guard let status = try Self.status(of: answer) else { return nil }
    if status == "final" { return UploadStatus(offset: chunk.end, isComplete: true) }
    switch Self.received(in: answer) {
    case .bytes(let count): return UploadStatus(offset: count)
    case .unsaid: return UploadStatus(offset: chunk.end)
    // `nil` makes the caller ask the server for the status.
    case .unreadable: return nil
    }
  }

  private enum Received {
    case bytes(Int64)
    case unsaid
    case unreadable
  }

  private static func isResumeIncomplete(_ answer: HTTPResponse) -> Bool {
    answer.status == 308 || answer.headers["X-HTTP-Status-Code-Override"] == "308"
  }

  private static func status(of answer: HTTPResponse) throws(Refusal) -> String? {
    if isResumeIncomplete(answer) { return "active" }
    let status = answer.headers["X-Goog-Upload-Status"]?.lowercased()
    if status == "cancelled" {
      throw Refusal(
        "the server cancelled the upload (X-Goog-Upload-Status: cancelled)",
        kind: .invalidResponse)
    }
    return status
  }

  /// Returns the number of bytes that the server has.
  ///
  /// A 308 response with neither `X-Goog-Upload-Size-Received` nor `Range` means 0 bytes.
  private static func received(in answer: HTTPResponse) -> Received {
    if answer.headers.contains("X-Goog-Upload-Size-Received") {
      return answer.byteCount("X-Goog-Upload-Size-Received").map(Received.bytes) ?? .unreadable
    }
    guard let range = answer.headers["Range"] else { return isResumeIncomplete(answer) ? .bytes(0) : .unsaid }
    let start = "bytes=0-"
    guard range.lowercased().hasPrefix(start), let last = ContentRange.number(range.dropFirst(start.count)),
      last < .max
    else { return .unreadable }
    return .bytes(last + 1)
  }
}
