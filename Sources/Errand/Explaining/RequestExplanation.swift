import Foundation

/// An explanation of a request by an agent, from ``RequestAgent/explain(_:)``.
///
/// The description looks as follows, after redaction:
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
/// A line for each of the ``unusedProperties`` follows.
public struct RequestExplanation: Sendable {
  /// The source of a header or a setting.
  public enum Source: Sendable, Hashable {
    /// The default of Errand.
    case standard
    /// The agent, by its configuration or its base URL.
    case agent
    /// The request.
    case request
    /// An override by ``Request/with(_:_:)``.
    case call
    /// The last hook that changed the header, by the name of its type; `filterRequest` for the request's own
    /// hook.
    case hook(String)
    /// The authenticator, by the name of its type.
    case authenticator(String)
    /// The ``CookieStore``.
    case cookieStore
  }

  /// A setting of the dispatch.
  public struct Setting: Sendable, Hashable {
    /// The name of the setting.
    ///
    /// Always present: `base` or `CDN base`, `timeout`, `deadline`, `retry`, `redirects`, `limits`, `mock`
    /// and `authentication`. Usually present if different from the default: `cookies`, `networks`,
    /// `priority`, `serial` and `coalescing`. Further names:
    ///
    /// - `path`: the dot segments of the path lead out of the base URL.
    /// - `file`: the destination of a download, and the number of bytes already downloaded.
    /// - `withheld`: the headers and the authenticator withheld from an untrusted origin; see
    ///   ``AgentConfiguration/trustedOrigins``.
    /// - `cache` and `cached answer`: the cache policy, and the decision of the cache.
    public let name: String
    /// The value in words.
    public let value: String
    /// The source of the value.
    public let source: Source
  }

  /// The first request that a dispatch would send.
  ///
  /// A transport adds further headers, such as `Host` and the length of the body. A cache may add conditions.
  public let request: HTTPRequest
  /// The source of each header field, in the order of the fields of ``request``.
  public let headerSources: [Source]
  /// The settings of the dispatch.
  public let settings: [Setting]
  /// Descriptions of stored properties that resemble a member of ``Request`` but are not used.
  ///
  /// An example is "`headers` is Dictionary<String, String>; `Request.headers` is HTTPHeaders". See
  /// ``Request/domainProperties``.
  public let unusedProperties: [String]

  let redaction: Redaction

  /// The redacted command line of the `curl` tool for the request.
  ///
  /// See ``HTTPRequest/curlCommand(redaction:)``.
  public var curlCommand: String { request.curlCommand(redaction: redaction) }
}

extension RequestExplanation: PrintedByDescription {
  /// The request, the settings with sources, the `curl` command, and the unused properties.
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

  /// Aligns the sources in a column; lines of more than 60 characters may pass the column.
  private static func annotated(_ lines: [String], with sources: [Source]) -> [String] {
    let width = lines.map(\.count).filter { $0 <= 60 }.max() ?? 0
    return zip(lines, sources).map { line, source in
      line + String(repeating: " ", count: max(0, width - line.count)) + "  (\(source))"
    }
  }
}

extension RequestExplanation.Source: CustomStringConvertible {
  /// A text such as `default`, `agent`, or `hook` with a name.
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
