import Foundation

/// The protocol draft-ietf-httpbis-resumable-upload.
///
/// The first request has no data (careful creation).
struct DraftUpload: UploadDialect {
  let name = "ietf-draft"
  let interop: Int
  let chunkSize: Int64

  private var version: HTTPHeaders { ["Upload-Draft-Interop-Version": "\(interop)"] }

  func check() throws(Refusal) {
    guard interop < 6 else { return }
    throw Refusal(
      "interop version \(interop) of the resumable upload draft is not supported: use version 6 or later",
      kind: .unsupported)
  }

  func startHeaders(length: Int64?, contentType: String?) -> HTTPHeaders {
    var headers = version
    headers["Upload-Complete"] = "?0"
    if let length { headers["Upload-Length"] = "\(length)" }
    if let contentType { headers["Content-Type"] = contentType }
    return headers
  }

  func statusQuery() -> UploadMessage { UploadMessage(method: .head, headers: version) }

  func cancellation() -> UploadMessage { UploadMessage(method: .delete, headers: version) }

  func message(for chunk: UploadChunk) -> UploadMessage {
    var headers = version
    headers["Content-Type"] = "application/partial-upload"
    headers["Upload-Offset"] = "\(chunk.offset)"
    headers["Upload-Complete"] = chunk.isLast ? "?1" : "?0"
    return UploadMessage(method: .patch, headers: headers, body: chunk.body)
  }

  func begin(_ response: HTTPResponse) throws(Refusal) -> UploadProtocol.State {
    var state = UploadProtocol.State(name, url: try response.uploadURL(in: "Location"))
    state.chunkLimit = Self.chunkLimit(in: response)
    return state
  }

  func progress(in answer: HTTPResponse, of state: UploadProtocol.State) throws(Refusal) -> UploadStatus {
    let isComplete = Self.isComplete(answer) ?? false
    guard let offset = answer.byteCount("Upload-Offset") ?? (isComplete ? state.length ?? state.offset : nil)
    else {
      throw Refusal(
        "the server does not report the offset of the upload: the response has no Upload-Offset",
        kind: .invalidResponse)
    }
    return UploadStatus(
      offset: offset, isComplete: isComplete, length: answer.byteCount("Upload-Length"),
      chunkLimit: Self.chunkLimit(in: answer))
  }

  func progress(after chunk: UploadChunk, in answer: HTTPResponse) throws(Refusal) -> UploadStatus? {
    let (isComplete, offset) = (Self.isComplete(answer), answer.byteCount("Upload-Offset"))
    guard isComplete != nil || offset != nil else { return nil }
    return UploadStatus(
      offset: isComplete == true ? chunk.end : offset ?? chunk.end, isComplete: isComplete ?? false,
      chunkLimit: Self.chunkLimit(in: answer))
  }

  /// Returns the boolean `Upload-Complete` (RFC 9651 section 3.3.6); `nil` without a valid value.
  private static func isComplete(_ answer: HTTPResponse) -> Bool? {
    guard let field = answer.headers["Upload-Complete"], field.hasPrefix("?"),
      let members = StructuredFieldList.members(of: field), members.count == 1
    else { return nil }
    switch members[0].head {
    case "?1": return true
    case "?0": return false
    default: return nil
    }
  }

  private static func chunkLimit(in answer: HTTPResponse) -> Int64? {
    guard let field = answer.headers["Upload-Limit"], let members = StructuredFieldList.members(of: field)
    else {
      return nil
    }
    for member in members {
      let (name, value) = StructuredFieldList.pair(member.head)
      if name == "max-append-size", let limit = Int64(value), limit > 0 { return limit }
    }
    return nil
  }
}
