import Foundation

/// A requirement of ``Request`` that is a property, and how it is misspelt.
struct RequestMember: Sendable {
  /// What newcomers take for the type of a member.
  enum Lookalike: Sendable {
    case text, number, url, bytes, dictionary, queryItems, validator, accessory, authenticator
  }

  /// As ``Request`` spells it.
  let name: String
  /// Its type, as ``Request`` spells it.
  let type: String
  /// What others call it, in small letters.
  private let aliases: Set<String>
  private let isWitness: @Sendable (Any, any Request) -> Bool
  private let looksAlike: @Sendable (Any.Type) -> Bool
  /// Whether a request leaves the member alone; `nil` when only its very name counts.
  private let isUnset: (@Sendable (any Request) -> Bool)?

  /// Describes a member that is found by its name only, as others like it are ordinary names.
  init<Value>(_ name: String, _ type: String, _: @Sendable (any Request) -> Value) {
    (self.name, self.type, aliases, isUnset) = (name, type, [], nil)
    isWitness = { value, _ in Swift.type(of: value) == Value.self }
    looksAlike = { _ in false }
  }

  /// Describes a member.
  ///
  /// - Parameters:
  ///   - name: as ``Request`` spells it.
  ///   - type: its type, as ``Request`` spells it.
  ///   - member: reads it.
  ///   - aliases: other names for it, in small letters; those a few letters away count anyway.
  ///   - lookalikes: the types that a property of such a name must have to be meant as the member, besides its own.
  ///   - isUnset: whether a request leaves it alone: where it has a value, the property may have gone into it.
  init<Value>(
    _ name: String, _ type: String, _ member: @escaping @Sendable (any Request) -> Value,
    aliases: Set<String> = [], lookalikes: [Lookalike] = [],
    isUnset: @escaping @Sendable (Value, any Request) -> Bool
  ) {
    (self.name, self.type, self.aliases) = (name, type, aliases)
    isWitness = { value, _ in Swift.type(of: value) == Value.self }
    looksAlike = { type in type == Self.unwrapped(Value.self) || lookalikes.contains { $0.includes(type) } }
    self.isUnset = { isUnset(member($0), $0) }
  }

  /// Describes ``Request/responseSerializer``, of which a mirror shows what it holds, and not how it is declared.
  private init(serializer name: String) {
    (self.name, aliases) = (name, [])
    type = "any ResponseSerializer<Response>"
    isWitness = { Self.isSerializer($0, of: $1) }
    looksAlike = { $0 is any ResponseSerializer.Type }
    isUnset = { _ in true }
  }

  static let responseSerializer = RequestMember(serializer: "responseSerializer")

  private static func isSerializer<R: Request>(_ value: Any, of request: R) -> Bool {
    value is any ResponseSerializer<R.Response>
  }

  /// What is wrong with a stored property; `nil` when it is a witness, or is no member's business.
  static func clause(about label: String, _ value: Any, in request: any Request) -> String? {
    if let member = all.first(where: { $0.name == label }) {
      guard !member.isWitness(value, request) else { return nil }
      return "`\(label)` is \(Swift.type(of: value)); `Request.\(label)` is \(member.type)"
    }
    let type = unwrapped(Swift.type(of: value))
    let meant = all.first { $0.isNear(label) && $0.looksAlike(type) && $0.isUnset?(request) == true }
    return meant.map { "`\(label)` is no member of `Request`; `Request.\($0.name)` is \($0.type)" }
  }

  /// Whether a name is one for the member, or so few letters away from its name that no word is meant.
  private func isNear(_ label: String) -> Bool {
    guard isUnset != nil else { return false }
    let (label, name) = (Self.plain(label), Self.plain(name))
    if label == name || aliases.contains(label) { return true }
    let bound = name.count < 6 ? 0 : name.count < 10 ? 1 : 2
    return EditDistance.between(label, name) <= bound
  }

  private static func plain(_ name: String) -> String { name.lowercased().filter { $0 != "_" } }

  private static func unwrapped(_ type: Any.Type) -> Any.Type {
    (type as? any OptionalType.Type)?.wrapped ?? type
  }
}

extension RequestMember.Lookalike {
  fileprivate func includes(_ type: Any.Type) -> Bool {
    switch self {
    case .text: type == String.self
    case .number: type is any Numeric.Type
    case .url: type == URL.self
    case .bytes: type == Data.self
    case .dictionary: type is any StringKeyed.Type
    case .queryItems: type == [URLQueryItem].self
    case .validator: type is any ResponseValidator.Type
    case .accessory: type is any Accessory.Type
    case .authenticator: type is any Authenticator.Type
    }
  }
}

private protocol OptionalType { static var wrapped: Any.Type { get } }
extension Optional: OptionalType { fileprivate static var wrapped: Any.Type { Wrapped.self } }

private protocol StringKeyed {}
extension Dictionary: StringKeyed where Key == String {}
