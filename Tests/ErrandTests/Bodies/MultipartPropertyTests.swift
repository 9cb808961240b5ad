import Foundation
import Testing

@testable import Errand

/// `ERRAND_MIME_INPUTS` overrides 3,000 random inputs.
@Suite("Multipart bodies with random content")
struct MultipartPropertyTests {
  static let count = ProcessInfo.processInfo.environment["ERRAND_MIME_INPUTS"].flatMap { Int($0) } ?? 3_000

  /// Resemble the boundaries and line breaks of a document.
  private static let pieces = [
    "\r\n", "\r", "\n", "--", "-", "B", "--B", "\r\n--B", "\r\n--B--", "\r\n--B\r\n", "\r\n\r\n", " ", "\t",
    "A: 1\r\n", ":", "x",
    "\u{0}", "é",
  ].map { Data($0.utf8) }

  private static func bytes(_ generator: inout SeededGenerator, upTo limit: Int) -> Data {
    var bytes = Data()
    for _ in 0..<generator.below(limit + 1) {
      bytes += generator.below(3) == 0 ? Data(generator.bytes(upTo: 8)) : generator.pick(pieces)
    }
    return bytes
  }

  private static func part(_ generator: inout SeededGenerator) -> BodyPart {
    var part = BodyPart(body: .data(bytes(&generator, upTo: 12)))
    while part.data.range(of: Data("--B".utf8)) != nil {
      part.body = .data(bytes(&generator, upTo: 12))
    }
    for _ in 0..<generator.below(4) {
      let value = generator.text(generator.below(10), of: "abc :;=\"\\é,").trimmingCharacters(
        in: .whitespaces)
      part.headers.add("X-\(generator.below(3))", value)
    }
    return part
  }

  private static func parts(
    of document: Data, _ generator: inout SeededGenerator, boundary: String
  ) throws -> [BodyPart] {
    var parser = try MultipartParser(boundary: boundary)
    var (parts, rest) = ([BodyPart](), document)
    func take(_ events: [MultipartParser.Event]) {
      for event in events {
        switch event {
        case .part(let headers): parts.append(BodyPart(headers: headers, body: .data(Data())))
        case .bytes(let data):
          #expect(!data.isEmpty)
          parts[parts.count - 1].body = .data(parts[parts.count - 1].data + data)
        }
      }
    }
    let most = generator.pick([1, 4, 50, 1_000])
    while !rest.isEmpty {
      let piece = rest.prefix(1 + generator.below(most))
      take(try parser.read(piece))
      rest = rest.dropFirst(piece.count)
    }
    take(try parser.finish())
    return parts
  }

  @Test("Assembled bodies are parsed to the original parts, for any piece sizes")
  func identity() async throws {
    var generator = SeededGenerator(seed: 21)
    for round in 0..<Self.count {
      let parts = (0..<generator.below(5)).map { _ in Self.part(&generator) }
      let type: MIMEType = generator.pick([.formData, .mixed, .related, .byteranges])
      let boundary = generator.pick(["--B-", "x--Bx", "B--B", "0--B.1"])
      let body = RequestBody.multipart(parts, type: type, boundary: boundary)
      let document = try await MultipartBodyTests.bytes(body)
      #expect(body.length == Int64(document.count))
      let found = try Self.parts(of: document, &generator, boundary: boundary)
      let sorted = parts.map { $0.headers.fields.sorted { $0.name < $1.name } }
      let isSame =
        found.map(\.data) == parts.map(\.data) && found.map(\.headers) == sorted.map { HTTPHeaders($0) }
      if !isSame {
        Issue.record(
          "round \(round): \(found) of \(String(decoding: document, as: UTF8.self).debugDescription)")
        return
      }
    }
  }

  @Test("Random bytes give parts or an error, independent of the pieces")
  func garbage() throws {
    var generator = SeededGenerator(seed: 22)
    func outcome(_ document: Data) -> String {
      do {
        let parts = try Self.parts(of: document, &generator, boundary: "B")
        return parts.map { "\($0.headers.fields.map { $0.name + $0.value }) \(Array($0.data))" }.joined()
      } catch { return "\(error)" }
    }
    for round in 0..<Self.count {
      let document = Data("--B\r\n".utf8.prefix(generator.below(6))) + Self.bytes(&generator, upTo: 30)
      let (first, second) = (outcome(document), outcome(document))
      if first != second {
        Issue.record("round \(round): \(first) and \(second) of \(Array(document))")
        return
      }
    }
  }

  @Test("Random bytes in Content-Type or Content-Disposition cause no crash")
  func heads() {
    var generator = SeededGenerator(seed: 23)
    for _ in 0..<Self.count {
      let text = generator.text(20, of: "multipart/mixed; boundary=\"\\'*%é,name")
      _ = try? MultipartParser(contentType: "multipart/mixed;\(text)")
      let part = BodyPart(headers: ["Content-Disposition": "form-data;\(text)"], body: .none)
      _ = (part.name, part.filename)
    }
  }
}
