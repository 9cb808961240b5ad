package enum JSONStringWriter {
  /// Appends a string in quotes, with escapes; invalid UTF-8 passes unchanged.
  package static func append(
    _ utf8: some Sequence<UInt8>, to bytes: inout [UInt8], escapingSlashes: Bool = true
  ) {
    func append(_ source: UnsafeBufferPointer<UInt8>) {
      var buffer = JSONBuffer(capacity: source.count + 2)
      buffer.append(quoted: source, escapingSlashes: escapingSlashes)
      buffer.withBytes(0..<buffer.count) { bytes.append(contentsOf: $0) }
    }
    let isDone: Void? = utf8.withContiguousStorageIfAvailable(append)
    if isDone == nil { Array(utf8).withUnsafeBufferPointer(append) }
  }
}
