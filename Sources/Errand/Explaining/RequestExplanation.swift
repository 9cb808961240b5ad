import Foundation

/// An explanation of a request by an agent, from ``RequestAgent/explain(_:)``.
///
/// The description:
///
/// ```
/// GET https://api.example.com/users/7
///   Accept: application/json          (default)
///   User-Agent: Example/1.0           (agent)
///   Authorization: Bearer <redacted>  (hook SignIn)
/// body: none
/// base: https://api.example.com  (agent)
/// timeout: 5 s                   (call)
/// deadline: none                 (default)
/// retry: at most 2 more          (request)
/// redirects: at most 10          (default)
/// limits: the standard ones      (default)
/// mock: never                    (default)
/// authentication: none           (default)
/// curl 'https://api.example.com/users/7' \
///   --header 'Accept: application/json' \
///   --header 'User-Agent: Example/1.0' \
///   --header 'Authorization: Bearer <redacted>'
/// ```
///
/// The ``unusedProperties`` follow after the command.
public struct RequestExplanation: Sendable {
  /// The source of a header or a setting.
  public enum Source: Sendable, Hashable {
    /// A default of Errand, or a value that Errand derives, such as the type of the body.
    case standard
    /// The agent.
    case agent
    /// The request.
    case request
    /// An override by ``Request/with(_:_:)``.
    case call
    /// The last hook to change the header, by the name of its type.
    ///
    /// The name `filterRequest` means the request's own hook.
    case hook(String)
    /// The authenticator, by the name of its type.
    case authenticator(String)
    /// The ``CookieStore``.
    case cookieStore
  }

  /// A setting of the dispatch.
  public struct Setting: Sendable, Hashable {
    /// The name, such as `base`, `timeout`, `withheld` or `cached answer`.
    public let name: String
    /// The value in words.
    public let value: String
    /// The source of the value.
    public let source: Source
  }

  /// The first request, without additions by the transport and the cache.
  public let request: HTTPRequest
  /// The source of each header field of ``request``.
  public let headerSources: [Source]
  /// The settings of the dispatch.
  public let settings: [Setting]
  /// Clauses about stored properties that Errand ignores, although their names resemble protocol members.
  ///
  /// See ``Request/domainProperties``.
  public let unusedProperties: [String]

  let redaction: Redaction

  /// The redacted command line of the `curl` tool; see ``HTTPRequest/curlCommand(redaction:)``.
  public var curlCommand: String { request.curlCommand(redaction: redaction) }
}

extension RequestExplanation: PrintedByDescription {
  /// The request, the settings, the `curl` command, and the unused properties.
  public var description: String {
    let fields = redaction.headers(request.headers).fields.map { "  \($0.name): \($0.value)" }
    let values = settings.map { "\($0.name): \($0.value)" }
    let body = request.body.isEmpty ? RequestBody.none : request.body
    let lines =
      ["\(request.method) \(redaction.url(request.url))"] + Self.annotated(fields, with: headerSources)
      + ["body: \(body)"] + trailers + Self.annotated(values, with: settings.map(\.source)) + [curlCommand]
      + unusedProperties.map { "not used: \($0)" }
    return lines.joined(separator: "\n").printed
  }

  private var trailers: [String] {
    request.trailers.isEmpty ? [] : ["trailers: \(request.trailers.text(by: redaction))"]
  }

  private static func annotated(_ lines: [String], with sources: [Source]) -> [String] {
    let width = lines.map(\.count).filter { $0 <= 60 }.max() ?? 0
    return zip(lines, sources).map { line, source in
      line + String(repeating: " ", count: max(0, width - line.count)) + "  (\(source))"
    }
  }
}

extension RequestExplanation.Source: CustomStringConvertible {
  /// The name of the source.
  public var description: String {
    switch self {
    case .standard: "default"
    case .agent: "agent"
    case .request: "request"
    case .call: "call"
    case .hook(let name): "hook \(name)"
    case .authenticator(let name): "authenticator \(name)"
    case .cookieStore: "cookies"
    }
  }
}
