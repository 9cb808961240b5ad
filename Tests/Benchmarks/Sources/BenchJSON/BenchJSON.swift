import BenchJSONModels
import ErrandJSON
import Foundation

/// Decodes or encodes a case as often as the options say, for a tool that counts instructions.
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
    // With 0 rounds, no decoder is created either, because the first decoder of a process has a cost of its
    // own.
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

  /// Foundation decodes the value for both engines, so both encode an equal value.
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

  /// The kind of the error, with the coding path.
  private func kind(_ error: any Error) -> String {
    switch error {
    case DecodingError.typeMismatch(let type, let context):
      "no \(type) at \(context.codingPath.map(\.stringValue))"
    case DecodingError.dataCorrupted(let context):
      "corrupted at \(context.codingPath.map(\.stringValue))"
    default: "\(error)"
    }
  }

  /// Compares the bytes with sorted keys.
  ///
  /// Without sorted keys, the order of Foundation's members is random, so decoded values are compared.
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
