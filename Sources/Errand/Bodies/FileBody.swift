import ErrandJSON
public import Foundation

extension RequestBody {
  /// Returns a body with the bytes of a file.
  ///
  /// The request fails if the file is missing or unreadable, and usually if the file changes while the body
  /// is sent.
  ///
  /// - Parameters:
  ///   - url: A file URL.
  ///   - contentType: The media type; `nil` for the type of the file name extension.
  public static func file(_ url: URL, contentType: String? = nil) -> RequestBody {
    RequestBody(
      storage: .provided(
        FileBody(url: url, type: contentType ?? MIMEType(fileExtension: url.pathExtension).rawValue)))
  }
}

private struct FileBody: BodyProvider {
  let url: URL
  let type: String
  /// The state of the file when the request was built; `nil` before.
  var state: RegularFile.State?
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
        "the URL of the body's file is not a file URL", kind: .encoding,
        notOfFile: url)
    }
    var copy = self
    do {
      // Opening the file also checks that the process may read the file.
      copy.state = try RegularFile(path: place).state
    } catch {
      throw Refusal("the file \(place) \(error.clause)", kind: .encoding)
    }
    return copy
  }
}

private final class FileSource: BodySource, @unchecked Sendable {
  private let path: String
  // No lock, because `next` has a single caller.
  private var file: RegularFile?
  private var expected: RegularFile.State?
  private var offset: Int64
  /// The offset after the last byte; `nil` for the end of the file.
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
    // Some system files report a wrong length.
    if piece.count != min(rest, Int64(Block.size)) {
      throw RegularFile.Problem("returned more or fewer bytes than its length of \(expected.length) bytes")
    }
    offset += Int64(piece.count)
    if offset == min(expected.length, end) { try checkPlace(expected) }
    return piece.isEmpty ? nil : piece
  }

  private func difference(
    of state: RegularFile.State, from expected: RegularFile.State
  ) -> RegularFile.Problem? {
    if !state.isSameFile(as: expected) { return RegularFile.Problem("was replaced by another file") }
    if state.length != expected.length {
      let verb = state.length < expected.length ? "was cut" : "grew"
      return RegularFile.Problem(
        "\(verb) from \(expected.length) to \(state.length) bytes before the whole file was sent")
    }
    return state == expected ? nil : RegularFile.Problem("was changed before the whole file was sent")
  }

  private func checkPlace(_ expected: RegularFile.State) throws(RegularFile.Problem) {
    guard let state = try? RegularFile.state(at: path) else { return }
    if let problem = difference(of: state, from: expected) { throw problem }
  }
}
