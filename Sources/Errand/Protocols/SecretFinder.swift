/// Finds the secrets in requests, hooks and parameters.
///
/// Most class instances are skipped, because their stored properties may change during the search.
package struct SecretFinder {
  private static let depthLimit = 8

  private var found: Set<Secret> = []
  private var budget = 2_000

  package static func secrets(of request: some Request) -> [Secret] {
    var finder = SecretFinder()
    finder.find(inPartsOf: request, depth: 0)
    if let wrapped = (request as? any RequestWrapper)?.wrapped {
      finder.found.formUnion(secrets(of: wrapped))
    } else if !(request is any RequestOfParts) {
      finder.find(in: request, depth: 0)
    }
    return Array(finder.found)
  }

  static func secrets(in values: [Any], and parameters: Parameters = [:]) -> [Secret] {
    var finder = SecretFinder()
    finder.find(in: parameters)
    for value in values { finder.find(in: value, depth: 0) }
    return Array(finder.found)
  }

  private mutating func find(inPartsOf request: some Request, depth: Int) {
    found.formUnion(request.secrets)
    find(in: request.parameters)
    find(in: request.query)
    find(in: request.body, depth: depth)
    if let custom = request.customRequest { find(in: custom.body, depth: depth) }
  }

  private mutating func find(in value: Any, depth: Int) {
    budget -= 1
    guard budget > 0, depth < Self.depthLimit else { return }
    switch value {
    case let secret as Secret: found.insert(secret)
    case let parameters as Parameters: find(in: parameters)
    case let body as RequestBody:
      if case .json(let value) = body.storage { find(in: value, depth: depth + 1) }
      for value in body.provider?.secretive ?? [] { find(in: value, depth: depth + 1) }
    // To hide secrets, a mirror of a type below starts this search. So reading such a mirror here would
    // recurse endlessly.
    case let request as any RequestOfParts: find(inPartsOf: request, depth: depth + 1)
    case let request as any RequestWrapper:
      find(inPartsOf: request, depth: depth + 1)
      find(in: request.wrapped, depth: depth + 1)
    case let request as HTTPRequest: find(in: request.body, depth: depth + 1)
    case is HTTPResponse: break
    default:
      let mirror = Mirror(reflecting: value)
      guard mirror.displayStyle != .class else { return }
      for child in mirror.children where budget > 0 { find(in: child.value, depth: depth + 1) }
    }
  }

  private mutating func find(in parameters: Parameters) {
    var bodies: [RequestBody] = []
    _ = ParameterLevels.containsScalar(in: parameters) { node in
      if case .secret(let secret) = node { found.insert(secret) }
      if case .file(let file) = node { bodies.append(file.body) }
      return false
    }
    for body in bodies { find(in: body, depth: 0) }
  }
}

/// A request whose stored properties are members of ``Request``.
protocol RequestOfParts: Request {}

extension OneOffRequest: RequestOfParts {}

extension Redaction {
  func hidingSecrets(of request: some Request) -> Redaction {
    guard !hidesNothing else { return self }
    var redaction = hiding(secrets: SecretFinder.secrets(of: request))
    if let wrapper = request as? any RequestWrapper {
      let names = wrapper.hiddenHeaders
      if !names.isEmpty { redaction = redaction.hiding(headers: names) }
      redaction = redaction.hidingSecrets(of: wrapper.wrapped)
    }
    guard case .own(let authenticator) = request.authentication.storage else { return redaction }
    return authenticator.hidingSecrets(in: redaction)
  }
}
