#if os(Linux)
import CCurl

/// The fields of a head as libcurl takes them: a linked list of lines in two pieces of memory, which it only reads.
struct CurlHeaderList {
  private let nodes: UnsafeMutableBufferPointer<curl_slist>
  private let text: UnsafeMutableBufferPointer<CChar>
  private var count = 0
  private var length = 0

  /// - Parameters:
  ///   - headers: what is sent.
  ///   - omitted: what libcurl would send and is not to.
  init(_ headers: HTTPHeaders, omitting omitted: [String]) {
    nodes = .allocate(capacity: headers.fields.count + omitted.count)
    // Two for what stands between name and value, one for the end.
    let fields = headers.fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 3 }
    text = .allocate(capacity: omitted.reduce(fields) { $0 + $1.utf8.count + 3 })
    for field in headers.fields {
      let isEmpty = field.value.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 }
      // libcurl's way to send an empty value is a semicolon.
      addLine(field.name, isEmpty ? ";" : ": ", isEmpty ? "" : field.value)
    }
    for name in omitted { addLine(name, ":", "") }
  }

  /// The list; `nil` when it is empty.
  var first: UnsafeMutablePointer<curl_slist>? { count == 0 ? nil : nodes.baseAddress }

  /// Frees the lines; libcurl must not have them any more.
  func deallocate() {
    nodes.deallocate()
    text.deallocate()
  }

  private mutating func addLine(_ name: String, _ separator: String, _ value: String) {
    if count > 0 { nodes[count - 1].next = nodes.baseAddress.map { $0 + count } }
    nodes.initializeElement(
      at: count, to: curl_slist(data: text.baseAddress.map { $0 + length }, next: nil))
    count += 1
    add(name)
    add(separator)
    add(value)
    text[length] = 0
    length += 1
  }

  private mutating func add(_ piece: String) {
    let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(text)[length...])
    rest.copyBytes(from: piece.utf8)
    length += piece.utf8.count
  }
}
#endif
