import Foundation

@testable import Errand

/// The types that samples declare with conformances to protocols whose requirements have defaults.
struct SampleTypes {
  private let text: String

  init(_ blocks: [String]) { text = blocks.joined(separator: "\n") }

  /// The compiler does not warn about near matches in these types.
  var conformingWhereDeclared: [String] {
    text.matches(of: #/\b(?:struct|class|enum|actor) ([\w.]+): ([^{\n]+)\{/#)
      .filter { !Self.names(in: $0.2).isDisjoint(with: protocols) }.map { String($0.1) }
  }

  /// A function for each stored property with the name of a member; compiles if the type matches.
  var witnesses: [String] {
    let requests = Set(
      text.matches(of: #/\bextension ([\w.]+): ([^{\n]+)\{/#)
        .filter { $0.2.contains("Request") && !Self.names(in: $0.2).isDisjoint(with: protocols) }
        .map { String($0.1) })
    let types = Dictionary(RequestMember.all.map { ($0.name, $0.type) }) { first, _ in first }
    return bodies.filter { requests.contains($0.name) }.flatMap { type in
      Self.stored(in: type.body).compactMap { property in
        guard let member = types[property], !isDomain(property, of: type.name) else { return nil }
        let value = member.replacing("<Response>", with: "<\(type.name).Response>")
        return
          "func check(_ it: \(type.name)) { var value = it.\(property); isWitness(&value, (\(value)).self) }"
      }
    }
  }

  /// Errand's protocols with default implementations, and refinements in the samples.
  private var protocols: Set<String> {
    let houses = text.matches(of: #/\bprotocol (\w+): ([^{\n]+)\{/#)
    return houses.reduce(into: Self.withDefaults) { known, house in
      if !Self.names(in: house.2).isDisjoint(with: known) { known.insert(String(house.1)) }
    }
  }

  private static let withDefaults: Set<String> = {
    let text = ["Errand", "ErrandApps", "ErrandLogs", "ErrandOAuth", "ErrandService", "ErrandTelemetry"]
      .flatMap { module in
        let folder = Compiler.root.appendingPathComponent("Sources/\(module)")
        let files = (try? FileManager.default.subpathsOfDirectory(atPath: folder.path)) ?? []
        return files.filter { $0.hasSuffix(".swift") }
          .compactMap { try? String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8) }
      }.joined(separator: "\n")
    let extended = Set(text.matches(of: #/(?m)^extension (\w+)\b/#).map { String($0.1) })
    let all = text.matches(of: #/(?m)^public protocol (\w+)[^:{\n]*(?::([^{\n]*))?\{/#)
    // A protocol such as `PaginatedRequest` inherits the defaults of the refined protocol.
    return all.reduce(into: extended.intersection(all.map { String($0.1) })) { known, it in
      if let refined = it.2, !names(in: refined).isDisjoint(with: known) { known.insert(String(it.1)) }
    }.subtracting(["ParameterValue"])
  }()

  private var bodies: [(name: String, body: Substring)] {
    text.matches(
      of:
        #/(?ms)^(?:@\w+ |final |nonisolated )*(?:struct|class) (\w+)[^{\n]*\{(.*?)^\}|^struct (\w+) \{(.*?)\}$/#
    )
    .map { ($0.1.map(String.init) ?? $0.3.map(String.init) ?? "", $0.2 ?? $0.4 ?? "") }
  }

  private static func stored(in body: Substring) -> [String] {
    body.split(separator: "\n").compactMap { line in
      line.firstMatch(of: #/^ *(?:let|var) (\w+)(?:: [^{=]+)?(?: = .*)?$/#).map { String($0.1) }
    }
  }

  private func isDomain(_ property: String, of type: String) -> Bool {
    text.split(separator: "\n").contains { $0.contains("domainProperties") && $0.contains("\"\(property)\"") }
  }

  private static func names(in list: Substring) -> Set<String> {
    Set(list.split { !$0.isLetter }.map(String.init))
  }
}
