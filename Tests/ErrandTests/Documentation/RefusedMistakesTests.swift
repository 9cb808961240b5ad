#if os(Linux)
import Testing

/// The mistakes of a newcomer that need no word of Errand's; the others are in the consumer's tests.
@Suite("The mistakes of a newcomer that the compiler refuses")
struct RefusedMistakesTests {
  static let refused = [
    (
      "struct A: Request { typealias Response = String; let parameters: [String: Any] }",
      "stored property 'parameters' of 'Sendable'-conforming struct 'A' contains non-Sendable type 'Any'"
    ),
    (
      "struct A: PaginatedRequest { typealias Response = [String]; let pagination = 3 }",
      "type 'A' does not conform to protocol 'PaginatedRequest'"
    ),
    ("struct A: Request { let path = \"users\" }", "type 'A' does not conform to protocol 'Request'"),
    (
      "class A: Request { typealias Response = String }",
      "non-final class 'A' cannot conform to the 'Sendable' protocol"
    ),
    (
      "struct A: Request { typealias Response = String; var headers: HTTPHeaders { [\"X-Count\": 1] } }",
      "cannot convert value of type 'Int' to expected dictionary value type 'String'"
    ),
  ]

  @Test("Each stands in the way with a message of its own", arguments: refused.indices)
  func refuses(_ index: Int) async throws {
    let (source, message) = Self.refused[index]
    let (status, output) = try await Compiler.typecheck("import Errand\n\(source)\n")
    #expect(status != 0)
    #expect(output.contains("error: \(message)"), "\(output)")
  }
}
#endif
