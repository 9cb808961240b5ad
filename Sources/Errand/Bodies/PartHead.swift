import Foundation

struct PartHead: Sendable {
  private let limit: Int
  var fields = HTTPHeaders()
  private var length = 0
  /// The number of the part, from 1; 0 before the first part.
  private var part = 0

  init(limit: Int) { self.limit = limit }

  mutating func begin(part: Int) { (self.part, fields, length) = (part, HTTPHeaders(), 0) }

  func check(adding count: Int) throws(Refusal) {
    if length + count > limit {
      throw MultipartParser.refusal("the head of part \(part) is longer than \(limit) bytes")
    }
  }

  mutating func add(_ line: ArraySlice<UInt8>) throws(Refusal) {
    length += line.count + 2
    let colon = line.firstIndex(of: 0x3A)
    let isFolded = (line.first == 0x20 || line.first == 0x09) && !fields.fields.isEmpty
    guard isFolded || colon != nil else { throw unreadable("a line has no colon") }
    let start = isFolded ? line.startIndex : (colon ?? line.startIndex) + 1
    let text = HTTPHeaders.decode(Data(line[start...])).trimmingCharacters(in: Self.blanks)
    let last = fields.fields.count - 1
    let name = isFolded ? fields.fields[last].name : HTTPHeaders.decode(Data(line[..<(start - 1)]))
    if let problem = HTTPHeaders.problem(ofLine: HTTPHeaders.Field(name: name, value: text)) {
      throw unreadable(problem)
    }
    if isFolded {
      // The line continues the previous line (RFC 5322 section 2.2.3).
      fields.fields[last].value += " \(text)"
    } else {
      fields.add(name, text)
    }
  }

  private static let blanks = CharacterSet(charactersIn: " \t")

  private func unreadable(_ problem: String) -> Refusal {
    MultipartParser.refusal("the head of part \(part) cannot be read: \(problem)")
  }
}
