import Foundation

/// Drops what a server puts before a body so that no script can read it, and hands the rest on; made by `droppingXSSIPrefix()`.
public struct UnprefixedResponse<Base: ResponseSerializer>: ResponseSerializer {
  private let base: Base

  fileprivate init(_ base: Base) { self.base = base }

  /// That of the serializer behind it.
  public var accept: String? { base.accept }

  /// Makes the value of the body without its prefix; throws what the serializer behind it throws.
  public func serialize(_ response: HTTPResponse, context: RequestContext) async throws -> Base.Value {
    var rest = response
    rest.body = XSSIPrefix.dropped(from: response.body)
    return try await base.serialize(rest, context: context)
  }
}

extension ResponseSerializer {
  /// The same behind a prefix against cross-site script inclusion: `)]}'`, `while(1);` or `for(;;);`.
  ///
  /// ```swift
  /// var responseSerializer: any ResponseSerializer<User> { .json().droppingXSSIPrefix() }
  /// ```
  ///
  /// It also drops a comma that follows `)]}'`, the blanks within and behind a prefix, and a UTF-8 byte order mark before it. A body without a
  /// prefix stays as it is. Positions in errors are counted from where the rest begins. Validators judge the body as it came, so that
  /// `.json(shape)` does not accept it.
  public func droppingXSSIPrefix() -> UnprefixedResponse<Self> { UnprefixedResponse(self) }
}

/// The prefixes, which are no JSON, nor any other text that is meant.
enum XSSIPrefix {
  /// In tokens, between which blanks may stand.
  private static let all: [[String]] = [
    [")]}'"], ["while", "(", "1", ")", ";"], ["for", "(", ";", ";", ")", ";"],
  ]
  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  static func isIn(_ body: Data) -> Bool { dropped(from: body).count < body.count }

  static func dropped(from body: Data) -> Data {
    let text = body.starts(with: mark) ? body.dropFirst(mark.count) : body
    for tokens in all {
      guard var rest = text.dropping(tokens) else { continue }
      if tokens.count == 1, rest.first == UInt8(ascii: ",") { rest = rest.dropFirst() }
      return Data(rest.drop(while: ASCII.isWhitespace))
    }
    return body
  }
}

extension Data {
  /// What is behind the tokens; `nil` where it does not begin with them.
  fileprivate func dropping(_ tokens: [String]) -> Data? {
    var rest = self
    for token in tokens {
      rest = rest.drop(while: ASCII.isWhitespace)
      guard rest.starts(with: token.utf8) else { return nil }
      rest = rest.dropFirst(token.utf8.count)
    }
    return rest
  }
}
