package struct PromisedLength: Sendable {
  let length: Int64?
  private var count: Int64 = 0

  package init(_ length: Int64?) { self.length = length }

  package mutating func add(_ chunk: Int) throws(TransportError) {
    count += Int64(chunk)
    if let length, count > length { throw Self.tooMany(for: length) }
  }

  package func end() throws(TransportError) {
    if let length, count < length { throw Self.tooFew(count, for: length) }
  }

  static func tooMany(for length: Int64) -> TransportError {
    TransportError(.encoding, "the body stream gave more than the \(length) bytes it promised")
  }

  static func tooFew(_ count: Int64, for length: Int64) -> TransportError {
    TransportError(
      .encoding, "the body stream ended after \(count) of the \(length) bytes it promised")
  }
}
