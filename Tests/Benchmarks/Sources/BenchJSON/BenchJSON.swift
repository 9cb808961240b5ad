import BenchJSONModels
import ErrandJSON
import Foundation

/// Decodes or encodes one case so many times, for whoever counts what that takes.
@main
struct BenchJSON {
  private let options = Options()

  static func main() throws {
    let bench = BenchJSON()
    switch bench.options.workload {
    case .object, .sorted, .pretty: try bench.run(Account.self)
    case .objects: try bench.run([Account].self)
    case .repositories: try bench.run([Repository].self)
    case .doubles: try bench.run([Double].self)
    case .items: try bench.run([Item].self)
    case .tiny, .mismatch, .cutOff: try bench.run(Item.self)
    }
  }

  private func run<Value: Codable & Equatable>(_ type: Value.Type) throws {
    let workload = options.workload
    let document = Data(workload.document.utf8)
    switch (options.direction, options.engine) {
    case (.decode, .both): try compareDecoding(type, document)
    case (.encode, .both): try compareEncoding(type, document)
    // Without rounds no coder is made either: the first decoding of a process needs one.
    case (_, _) where options.rounds == 0 && options.direction == .decode: break
    case (.decode, .foundation): decode(type, document, workload.foundationDecoder())
    case (.decode, .errand): decode(type, document, workload.errandCoding())
    case (.encode, .foundation): try encode(type, document, workload.foundationEncoder())
    case (.encode, .errand): try encode(type, document, workload.errandCoding())
    }
  }

  private func decode<Value: Decodable>(_ type: Value.Type, _ document: Data, _ decoder: some Decoding) {
    for _ in 0..<options.rounds {
      let value = try? decoder.decode(type, from: document)
      if (value == nil) != options.workload.fails { end("not what is expected of this case") }
    }
  }

  /// The value is decoded by Foundation for both, so that it is the same.
  private func encode<Value: Codable>(_ type: Value.Type, _ document: Data, _ encoder: some Encoding) throws {
    let value = try options.workload.foundationDecoder().decode(type, from: document)
    for _ in 0..<options.rounds {
      if try encoder.encode(value).isEmpty { end("nothing was written") }
    }
  }

  private func compareDecoding<Value: Decodable & Equatable>(_ type: Value.Type, _ document: Data) throws {
    let theirs = Result { try options.workload.foundationDecoder().decode(type, from: document) }
    let ours = Result { try options.workload.errandCoding().decode(type, from: document) }
    switch (theirs, ours) {
    case (.success(let theirs), .success(let ours)) where theirs == ours && !options.workload.fails:
      print("equal values, \(document.count) bytes")
    case (.failure(let theirs), .failure(let ours))
    where kind(theirs) == kind(ours) && options.workload.fails:
      print("equal errors, \(document.count) bytes: \(kind(ours))")
    default: end("Foundation: \(theirs)\nErrand: \(ours)")
    }
  }

  /// Which error, and where.
  private func kind(_ error: any Error) -> String {
    switch error {
    case DecodingError.typeMismatch(let type, let context):
      "no \(type) at \(context.codingPath.map(\.stringValue))"
    case DecodingError.dataCorrupted(let context):
      "corrupted at \(context.codingPath.map(\.stringValue))"
    default: "\(error)"
    }
  }

  /// Bytes with sorted keys; without, Foundation's are in any order, so that what they say is compared.
  private func compareEncoding<Value: Codable & Equatable>(_ type: Value.Type, _ document: Data) throws {
    let decoder = options.workload.foundationDecoder()
    let value = try decoder.decode(type, from: document)
    let encoder = options.workload.foundationEncoder()
    var coding = options.workload.errandCoding()
    guard try decoder.decode(type, from: coding.encode(value)) == value else {
      end("another value was written")
    }
    encoder.outputFormatting.insert(.sortedKeys)
    coding.outputFormatting.insert(.sortedKeys)
    let bytes = try coding.encode(value)
    guard try encoder.encode(value) == bytes else { end("other bytes were written") }
    print("equal bytes with sorted keys, \(bytes.count) of them")
  }
}
