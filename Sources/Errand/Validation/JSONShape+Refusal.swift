import ErrandJSON
import Foundation

extension JSONShape {
  func validate(_ body: Data) throws {
    if body.allSatisfy(ASCII.isWhitespace) { throw Self.refusal("the body is empty") }
    let value: JSONValue
    do {
      value = try JSONTree.parse(body)
    } catch {
      throw Self.refusal("the body is not JSON: \(error)")
    }
    if let mismatch = mismatch(in: value) { throw Self.refusal(mismatch.description) }
  }

  private static func refusal(_ message: String) -> Refusal { Refusal(message, kind: .jsonShape) }
}
