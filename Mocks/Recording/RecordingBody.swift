import ErrandJSON
import Errand
import ErrandHARFormat
import Foundation

/// The body of a sent or recorded request, for comparison.
///
/// Usually, the order of JSON members and the escaping of forms do not matter.
struct RecordingBody: Hashable, Sendable {
  private enum Form: Hashable {
    /// The parsed JSON, because a number may have several spellings.
    case json(JSONValue)
    case fields([QueryItem])
    case text(ExactText)
  }

  private let form: Form

  init(_ body: Data, type: String?, redaction: Redaction) {
    let recorded = HARPostData(body, type: type, redaction: redaction)
    self.init(recorded: recorded)
  }

  init(_ data: HARPostData?, redaction: Redaction) {
    if let data, data.isCounted(as: data.mimeType) {
      self.init(recorded: data)
    } else {
      self.init(data?.bytes ?? Data(), type: data?.mimeType, redaction: redaction)
    }
  }

  private init(recorded data: HARPostData) {
    let isForm = data.mimeType.lowercased().hasPrefix("application/x-www-form-urlencoded")
    form =
      if isForm {
        .fields(QueryItem.items(of: data.text, plusIsBlank: true))
      } else if let json = Self.json(data.text) {
        .json(json)
      } else {
        .text(ExactText(data.text))
      }
  }

  private static func json(_ text: String) -> JSONValue? {
    guard let first = text.utf8.first, first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else {
      return nil
    }
    return try? JSONCoding().decode(JSONValue.self, from: Data(text.utf8))
  }
}

extension HARPostData {
  /// Returns true for a text such as `(1234 bytes)`, which is recorded in place of a multipart body.
  func isCounted(as type: String) -> Bool {
    guard HARText.isMultipart(type), encoding == nil, text.begins(with: "("), text.ends(with: " bytes)")
    else { return false }
    let digits = text.utf8.dropFirst().dropLast(7)
    return !digits.isEmpty && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }
}

enum RecordingUpload {
  /// Returns the bytes of the body, and stores computed trailers in the request.
  static func body(of request: inout TransportRequest) async throws -> Data {
    if request.request.trailers.isComputed, let trailed = TransportRequest.TrailedBody(request.request) {
      let bytes = try await Self.bytes(of: trailed.stream, length: trailed.length, request.cancellation)
      request.request.trailers = RequestTrailers(trailed.trailers ?? [:])
      return bytes
    }
    switch request.request.body.content {
    case .none: return Data()
    case .data(let data): return data
    case .stream(let stream, let length):
      return try await bytes(of: stream, length: length, request.cancellation)
    }
  }

  private static func bytes(
    of stream: BodyStream, length: Int64?, _ cancellation: CancellationSignal
  ) async throws -> Data {
    do {
      return try await cancellation.cancelling { try await stream.drained(length: length) }
    } catch {
      throw cancellation.isCancelled ? TransportError.cancelled : error
    }
  }

  /// Replaces a body stream by a stream of `bytes`, because the original stream was already read.
  static func replacingStream(in request: TransportRequest, by bytes: Data) -> TransportRequest {
    guard case .stream(_, let length) = request.request.body.content else { return request }
    var request = request
    request.request.body = .stream(length: length, contentType: request.request.body.contentType) {
      AsyncStream<Data> { chunks in
        chunks.yield(bytes)
        chunks.finish()
      }
    }
    return request
  }
}
