import Foundation

/// What an agent would do with a request; made by ``RequestAgent/explain(_:)``.
///
/// Printed, it reads like this, secrets hidden by the agent's ``Redaction``:
///
/// ```
/// GET https://api.example.com/users/7
///   Authorization: Bearer <redacted>  (hook SignIn)
///   Accept: application/json          (default)
///   User-Agent: Errand/1.0            (agent)
/// body: none
/// base: https://api.example.com       (agent)
/// timeout: 5 s                        (call)
/// deadline: none                      (default)
/// retry: at most 2 more               (request)
/// redirects: at most 10               (default)
/// limits: the standard ones           (default)
/// mock: never                         (default)
/// authentication: none                (default)
/// curl 'https://api.example.com/users/7' \
///   --header 'Authorization: Bearer <redacted>' \
/// …
/// ```
///
/// A line such as "not used: `headers` is Dictionary<String, String>; `Request.headers` is HTTPHeaders" stands at the end for
/// each of the ``unusedProperties``.
public struct RequestExplanation: Sendable {
  /// Who set something.
  public enum Source: Sendable, Hashable {
    /// Neither: it is Errand's default.
    case standard
    /// The agent, by its configuration or its base.
    case agent
    /// The type of the request or a protocol it refines: Swift does not tell which.
    case request
    /// The call, by ``Request/with(_:_:)``.
    case call
    /// A hook that ran last on it, by the name of its type; the request's own is `filterRequest`.
    case hook(String)
    /// The authenticator, by the name of its type.
    case authenticator(String)
    /// The ``CookieStore``.
    case cookieStore
  }

  /// One thing that rules the dispatch.
  public struct Setting: Sendable, Hashable {
    /// What it is: `base`, `timeout`, `deadline`, `retry`, `redirects`, `limits`, `mock` or `authentication`; `path`
    /// where its dot segments lead out of the base; and `cookies`, `networks`, `priority`, `serial` and `coalescing` where they are not the default; and
    /// `file`, where the answer becomes one, with the bytes that are there of a download that broke off; and `withheld`, where credentials were
    /// left out, see ``AgentConfiguration/trustedOrigins``.
    public let name: String
    /// Its value in words; secrets hidden.
    public let value: String
    /// Who set it.
    public let source: Source
  }

  /// The request as it would be sent first, after every hook and the authenticator.
  ///
  /// A transport adds what frames the message: `Host`, and the length of the body.
  public let request: HTTPRequest
  /// Who set each header field, in the order of the fields of ``request``.
  public let headerSources: [Source]
  /// What rules the dispatch.
  public let settings: [Setting]
  /// What the request stores under a name that is a member's, or nearly, and that is not used; empty for most.
  ///
  /// Each in words, such as "`headers` is Dictionary<String, String>; `Request.headers` is HTTPHeaders". See
  /// ``Request/domainProperties``.
  public let unusedProperties: [String]

  let redaction: Redaction

  /// The command line of the `curl` tool for the same request; see ``HTTPRequest/curlCommand(redaction:)``.
  ///
  /// Secrets are hidden by the agent's ``Redaction``; `request.curlCommand(redaction: .none)` has them.
  public var curlCommand: String { request.curlCommand(redaction: redaction) }
}

extension RequestExplanation: PrintedByDescription {
  /// The request, who set what, the command line of `curl`, and what is not used; secrets hidden.
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

  /// The lines with their sources in one column, which a long line does not move.
  private static func annotated(_ lines: [String], with sources: [Source]) -> [String] {
    let width = lines.map(\.count).filter { $0 <= 60 }.max() ?? 0
    return zip(lines, sources).map { line, source in
      line + String(repeating: " ", count: max(0, width - line.count)) + "  (\(source))"
    }
  }
}

extension RequestExplanation.Source: CustomStringConvertible {
  /// `default`, `agent`, `request`, `call`, or `hook` or `authenticator` and its name.
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
