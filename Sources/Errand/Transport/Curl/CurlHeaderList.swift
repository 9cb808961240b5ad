#if os(Linux)
import CCurl
import Foundation

/// The header fields as a linked list for libcurl, in a single allocation.
final class CurlHeaderList {
  let first: UnsafeMutablePointer<ccurl_slist>?
  private let headers: HTTPHeaders

  init(_ headers: HTTPHeaders, upload: TransferUpload, expectsContinue: Bool) {
    self.headers = headers
    var headers = headers
    if case .zeroLength = upload { headers.add("Content-Length", "0") }
    let omitted: [String] =
      switch (headers.contains("Accept"), upload.isEmpty || expectsContinue) {
      case (true, true): []
      case (false, true): ["Accept"]
      case (true, false): ["Expect"]
      case (false, false): ["Accept", "Expect"]
      }
    first = CurlHeaderLines(headers, omitting: omitted).first
  }

  deinit { free(first) }

  func isOf(_ headers: HTTPHeaders) -> Bool {
    self.headers.fields.count == headers.fields.count
      && zip(self.headers.fields, headers.fields).allSatisfy { $0.hasSameBytes(as: $1) }
  }
}

private struct CurlHeaderLines {
  /// The list nodes, followed by the text; `nil` without lines, or if the allocation failed.
  private let nodes: UnsafeMutablePointer<ccurl_slist>?
  private var count = 0
  private var text: UnsafeMutableRawBufferPointer

  /// `omitted` names default fields that libcurl must not send.
  init(_ headers: HTTPHeaders, omitting omitted: [String]) {
    let lineCount = headers.fields.count + omitted.count
    // At most two bytes for the separator, and a byte for the terminating zero.
    let fieldsSize = headers.fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 3 }
    let textSize = omitted.reduce(fieldsSize) { $0 + $1.utf8.count + 3 }
    let nodesSize = lineCount * MemoryLayout<ccurl_slist>.stride
    let memory = lineCount == 0 ? nil : malloc(nodesSize + textSize)
    nodes = memory?.bindMemory(to: ccurl_slist.self, capacity: lineCount)
    text = UnsafeMutableRawBufferPointer(start: memory.map { $0 + nodesSize }, count: textSize)
    guard memory != nil else { return }
    for field in headers.fields {
      let isEmpty = field.value.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 }
      // In libcurl's notation, an empty field is its name followed by a semicolon.
      if let bytes = field.foreignBytes {
        addLine(field.name, separator: ": ", value: bytes)
      } else {
        addLine(field.name, separator: isEmpty ? ";" : ": ", value: (isEmpty ? "" : field.value).utf8)
      }
    }
    for name in omitted { addLine(name, separator: ":", value: "".utf8) }
  }

  var first: UnsafeMutablePointer<ccurl_slist>? { nodes }

  private mutating func addLine(_ name: String, separator: String, value: some Collection<UInt8>) {
    guard let nodes else { return }
    if count > 0 { nodes[count - 1].next = nodes + count }
    (nodes + count).initialize(
      to: ccurl_slist(data: text.baseAddress?.assumingMemoryBound(to: CChar.self), next: nil))
    count += 1
    add(name.utf8)
    add(separator.utf8)
    add(value)
    add(CollectionOfOne(0))
  }

  private mutating func add(_ bytes: some Collection<UInt8>) {
    text.copyBytes(from: bytes)
    text = UnsafeMutableRawBufferPointer(rebasing: text[bytes.count...])
  }
}
#endif
