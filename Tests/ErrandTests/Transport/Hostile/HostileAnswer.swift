import ErrandMocks
import Foundation

@testable import Errand

/// Valid, then damaged in one to three ways.
struct HostileAnswer {
  let bytes: Data
  let steps: [AnswerStep]

  /// The same number always gives the same response.
  init(_ number: Int) {
    var random = SeededGenerator(seed: 0xE44A_4D00 &+ UInt64(number))
    var bytes = Self.valid(&random)
    for _ in 0...random.below(3) { Self.damage(&bytes, &random) }
    self.bytes = bytes
    // An open connection would only test the timeout.
    let middle = random.below(bytes.count + 1)
    let end = random.pick([AnswerStep.close, .close, .close, .reset])
    steps =
      random.below(2) == 0
      ? [.send(bytes), end] : [.send(bytes.prefix(middle)), .send(bytes.dropFirst(middle)), end]
  }

  // MARK: Valid answers

  private static func valid(_ random: inout SeededGenerator) -> Data {
    var body = Data(random.bytes(upTo: random.pick([0, 5, 300, 40_000])))
    var head = random.pick([
      "HTTP/1.1 200 OK", "HTTP/1.1 200", "HTTP/1.0 200 OK", "HTTP/1.1 204 No", "HTTP/1.1 404 X",
    ])
    head = random.pick(["", "", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"]) + head + "\r\n"
    if random.below(3) == 0 {
      body = gzipped(body)
      head += "Content-Encoding: gzip\r\n"
    }
    head += "Content-Type: text/plain\r\nSet-Cookie: a=1\r\n"
    switch random.below(3) {
    case 0: return Data("\(head)\r\n".utf8) + body
    case 1: return Data("\(head)Content-Length: \(body.count)\r\n\r\n".utf8) + body
    default:
      return Data("\(head)Transfer-Encoding: chunked\r\n\r\n".utf8) + chunked(body, &random)
    }
  }

  /// One stored block with its checksum.
  private static func gzipped(_ body: Data) -> Data {
    var coded = Data()
    _ = MockAnswer.data(body).gzipped().editingBody { coded = $0 }
    return coded
  }

  private static func chunked(_ body: Data, _ random: inout SeededGenerator) -> Data {
    var bytes = Data()
    var rest = body
    while !rest.isEmpty {
      let chunk = rest.prefix(1 + random.below(rest.count))
      rest = rest.dropFirst(chunk.count)
      bytes += Data("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + Data("\r\n".utf8)
    }
    return bytes + Data(random.pick(["0\r\n\r\n", "0\r\nX-Sum: 1\r\n\r\n"]).utf8)
  }

  // MARK: Damage

  private static func damage(_ bytes: inout Data, _ random: inout SeededGenerator) {
    switch random.below(8) {
    case 0: bytes = bytes.prefix(random.below(bytes.count + 1))
    case 1: flip(&bytes, upTo: bytes.count, &random)
    // Damages the head, which is small and rarely hit by random positions.
    case 2, 3: flip(&bytes, upTo: 120, &random)
    case 4: repeatLine(&bytes, &random)
    case 5: insert(Data(random.bytes(upTo: 200)), into: &bytes, upTo: 200, &random)
    case 6: insert(oddLine(&random), into: &bytes, upTo: 200, &random)
    default: changeDigit(&bytes, &random)
    }
  }

  private static func flip(_ bytes: inout Data, upTo limit: Int, _ random: inout SeededGenerator) {
    guard !bytes.isEmpty else { return }
    for _ in 0...random.below(4) {
      bytes[bytes.startIndex + random.below(min(limit, bytes.count))] ^= UInt8(1 << random.below(8))
    }
  }

  private static func repeatLine(_ bytes: inout Data, _ random: inout SeededGenerator) {
    let lines = bytes.prefix(300).split(separator: 0x0A, omittingEmptySubsequences: false)
    let line = Data(random.pick(lines)) + [0x0A]
    let times = random.pick([1, 2, 500])
    insert(Data(repeatElement(line, count: times).joined()), into: &bytes, upTo: 200, &random)
  }

  private static func insert(
    _ more: Data, into bytes: inout Data, upTo limit: Int, _ random: inout SeededGenerator
  ) {
    bytes = Data(bytes)
    // Usually inserts at the start of a line, because other positions rarely make a line.
    var place = random.below(min(limit, bytes.count) + 1)
    if random.below(4) > 0, let end = bytes[place...].firstIndex(of: 0x0A) { place = end + 1 }
    bytes.insert(contentsOf: more, at: place)
  }

  private static func oddLine(_ random: inout SeededGenerator) -> Data {
    let filler = String(repeating: "x", count: random.pick([1000, 120_000, 300_000]))
    let line = random.pick([
      "Content-Length: 3", "Content-Length: -1", "Content-Length: 99999999999", "Content-Length: 1, 2",
      "Transfer-Encoding: chunked", "Transfer-Encoding: gzip, chunked",
      "Content-Encoding: gzip, gzip, deflate",
      "Connection: keep-alive", "Location: http://127.0.0.1:1/", "HTTP/1.1 100 Continue\r\n", ":", "a b: c",
      " folded", "ffffffffffffffff", "7fffffffffffffff", "-5", "0", "X-Long: \(filler)", "Upgrade: h2c",
    ])
    return Data("\(line)\r\n".utf8)
  }

  /// Lengths, chunk sizes, the status and the version consist of digits.
  private static func changeDigit(_ bytes: inout Data, _ random: inout SeededGenerator) {
    bytes = Data(bytes)
    let digits = bytes.prefix(400).indices.filter { (0x30...0x39).contains(bytes[$0]) }
    guard !digits.isEmpty else { return }
    bytes[random.pick(digits)] = 0x30 + UInt8(random.below(10))
  }
}
