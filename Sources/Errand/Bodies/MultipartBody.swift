import ErrandJSON
package import Foundation

extension RequestBody {
  /// Returns a multipart form (RFC 7578).
  ///
  /// ```swift
  /// let body = RequestBody.multipart(["title": "Sunset", "photo": .file(photo)])
  /// ```
  ///
  /// If `boundary` is `nil`, the form has a random boundary.
  public static func multipart(
    _ parameters: Parameters, encoding: ParameterEncoding = ParameterEncoding(), boundary: String? = nil
  ) -> RequestBody {
    var writer = FormWriter(encoding: encoding, makesParts: true)
    var problem: Refusal?
    do { try writer.write(parameters) } catch { problem = error }
    let parts =
      writer.fields.map { BodyPart(name: $0.name, body: .data(Data($0.value.utf8))) }
      + writer.files.map { $0.file.part(named: $0.name) }
    var body = MultipartBody(.formData, parts: parts, boundary: boundary)
    (body.problem, body.parameters) = (problem, parameters)
    return RequestBody(storage: .provided(body))
  }

  /// Returns a multipart document (RFC 2046 section 5.1).
  ///
  /// ```swift
  /// let body = RequestBody.multipart(
  ///   [BodyPart(body: .json(description)), BodyPart(body: .file(photo))], type: .related)
  /// ```
  ///
  /// If the boundary or a part header is invalid, or the type is not multipart, the request fails with
  /// ``RequestError/Kind/encoding``.
  ///
  /// - Parameters:
  ///   - parts: The parts, in order.
  ///   - type: A `multipart/…` media type without `boundary`; `multipart/form-data` by default.
  ///   - boundary: 1 to 70 ASCII letters, digits and `'()+_,-./:=?`; `nil` for a random boundary.
  public static func multipart(
    _ parts: [BodyPart], type: MIMEType = .formData, boundary: String? = nil
  ) -> RequestBody {
    RequestBody(storage: .provided(MultipartBody(type, parts: parts, boundary: boundary)))
  }
}

extension RequestBody {
  /// The bytes of a multipart body, which must be prepared; `nil` for streams and other bodies.
  package var document: Data? { (provider as? MultipartBody)?.document }

  package var parts: [BodyPart]? { (provider as? MultipartBody)?.parts }
}

extension RequestSerializer {
  func body(
    of parameters: Parameters, coding: @escaping () -> JSONCoding = { JSONCoding() }
  ) throws -> RequestBody {
    let body = try plainBody(of: parameters, coding)
    return isGzipped ? body.gzipped() : body
  }

  private func plainBody(
    of parameters: Parameters, _ coding: @escaping () -> JSONCoding
  ) throws -> RequestBody {
    guard !parameters.isEmpty else { return .none }
    if parts == .always || (parts == .forFiles && parameters.hasFile) {
      return .multipart(parameters, encoding: encoding)
    }
    let data = try encode(parameters, coding)
    return data.isEmpty ? .none : .data(data, contentType: contentType)
  }
}

struct MultipartBody: BodyProvider {
  /// The maximum length of a document that is sent as data, in bytes.
  ///
  /// A longer document is sent as a stream.
  private static let wholeLimit = 1_048_576

  private let type: MIMEType
  private(set) var parts: [BodyPart]
  private let givenBoundary: String?
  var boundary: String
  private var isPrepared = false
  /// The error from encoding the parameters, thrown by `prepared(by:)`; `nil`: no error.
  var problem: Refusal?
  /// The parameters of a form, for redaction.
  ///
  /// Empty for a body made from parts.
  var parameters: Parameters = [:]

  init(_ type: MIMEType, parts: [BodyPart], boundary: String?) {
    (self.type, self.parts) = (type, parts)
    givenBoundary = boundary
    self.boundary = boundary ?? Self.freeBoundary(parts)
  }

  var contentType: String? {
    let isToken = boundary.utf8.allSatisfy(HTTPHeaders.isTokenByte)
    return "\(type.rawValue); boundary=\(isToken ? boundary : "\"\(boundary)\"")"
  }

  var isReplayable: Bool { parts.allSatisfy(\.body.isReplayable) }
  var memorySize: Int { parts.reduce(0) { $0 + $1.body.memorySize } }
  var formParts: [BodyPart]? { isForm ? parts : nil }
  // Includes the boundary, because a different boundary means different bytes.
  var stamp: String? {
    ([contentType] + parts.map { $0.body.provider?.stamp }).compactMap(\.self).joined(separator: ", ")
  }
  var secretive: [Any] { [parameters as Any] + parts.map { $0.body as Any } }

  var summary: String {
    let size = length.map { "\($0) bytes" } ?? "of unknown length"
    return "\(type.rawValue) of \(parts.count) part\(parts.count == 1 ? "" : "s"), \(size)"
  }

  var length: Int64? {
    var sum = Int64(end.utf8.count)
    for (index, part) in parts.enumerated() {
      guard let length = part.body.length else { return nil }
      // The sum of the lengths stated by callers may overflow.
      sum = TransferProgress.sum(
        sum, TransferProgress.sum(Int64(head(of: part, at: index).utf8.count), length))
    }
    return sum
  }

  var isStream: Bool {
    problem != nil || !parts.allSatisfy { $0.body.provider?.isStream != true }
      || length.map { $0 > Self.wholeLimit } ?? true
  }

  var content: RequestBody.Content {
    if let problem { return .stream(BodyStream(PiecesSource([.failure(problem)])), length: nil) }
    if !isStream, let document { return .data(document) }
    return .stream(BodyStream(PiecesSource(pieces)), length: length)
  }

  var document: Data? {
    guard problem == nil, !parts.contains(where: { $0.body.provider?.isStream == true }) else { return nil }
    return pieces.reduce(into: Data()) { $0.append($1.bytes) }
  }

  private func head(of part: BodyPart, at index: Int) -> String {
    var fields = part.headers.fields
    if let type = part.body.contentType, !part.headers.contains("Content-Type") {
      fields.append(HTTPHeaders.Field(name: "Content-Type", value: type))
    }
    let lines = fields.sorted { $0.name.lowercased() < $1.name.lowercased() }
      .map { "\($0.name): \($0.value)\r\n" }
    return "\(index == 0 && isForm ? "" : "\r\n")--\(boundary)\r\n\(lines.joined())\r\n"
  }

  private var end: String { "\(parts.isEmpty && isForm ? "" : "\r\n")--\(boundary)--\r\n" }

  private var isForm: Bool { MediaType(type.rawValue)?.subtype == "form-data" }

  private var pieces: [PiecesSource.Piece] {
    var (pieces, text): ([PiecesSource.Piece], Data) = ([], Data())
    for (index, part) in parts.enumerated() {
      text.append(contentsOf: head(of: part, at: index).utf8)
      switch part.body.content {
      case .none: break
      case .data(let data) where data.count <= 65_536: text.append(data)
      case .data(let data):
        pieces += [.bytes(text), .bytes(data)]
        text = Data()
      case .stream(let stream, let length):
        pieces += [.bytes(text), .stream(stream, length: length, part: index + 1)]
        text = Data()
      }
    }
    text.append(contentsOf: end.utf8)
    return pieces + [.bytes(text)]
  }
}

extension MultipartBody {
  func prepared(by coding: () -> JSONCoding) throws -> any BodyProvider {
    if let problem { throw problem }
    guard !isPrepared else { return self }
    var copy = self
    for index in parts.indices { copy.parts[index].body = try parts[index].body.prepared(by: coding) }
    try copy.check()
    copy.isPrepared = true
    return copy
  }

  private mutating func check() throws(Refusal) {
    let media = MediaType(type.rawValue)
    guard let media, media.type == "multipart", media["boundary"] == nil, !type.rawValue.utf8.contains(0x0D),
      !type.rawValue.utf8.contains(0x0A), type.rawValue.utf8.count(where: { $0 == 0x22 }).isMultiple(of: 2)
    else {
      throw refusal(
        "the type \(type.rawValue.debugDescription) is not a multipart type, or already has a boundary")
    }
    for (index, part) in parts.enumerated() {
      var fields = part.headers.fields
      if let type = part.body.contentType { fields.append(.init(name: "Content-Type", value: type)) }
      for field in fields {
        if let problem = HTTPHeaders.problem(ofLine: field) {
          throw refusal("part \(index + 1): \(problem)")
        }
      }
    }
    guard let givenBoundary else {
      boundary = Self.place(of: boundary, in: parts) == nil ? boundary : Self.freeBoundary(parts)
      return
    }
    guard Self.isBoundary(givenBoundary) else {
      throw refusal(
        "\(givenBoundary.debugDescription) is not a valid boundary: a boundary has 1 to 70 letters, digits or '()+_,-./:=?"
      )
    }
    if let place = Self.place(of: givenBoundary, in: parts) {
      throw refusal("the boundary \(givenBoundary) occurs in part \(place + 1)")
    }
  }

  private func refusal(_ problem: String) -> Refusal { Refusal(problem, kind: .encoding) }

  /// Returns true for a valid boundary without spaces (RFC 2046 section 5.1.1).
  private static func isBoundary(_ text: String) -> Bool {
    (1...70).contains(text.utf8.count)
      && text.utf8.allSatisfy { ASCII.isAlphanumeric($0) || "'()+_,-./:=?".utf8.contains($0) }
  }

  private static func freeBoundary(_ parts: [BodyPart]) -> String {
    while true {
      let boundary = "errand-\(SystemRandom.digits())"
      if place(of: boundary, in: parts) == nil { return boundary }
    }
  }

  private static func place(of boundary: String, in parts: [BodyPart]) -> Int? {
    parts.firstIndex { part in
      let fields = part.headers.fields.flatMap { [$0.name, $0.value] } + [part.body.contentType ?? ""]
      let nested = (part.body.provider as? MultipartBody)?.document
      return fields.contains { contains(boundary, in: Data($0.utf8)) }
        || (nested ?? part.body.data).map { contains(boundary, in: $0) } ?? false
    }
  }

  private static func contains(_ boundary: String, in data: Data) -> Bool {
    data.withUnsafeBytes { bytes in
      boundary.withBytes { text in
        guard let first = text.first, let wanted = text.baseAddress else { return false }
        var rest = bytes[...]
        while rest.count >= text.count, let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress,
          let found = memchr(start, Int32(first), rest.count - text.count + 1)
        {
          if memcmp(found, wanted, text.count) == 0 { return true }
          rest = rest.dropFirst(start.distance(to: UnsafeRawPointer(found)) + 1)
        }
        return false
      }
    }
  }
}

private final class PiecesSource: CodingSource, @unchecked Sendable {
  enum Piece: Sendable {
    case bytes(Data)
    case stream(BodyStream, length: Int64?, part: Int)
    case failure(Refusal)

    var bytes: Data { if case .bytes(let data) = self { data } else { Data() } }
  }

  private let pieces: [Piece]
  private let codings: [any CodingSource]
  // `place` and `reader` need no lock, because calls of `next` never overlap.
  private var place = 0
  private var reader: (chunks: BodyStream.Iterator, count: Int64)?

  init(_ pieces: [Piece]) {
    self.pieces = pieces
    codings = pieces.compactMap { if case .stream(let stream, _, _) = $0 { stream.coding } else { nil } }
  }

  var takenCount: Int { codings.reduce(0) { $0 + $1.takenCount } }

  func cancel() {
    for case .stream(let stream, _, _) in pieces { stream.cancel() }
  }

  func next() async throws -> Data? {
    while place < pieces.count {
      let piece = pieces[place]
      switch piece {
      case .failure(let refusal): throw TransportError(refusal.kind, refusal.message)
      case .bytes(let data):
        place += 1
        if !data.isEmpty { return data }
      case .stream(let stream, let length, let part):
        if let chunk = try await chunk(of: stream, length: length, part: part) { return chunk }
        (place, reader) = (place + 1, nil)
      }
    }
    return nil
  }

  /// Returns the next chunk of a part, and checks the stated length of the part.
  ///
  /// Without the check, surplus bytes of a part could hide missing bytes of a later part.
  private func chunk(of stream: BodyStream, length: Int64?, part: Int) async throws -> Data? {
    var (chunks, count) = reader ?? (stream.makeAsyncIterator(), 0)
    let chunk = try await chunks.next()
    count += Int64(chunk?.count ?? 0)
    reader = (chunks, count)
    if let length, count > length || (chunk == nil && count < length) {
      let found = chunk == nil ? "ended after \(count)" : "gave more than the"
      throw TransportError(
        .encoding,
        "the stream of part \(part) \(found)\(chunk == nil ? " of the" : "") \(length) bytes it promised")
    }
    return chunk
  }
}
