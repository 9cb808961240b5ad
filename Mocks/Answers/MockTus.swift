public import Errand
public import Foundation

/// A tus 1.0.0 server in memory.
///
///     let tus = MockTus()
///     server.route(nil, "/files*", answer: tus.answer)
///     let transport = MockTransport(answer: tus.answer)
public final class MockTus: Sendable {
  /// An upload on the server.
  public struct Upload: Sendable, Hashable {
    /// The path of the upload's URL.
    public var path: String
    /// The stored bytes.
    public var data = Data()
    /// The total length in bytes; `nil` until announced by the client.
    public var length: Int64?
    /// The decoded metadata.
    public var metadata: [String: String] = [:]

    /// True if all bytes are stored.
    public var isComplete: Bool { length == Int64(data.count) }
  }

  private struct State {
    var uploads: [Upload] = []
    var last = 0
    var breaks: [Int] = []
  }

  private let path: String
  private let checksums: [String]
  private let state = Locked(State())

  /// Creates a server without uploads.
  ///
  /// - Parameters:
  ///   - path: the path for new uploads.
  ///   - checksums: the algorithms of `Tus-Checksum-Algorithm`, such as `sha256`; empty by default.
  public init(path: String = "/files", checksums: [String] = []) {
    self.path = path
    self.checksums = checksums
  }

  /// The uploads in order of creation.
  public var uploads: [Upload] { state.withLock { $0.uploads } }

  /// Answers the next accepted chunks with a connection reset, one chunk for each count.
  ///
  /// Each count is the maximum number of bytes that the server keeps of a chunk.
  public func breakOff(after counts: Int...) {
    state.withLock { $0.breaks += counts.map { max($0, 0) } }
  }

  /// Removes all uploads.
  public func forgetUploads() { state.withLock { $0.uploads = [] } }

  /// Returns the answer to a request, for a route of a ``MockServer`` or the closure of a ``MockTransport``.
  public func answer(to request: ReceivedRequest) -> MockAnswer {
    guard request.method != .options else { return options }
    guard request.headers["Tus-Resumable"] == "1.0.0" else {
      return .status(412).header("Tus-Version", "1.0.0")
    }
    let answer = state.withLock { state in
      request.path == path && request.method == .post
        ? create(request, in: &state) : upload(request, in: &state)
    }
    return answer.header("Tus-Resumable", "1.0.0")
  }

  private var options: MockAnswer {
    let extensions = "creation,creation-defer-length,termination" + (checksums.isEmpty ? "" : ",checksum")
    var answer = MockAnswer.status(204).header("Tus-Version", "1.0.0").header("Tus-Extension", extensions)
    if !checksums.isEmpty {
      answer = answer.header("Tus-Checksum-Algorithm", checksums.joined(separator: ","))
    }
    return answer
  }

  private func create(_ request: ReceivedRequest, in state: inout State) -> MockAnswer {
    let field = request.headers["Upload-Length"]
    guard field != nil || request.headers["Upload-Defer-Length"] == "1" else {
      return .text("neither Upload-Length nor Upload-Defer-Length", status: 400)
    }
    let length = field.flatMap(Self.length)
    if field != nil, length == nil { return Self.invalidLength }
    state.last += 1
    var upload = Upload(path: "\(path)/\(state.last)", length: length)
    for pair in (request.headers["Upload-Metadata"] ?? "").split(separator: ",") {
      let words = pair.split(separator: " ")
      guard let name = words.first else { continue }
      let value = words.count > 1 ? Data(base64Encoded: String(words[1])) ?? Data() : Data()
      upload.metadata[String(name)] = String(data: value, encoding: .utf8) ?? ""
    }
    state.uploads.append(upload)
    return .status(201).header("Location", upload.path)
  }

  private func upload(_ request: ReceivedRequest, in state: inout State) -> MockAnswer {
    guard let index = state.uploads.firstIndex(where: { $0.path == request.path }) else {
      return .status(404)
    }
    switch request.method {
    case .head: return offset(of: state.uploads[index], .status(200)).header("Cache-Control", "no-store")
    case .delete:
      state.uploads.remove(at: index)
      return .status(204)
    case .patch: return append(request, to: index, in: &state)
    default: return .status(405)
    }
  }

  private func append(_ request: ReceivedRequest, to index: Int, in state: inout State) -> MockAnswer {
    var upload = state.uploads[index]
    guard request.headers["Content-Type"] == "application/offset+octet-stream" else { return .status(415) }
    guard request.headers["Upload-Offset"] == "\(upload.data.count)" else { return .status(409) }
    if let field = request.headers["Upload-Length"] {
      guard upload.length == nil else { return .status(400) }
      guard let length = Self.length(field) else { return Self.invalidLength }
      upload.length = length
    }
    if let length = upload.length, Int64(upload.data.count + request.body.count) > length {
      return .status(413)
    }
    if let status = refusal(ofChecksumIn: request) { return .status(status) }
    let kept = state.breaks.isEmpty ? nil : state.breaks.removeFirst()
    upload.data += request.body.prefix(kept ?? .max)
    state.uploads[index] = upload
    return kept == nil ? offset(of: upload, .status(204)) : .fault(.reset)
  }

  private static let invalidLength = MockAnswer.text("the Upload-Length is not a number", status: 400)

  private static func length(_ field: String) -> Int64? {
    field.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(field) : nil
  }

  private func refusal(ofChecksumIn request: ReceivedRequest) -> HTTPResponse.Status? {
    guard let sent = request.headers["Upload-Checksum"] else { return nil }
    guard let name = sent.split(separator: " ").first.map(String.init),
      let algorithm = UploadChecksum(rawValue: name), checksums.isEmpty || checksums.contains(name)
    else { return 400 }
    return algorithm.text(of: request.body) == sent ? nil : 460
  }

  private func offset(of upload: Upload, _ answer: MockAnswer) -> MockAnswer {
    let answer = answer.header("Upload-Offset", "\(upload.data.count)")
    guard let length = upload.length else { return answer.header("Upload-Defer-Length", "1") }
    return answer.header("Upload-Length", "\(length)")
  }
}

extension MockTus.Upload: PrintedByDescription {
  /// A text such as `/files/1: 12 of 30 bytes; filename a.txt, password <redacted>`.
  public var description: String {
    let bytes = "\(path): \(data.count)\(length.map { " of \($0)" } ?? "") bytes"
    let pairs = metadata.sorted { $0.key < $1.key }.map { name, value in
      let isHidden = Redaction.standard.hides(name, in: .field)
      return "\(name) \(isHidden ? Redaction.marker : value)"
    }
    return pairs.isEmpty ? bytes : "\(bytes); \(pairs.joined(separator: ", "))"
  }
}
