#if os(Linux)
import Foundation

extension TroubleshootingRow {
  /// From one slow run of the compiler.
  private static func compiled(_ message: String) -> TroubleshootingRow {
    TroubleshootingRow(message: message, isExact: false) { try await mistakes.value }
  }

  private static let mistakes = Task {
    try await Compiler.typecheck(
      """
      import Errand
      func noResponse() {
        struct GetUser: Request { let path = "users/7" }
      }
      func notSendable() {
        class Session {}
        struct GetUser: Request { typealias Response = Session }
      }
      func classInside() {
        class Log {}
        struct GetUser: Request { typealias Response = String; let log: Log }
      }
      final class Counter: Accessory { var count = 0 }
      struct GetUser { var id: Int }
      extension GetUser: Request {
        typealias Response = String
        var retryPolicy: Int { 3 }
      }
      func nearType() {
        struct GetUser: Request { typealias Response = String; let timeout = 5.0 }
      }
      protocol Cacheable { var timeout: Int { get } }
      extension Cacheable { var timeout: Int { 3 } }
      func otherDefault() {
        struct GetUser: Request, Cacheable { typealias Response = String }
      }
      func dictionaries(_ pairs: [String: String]) {
        _ = OneOffRequest.get("users", parameters: pairs)
        _ = OneOffRequest.get("users", headers: pairs)
      }
      struct User: Decodable, Sendable { var id: Int }
      enum Sort: String { case name }
      let sorted: Parameters = ["sort": Sort.name]
      let parameters: Parameters = ["a": ["b": 1, "c": "d"]]
      func quick(_ agent: RequestAgent) async throws {
        print(try await agent.send(.get("items", page: 2, as: String.self)))
        let user: User = try await agent.send(.get("users/7"))
      }
      """
    ).1
  }

  static let compiler = [
    compiled("type 'GetUser' does not conform to protocol 'Request'"),
    compiled("ambiguous inference of associated type 'Response'"),
    compiled("ambiguous inference of associated type 'TimeoutMember': 'Int' vs. 'Duration'"),
    compiled("type 'GetUser.Response' (aka 'Session') does not conform to the 'Sendable' protocol"),
    compiled("stored property 'log' of 'Sendable'-conforming struct 'GetUser' has non-Sendable type 'Log'"),
    compiled("stored property 'count' of 'Sendable'-conforming class 'Counter' is mutable"),
    crossing,
    isolated,
    near,
    compiled(
      "property 'retryPolicy' nearly matches defaulted requirement 'retryPolicy' of protocol 'Request'"),
    compiled("cannot convert value of type 'Sort' to expected dictionary value type '(any ParameterValue)?'"),
    compiled(
      "cannot convert value of type '[String : Any]' to expected dictionary value type '(any ParameterValue)?'"
    ),
    compiled("cannot convert value of type '[String : String]' to expected argument type 'HTTPHeaders'"),
    compiled("cannot convert value of type '[String : String]' to expected argument type 'Parameters'"),
    compiled("extra argument 'page' in call"),
    compiled("cannot convert value of type '()' to specified type 'User'"),
    ambiguous,
  ]

  private static let crossing = TroubleshootingRow(
    message:
      "conformance of 'GetUser' to protocol 'Request' crosses into main actor-isolated code and can cause data races",
    isExact: false
  ) {
    try await Compiler.typecheck(
      """
      import Errand
      protocol AppRequest: Request {}
      extension AppRequest { var timeout: Duration { .seconds(5) } }
      struct GetUser: AppRequest { typealias Response = String }
      """, ["-default-isolation", "MainActor"]
    ).1
  }

  private static let isolated = TroubleshootingRow(
    message:
      "main actor-isolated conformance of 'User' to 'Decodable' cannot satisfy conformance requirement for a 'Sendable' type parameter",
    isExact: false
  ) {
    try await Compiler.typecheck(
      """
      import Errand
      struct User: Decodable { var id: Int }
      func load(_ agent: RequestAgent) async throws { _ = try await agent.send(.get("users/7", as: User.self)) }
      """, ["-default-isolation", "MainActor"]
    ).1
  }

  /// Replaces the compiler's backquotes, because a backquote ends the code voice of a heading.
  private static let near = TroubleshootingRow(
    message:
      "conformance of 'Double' to 'RequestValue' is unavailable: write the type: 'timeout' is Duration, such as .seconds(5)",
    isExact: false
  ) {
    try await mistakes.value.replacing("`", with: "'")
  }

  /// With a second module that declares `Request`.
  private static let ambiguous = TroubleshootingRow(
    message: "'Request' is ambiguous for type lookup in this context", isExact: false
  ) {
    try await Compiler.inTemporaryFolder { folder in
      let file = folder.appendingPathComponent("Other.swift")
      try "public protocol Request {}\n".write(to: file, atomically: true, encoding: .utf8)
      let module = folder.appendingPathComponent("Other.swiftmodule").path
      let (status, output) = try await Compiler.run(
        "swiftc", ["-emit-module", "-module-name", "Other", file.path, "-o", module])
      guard status == 0 else { return output }
      return try await Compiler.typecheck(
        "import Errand\nimport Other\nstruct GetUser: Request {}\n", ["-I", folder.path]
      ).1
    }
  }
}
#endif
