import Errand
public import Foundation

/// Bodies in the content coding gzip (RFC 9110 section 8.4.1.3), sound and broken.
extension MockAnswer {
  /// This answer with its body in gzip and the field that says so; nothing is made smaller.
  ///
  /// A ``MockTransport`` gives the coded bytes to the agent as they are.
  public func gzipped() -> MockAnswer {
    editingBody { $0 = Gzip.stored($0) }.header("Content-Encoding", "gzip")
  }

  /// This answer with another body, whose length is promised in its head: `.gzipped().editingBody { $0.removeLast(4) }`
  /// is a coding cut short in a body that is complete.
  ///
  /// The chunks of a body in chunks become one; an answer without head and body of its own stays as it is.
  public func editingBody(_ edit: (_ body: inout Data) throws -> Void) rethrows -> MockAnswer {
    var copy = self
    switch content {
    case .data(var data):
      try edit(&data)
      copy.content = .data(data)
    case .chunks(let chunks, let gap):
      var data = Data(chunks.joined())
      try edit(&data)
      copy.content = .chunks(data.isEmpty ? [] : [data], gap: gap)
    case .failure, .steps: break
    }
    return copy
  }

  /// A decompression bomb: an answer in gzip that becomes so many zero bytes, about 150 times its size; none where `size` is
  /// below zero.
  ///
  /// It is made while it is sent, and has no fixed length: its end is the end of the connection.
  public static func bomb(_ size: Int) -> MockAnswer {
    let (size, unit) = (max(size, 0), 258 * 256 + 1)
    let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n"
    return .raw(
      .send(head), .send(Gzip.zeros(unit), times: size / unit), .send(Gzip.zeros(size % unit)), .close)
  }
}
