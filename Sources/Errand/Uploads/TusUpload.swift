import Foundation

/// The protocol tus 1.0.0 (https://tus.io/protocols/resumable-upload).
struct TusUpload: UploadDialect {
  let name = "tus"
  let chunkSize: Int64
  let metadata: [String: String]
  let checksums: Bool
  let endsByItself = true

  private static let version = HTTPHeaders([.init(name: "Tus-Resumable", value: "1.0.0")])

  func check() throws(Refusal) {
    let wrong = metadata.keys.sorted().first { name in
      name.isEmpty || !name.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x2C }
    }
    guard let wrong else { return }
    throw Refusal(
      "the metadata name \(wrong.debugDescription) is invalid: tus allows ASCII without spaces and commas",
      kind: .invalidRequest)
  }

  func startHeaders(length: Int64?, contentType: String?) -> HTTPHeaders {
    var headers = Self.version
    if let length { headers["Upload-Length"] = "\(length)" } else { headers["Upload-Defer-Length"] = "1" }
    if !metadata.isEmpty {
      headers["Upload-Metadata"] = metadata.sorted { $0.key < $1.key }.map { name, value in
        value.isEmpty ? name : "\(name) \(Data(value.utf8).base64EncodedString())"
      }.joined(separator: ",")
    }
    return headers
  }

  var usesChecksums: Bool { checksums }

  func checksum(in answer: HTTPResponse) -> UploadChecksum? {
    let known = (answer.headers["Tus-Checksum-Algorithm"] ?? "").split(separator: ",").map {
      $0.trimmingCharacters(in: .whitespaces)
    }
    return UploadChecksum.allCases.first { known.contains($0.rawValue) }
  }

  func statusQuery() -> UploadMessage { UploadMessage(method: .head, headers: Self.version) }

  func cancellation() -> UploadMessage { UploadMessage(method: .delete, headers: Self.version) }

  func message(for chunk: UploadChunk) -> UploadMessage {
    var headers = Self.version
    headers["Content-Type"] = "application/offset+octet-stream"
    headers["Upload-Offset"] = "\(chunk.offset)"
    if chunk.tellsLength, let whole = chunk.totalLength { headers["Upload-Length"] = "\(whole)" }
    if let checksum = chunk.checksum { headers["Upload-Checksum"] = checksum }
    return UploadMessage(method: .patch, headers: headers, body: chunk.body)
  }

  func begin(_ response: HTTPResponse) throws(Refusal) -> UploadProtocol.State {
    UploadProtocol.State(name, url: try response.uploadURL(in: "Location"))
  }

  func progress(in answer: HTTPResponse, of state: UploadProtocol.State) throws(Refusal) -> UploadStatus {
    guard let offset = answer.byteCount("Upload-Offset") else {
      throw Refusal(
        "the server does not report the offset of the upload: the response has no Upload-Offset",
        kind: .invalidResponse)
    }
    let length = answer.byteCount("Upload-Length")
    return UploadStatus(offset: offset, isComplete: offset == length ?? state.length, length: length)
  }

  func progress(after chunk: UploadChunk, in answer: HTTPResponse) throws(Refusal) -> UploadStatus? {
    guard let offset = answer.byteCount("Upload-Offset") else { return nil }
    return UploadStatus(offset: offset, isComplete: offset == chunk.totalLength)
  }
}
