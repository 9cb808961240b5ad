import Foundation

struct ExplainedSettings<R: Request> {
  typealias Setting = RequestExplanation.Setting
  typealias Source = RequestExplanation.Source

  let request: R
  let agent: RequestAgent

  private var configuration: AgentConfiguration { agent.configuration }

  var all: [Setting] {
    [base] + path + [timeout, deadline, retry, redirects, limits, mock, authentication] + queueing
  }

  private func source<Value>(
    _ member: KeyPath<RequestOverrides, Value?>, isDefault: Bool, otherwise: Source = .standard
  ) -> Source {
    if (request as? any RequestWrapper)?.overrides(member) == true { return .call }
    return isDefault ? otherwise : .request
  }

  private var base: Setting {
    let name = request.usesCDN ? "CDN base" : "base"
    if request.customRequest != nil { return Setting(name: name, value: "custom request", source: .request) }
    if URLJoining.isAbsolute(request.path) {
      return Setting(name: name, value: "none, the path is a URL", source: source(\.path, isDefault: false))
    }
    let (own, agents) = bases
    if own == nil, !request.usesCDN, let selector = configuration.baseSelector, !selector.baseURLs.isEmpty {
      let urls = selector.baseURLs.map { redaction.url(text: $0.absoluteString) }.joined(separator: ", ")
      return Setting(name: "bases", value: urls, source: .agent)
    }
    return Setting(
      name: name, value: redaction.url(text: own ?? agents ?? "none"),
      source: source(
        request.usesCDN ? \.cdnURL : \.baseURL, isDefault: own == nil,
        otherwise: agents == nil ? .standard : .agent))
  }

  private var bases: (own: String?, agents: String?) {
    request.usesCDN
      ? (request.cdnURL?.absoluteString, configuration.cdnURL?.absoluteString)
      : (
        request.baseURL?.absoluteString,
        configuration.baseSelector?.baseURLs.first?.absoluteString ?? agent.building.base
      )
  }

  private var redaction: Redaction { agent.tools.redaction.hidingSecrets(of: request) }

  private var path: [Setting] {
    let (own, agents) = bases
    guard request.customRequest == nil, let base = own ?? agents,
      let place = URLJoining.placeOutside(base: base, path: request.path)
    else { return [] }
    let value = "leaves the base: its dot segments lead to \(redaction.text(place))"
    return [Setting(name: "path", value: value, source: source(\.path, isDefault: false))]
  }

  private var timeout: Setting {
    Setting(
      name: "timeout", value: configuration.timeout(of: request).secondsText,
      source: source(
        \.timeout, isDefault: request.timeout == .unstatedTimeout,
        otherwise: configuration.timeout == .seconds(60) ? .standard : .agent))
  }

  private var deadline: Setting {
    let deadline = configuration.deadline(of: request)
    return Setting(
      name: "deadline",
      value: (deadline.time?.secondsText ?? "none") + (deadline.isInherited ? ", inherited" : ""),
      source: source(
        \.deadline, isDefault: request.deadline == nil,
        otherwise: configuration.deadline == nil ? .standard : .agent))
  }

  private var retry: Setting {
    let own = request.retryPolicy
    let policy = own.completed(by: configuration.retryPolicy)
    return Setting(
      name: "retry", value: policy.summary,
      source: source(
        \.retryPolicy, isDefault: own.isStandard,
        otherwise: configuration.retryPolicy.isOff ? .standard : .agent))
  }

  private var redirects: Setting {
    let own = request.redirectPolicy.limit
    let limit = own ?? configuration.redirectPolicy.limit ?? RedirectPolicy.standardLimit
    return Setting(
      name: "redirects", value: limit == 0 ? "not followed" : "at most \(limit)",
      source: source(
        \.redirectPolicy, isDefault: own == nil,
        otherwise: configuration.redirectPolicy == .follow() ? .standard : .agent))
  }

  private var limits: Setting {
    let limits = request.limits ?? configuration.limits
    return Setting(
      name: "limits", value: limits.summary,
      source: source(
        \.limits, isDefault: request.limits == nil,
        otherwise: configuration.limits == TransferLimits() ? .standard : .agent))
  }

  private var mock: Setting {
    let policy = request.mockPolicy
    var isDefault = false
    if case .never = policy.storage { isDefault = true }
    let isIgnored = !isDefault && !configuration.allowsMocks
    return Setting(
      name: "mock", value: policy.description + (isIgnored ? ", not allowed by the agent" : ""),
      source: source(\.mockPolicy, isDefault: isDefault))
  }

  private var authentication: Setting {
    let authenticator = request.authentication.authenticator(or: configuration.authenticator)
    var isDefault = false
    if case .inherited = request.authentication.storage { isDefault = true }
    return Setting(
      name: "authentication", value: authenticator.map { "\(type(of: $0))" } ?? "none",
      source: source(
        \.authentication, isDefault: isDefault,
        otherwise: configuration.authenticator == nil ? .standard : .agent))
  }

  private var queueing: [Setting] {
    let (priority, isSerial, coalescing) = (request.priority, request.isSerial, request.coalescing)
    let (access, policy) = (request.networkAccess, request.cachePolicy)
    let (own, agents) = (request.cookies, configuration.cookies)
    let kept =
      own.store(inheriting: agents).map { $0 === agents ? "the agent's" : "a store of its own" } ?? "none"
    return [
      (
        !own.isInherited || agents != nil, "cookies", kept,
        source(\.cookies, isDefault: own.isInherited, otherwise: .agent)
      ),
      (
        configuration.cache != nil || !policy.isInherited, "cache",
        "\(policy.completed(by: configuration.cachePolicy))"
          + (configuration.cache == nil ? ", but the agent has no cache" : ""),
        source(
          \.cachePolicy, isDefault: policy.isInherited,
          otherwise: configuration.cachePolicy == .standard ? .standard : .agent)
      ),
      (access != .all, "networks", access.summary, source(\.networkAccess, isDefault: false)),
      (priority != .default, "priority", priority.summary, source(\.priority, isDefault: false)),
      (
        request.limitKey != nil, "limit key", redaction.text(request.limitKey ?? "none"),
        source(\.limitKey, isDefault: false)
      ),
      (
        !agent.tools.responders.isEmpty, "responders",
        redaction.text(agent.tools.responders.map(\.name).joined(separator: ", ")), Source.agent
      ),
      (isSerial, "serial", "one at a time", source(\.isSerial, isDefault: false)),
      (coalescing != .none, "coalescing", "\(coalescing)", source(\.coalescing, isDefault: false)),
    ].filter(\.0).map { Setting(name: $1, value: $2, source: $3) }
  }
}

extension RequestPriority {
  fileprivate var summary: String {
    let names: [(RequestPriority, String)] = [(.low, "low"), (.high, "high"), (.exempt, "exempt")]
    return names.first { $0.0 == self }?.1 ?? "\(value)"
  }
}

extension RetryPolicy {
  fileprivate var summary: String {
    guard !isOff else { return "none" }
    let count = limit.map { "at most \($0) more" } ?? "without a limit"
    return count + (timeLimit.map { " within \($0.secondsText)" } ?? "")
      + (networkPath == nil ? "" : ", waits end when the network is back")
  }
}

struct HeaderSources {
  typealias Source = RequestExplanation.Source

  private var fields: [HTTPHeaders.Field] = []
  private(set) var sources: [Source] = []

  init() {}

  init(_ headers: HTTPHeaders, own: HTTPHeaders, overriding: HTTPHeaders, agent: HTTPHeaders) {
    fields = headers.fields
    sources = fields.map { field in
      if overriding.contains(field.name) { return .call }
      if own.contains(field.name) { return .request }
      return agent.contains(field.name) ? .agent : .standard
    }
  }

  mutating func note(_ headers: HTTPHeaders, by hook: String) { note(headers, by: .hook(hook)) }

  mutating func note(_ headers: HTTPHeaders, by source: Source) {
    var known = zip(fields, sources).map { ($0, $1) }
    sources = headers.fields.map { field in
      guard let index = known.firstIndex(where: { $0.0.isSame(as: field) }) else { return source }
      return known.remove(at: index).1
    }
    fields = headers.fields
  }

  /// Notes the completed headers; new or changed fields count as defaults.
  mutating func finish(_ headers: HTTPHeaders) {
    note(headers, by: "")
    sources = sources.map { $0 == .hook("") ? .standard : $0 }
  }
}

extension HTTPHeaders.Field {
  func isSame(as other: HTTPHeaders.Field) -> Bool {
    HTTPHeaders.same(name, other.name) && value == other.value
  }
}
