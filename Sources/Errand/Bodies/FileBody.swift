import ErrandJSON
public import Foundation

extension RequestBody {
  /// A file, sent in pieces of 64 KiB and never loaded whole; it can be sent again, so retries and redirects work.
  ///
  /// It is looked at while the request is built: one that is missing, may not be read, or is a directory, a FIFO or a device
  /// is an error of kind ``RequestError/Kind/encoding`` before anything is sent. One that is changed, cut, extended or replaced
  /// from then on until its last byte is sent fails the attempt with the same kind; a retry looks anew. Its
  /// length is announced.
  ///
  /// - Parameters:
  ///   - url: a file URL.
  ///   - contentType: the media type; `nil`, the default, takes that of the extension, see ``MIMEType/init(fileExtension:)``.
  public static func file(_ url: URL, contentType: String? = nil) -> RequestBody {
    RequestBody(
      storage: .provided(
        FileBody(url: url, type: contentType ?? MIMEType(fileExtension: url.pathExtension).rawValue)))
  }
}

/// A file as a body.
private struct FileBody: BodyProvider {
  let url: URL
  let type: String
  /// As it was when the request was built; `nil` before.
  var state: RegularFile.State?
  /// Which bytes of it are sent; `nil` for all.
  var range: Range<Int64>?

  private var place: String { url.absoluteURL.path(percentEncoded: false) }

  var path: String? { place }
  var contentType: String? { type }
  var isReplayable: Bool { true }
  var stamp: String? { state?.stamp }
  var length: Int64? {
    range.map { $0.upperBound - $0.lowerBound } ?? state?.length
      ?? (try? RegularFile.state(at: place))?.length
  }
  var content: RequestBody.Content {
    .stream(BodyStream(FileSource(path: place, expected: state, range: range)), length: length)
  }

  var summary: String {
    let size = length.map { "\($0) bytes" } ?? "which cannot be read"
    return "file \(url.lastPathComponent.debugDescription), \(size)"
  }

  func slice(_ range: Range<Int64>) -> (any BodyProvider)? {
    var copy = self
    copy.range = range
    return copy
  }

  func prepared(by coding: () -> JSONCoding) throws -> any BodyProvider {
    guard state == nil else { return self }
    guard url.isFileURL else {
      throw Refusal(
        "the file of the body is to be read from a URL that is none of a file", kind: .encoding,
        notOfFile: url)
    }
    var copy = self
    do {
      // Opened, as that alone tells whether it may be read.
      copy.state = try RegularFile(path: place).state
    } catch {
      throw Refusal("the file \(place) \(error.clause)", kind: .encoding)
    }
    return copy
  }
}

/// Reads a file and looks at each piece whether it is still the file that was announced.
private final class FileSource: BodySource, @unchecked Sendable {
  private let path: String
  // Guard of the three: `next` has one caller, one call at a time (see `BodySource`).
  private var file: RegularFile?
  private var expected: RegularFile.State?
  private var offset: Int64
  /// Where it stops; `nil` for the end of the file.
  private let end: Int64?

  init(path: String, expected: RegularFile.State?, range: Range<Int64>?) {
    (self.path, self.expected) = (path, expected)
    (offset, end) = (range?.lowerBound ?? 0, range?.upperBound)
  }

  func next() async throws -> Data? {
    do {
      return try piece()
    } catch {
      throw TransportError(.encoding, "the file \(path) \(error.clause)")
    }
  }

  private func piece() throws(RegularFile.Problem) -> Data? {
    let file: RegularFile
    if let open = self.file { file = open } else { file = try RegularFile(path: path) }
    self.file = file
    let end = self.end ?? .max
    let piece = try file.read(at: offset, count: Int(min(Int64(Block.size), end - offset)))
    let state = try file.state
    let expected = self.expected ?? state
    self.expected = expected
    if let problem = difference(of: state, from: expected) { throw problem }
    let rest = min(expected.length, end) - offset
    // Some files of the system tell another length than they have.
    if piece.count != min(rest, Int64(Block.size)) {
      throw RegularFile.Problem("gave other than the \(expected.length) bytes that it is said to have")
    }
    offset += Int64(piece.count)
    if offset == min(expected.length, end) { try checkPlace(expected) }
    return piece.isEmpty ? nil : piece
  }

  private func difference(
    of state: RegularFile.State, from expected: RegularFile.State
  ) -> RegularFile.Problem? {
    if !state.isSameFile(as: expected) { return RegularFile.Problem("was replaced by another one") }
    if state.length != expected.length {
      let verb = state.length < expected.length ? "was cut" : "grew"
      return RegularFile.Problem(
        "\(verb) from \(expected.length) to \(state.length) bytes before it was sent whole")
    }
    return state == expected ? nil : RegularFile.Problem("was changed before it was sent whole")
  }

  /// The file that was read is whole even where another one has come in its place; but it is not what the caller has there now.
  private func checkPlace(_ expected: RegularFile.State) throws(RegularFile.Problem) {
    guard let state = try? RegularFile.state(at: path) else { return }
    if let problem = difference(of: state, from: expected) { throw problem }
  }
}
