/// Collects the secrets in a request, and in values of any kind.
///
/// Only values are looked into, never objects: what those have may change meanwhile.
package struct SecretFinder {
  private static let depthLimit = 8

  private var found: Set<Secret> = []
  /// How many more values are looked at, so that a large request costs little.
  private var budget = 2_000

  /// The secrets that a request names, has in its parameters, query and JSON body, or stores.
  package static func secrets(of request: some Request) -> [Secret] {
    var finder = SecretFinder()
    finder.found.formUnion(request.secrets)
    finder.find(in: request.parameters, level: 1)
    finder.find(in: request.query, level: 1)
    finder.find(in: request.body, depth: 0)
    finder.find(in: (request as? any RequestWrapper)?.wrapped ?? request, depth: 0)
    return Array(finder.found)
  }

  /// The secrets that values store.
  static func secrets(in values: [Any]) -> [Secret] {
    var finder = SecretFinder()
    for value in values { finder.find(in: value, depth: 0) }
    return Array(finder.found)
  }

  private mutating func find(in value: Any, depth: Int) {
    budget -= 1
    guard budget > 0, depth < Self.depthLimit else { return }
    switch value {
    case let secret as Secret: found.insert(secret)
    case let parameters as Parameters: find(in: parameters, level: 1)
    case let body as RequestBody:
      if case .json(let value) = body.storage { find(in: value, depth: depth + 1) }
      for value in body.provider?.secretive ?? [] { find(in: value, depth: depth + 1) }
    // They have no parts besides those above, and to mirror one asks for its secrets again.
    case is any RequestOfParts, is HTTPRequest, is HTTPResponse: break
    default:
      let mirror = Mirror(reflecting: value)
      guard mirror.displayStyle != .class else { return }
      for child in mirror.children where budget > 0 { find(in: child.value, depth: depth + 1) }
    }
  }

  private mutating func find(in parameters: Parameters, level: Int) {
    for entry in parameters.entries { find(in: entry.value, level: level) }
  }

  /// Goes as deep as parameters may be nested: what is deeper is never sent, and would take the stack.
  private mutating func find(in node: Parameters.Node, level: Int) {
    guard level <= ParameterLimits.depth else { return }
    switch node {
    case .secret(let secret): found.insert(secret)
    case .list(let elements): for element in elements { find(in: element, level: level + 1) }
    case .object(let object): find(in: object, level: level + 1)
    case .file(let file): find(in: file.body, depth: 0)
    case .string, .integer, .double, .decimal, .bool, .date, .data, .null: break
    }
  }
}

/// A request that is nothing but its requirements.
protocol RequestOfParts: Request {}

extension OneOffRequest: RequestOfParts {}

extension Redaction {
  /// The same, also hiding each ``Secret`` that is found in a request, what a wrapper hides by name, and what its own authenticator hides.
  func hidingSecrets(of request: some Request) -> Redaction {
    guard !hidesNothing else { return self }
    var redaction = hiding(secrets: SecretFinder.secrets(of: request))
    if let names = (request as? any RequestWrapper)?.hiddenHeaders, !names.isEmpty {
      redaction = redaction.hiding(headers: names)
    }
    guard case .own(let authenticator) = request.authentication.storage else { return redaction }
    return authenticator.hidingSecrets(in: redaction)
  }
}
