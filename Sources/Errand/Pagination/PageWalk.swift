import Foundation

struct PageWalk<R: Request>: Sendable {
  let agent: RequestAgent
  let request: R
  let pagination: Pagination<R.Response>
  private var position = PagePosition()
  /// The next page, or the error for the next call; `nil`: no page follows.
  private var upcoming: Result<NextPage, RequestError>?
  /// The pages and URLs fetched so far, to detect a loop.
  private var visited: Set<NextPage> = []
  /// The origin of the first request; another origin requires ``Pagination/following(_:)``.
  private var origin: Origin?
  /// The base URL of the first page, if the agent has several base URLs.
  ///
  /// Later pages use the same base URL, because a cursor may be valid only there.
  private var base: URL?

  init(_ agent: RequestAgent, request: R, pagination: Pagination<R.Response>) {
    self.agent = agent
    self.request = request
    self.pagination = pagination
    upcoming = .success(.query(pagination.first))
  }

  mutating func next() async throws -> R.Response? {
    guard let upcoming, position.index < pagination.limit ?? .max else { return nil }
    self.upcoming = nil
    let page = try upcoming.get()
    var sent = page.request(request)
    if let base { sent = sent.with(\.baseURL, base) }
    let received = try await agent.response(for: sent)
    visit(page, after: received)
    do {
      self.upcoming = try following(received).map { .success($0) }
    } catch {
      self.upcoming = .failure(self.error(error, after: received))
    }
    position.index += 1
    return received.value
  }

  private mutating func visit(_ page: NextPage, after received: Received<R.Response>) {
    visited.insert(page)
    guard case .url = page else {
      if position.index == 0 {
        origin = received.requestURL.flatMap(Origin.init)
        if request.baseURL == nil { base = agent.configuration.baseSelector?.base(of: received.requestURL) }
        for url in [received.requestURL, received.responseURL] { visit(url) }
      }
      return
    }
    visit(received.responseURL)
  }

  private mutating func visit(_ url: URL?) {
    if let url { visited.insert(.url(url.absoluteString)) }
  }

  private mutating func following(_ received: Received<R.Response>) throws -> NextPage? {
    guard var next = try pagination.next(received, &position) else { return nil }
    if request.customRequest != nil {
      throw refusal("a customRequest has no second page, because Errand sends a customRequest unchanged")
    }
    if case .url(let text) = next { next = .url(try target(text, after: received).absoluteString) }
    if visited.contains(next) {
      throw refusal("the pages form a loop: \(shown(next)) was already fetched")
    }
    return next
  }

  private func target(_ text: String, after received: Received<R.Response>) throws -> URL {
    let base = received.responseURL.flatMap { URLParts(absolute: $0.absoluteString) }
    guard let url = try? base?.resolve(text) else {
      throw refusal("the URL of the next page, \(URLParts.shown(text)), cannot be read")
    }
    if let origin, origin == Origin(url) { return url }
    guard pagination.allows(url) else {
      throw refusal(
        "the next page, \(shown(.url(url.absoluteString))), has another origin than the first page")
    }
    return url
  }

  private func shown(_ page: NextPage) -> String {
    let redaction = agent.tools.redaction
    switch page {
    case .url(let url): return URL(string: url).map(redaction.url) ?? URLParts.shown(url)
    case .query(let changes): return "the page with the same \(changes.keys.joined(separator: ", "))"
    }
  }

  private func refusal(_ message: String) -> Refusal { Refusal(message, kind: .pagination) }

  private func error(_ thrown: any Error, after received: Received<R.Response>) -> RequestError {
    let reason = (thrown as? Refusal)?.message ?? "the pagination threw \(String(describing: thrown))"
    var error = RequestError(
      .pagination, reason, stage: .build, request: received.report.request,
      response: received.response.shortened,
      attempts: received.report.attempts.count, elapsed: received.report.elapsed, cause: thrown,
      redaction: agent.tools.redaction)
    // The error may quote secrets of the page, which the `link` of the page's request hides.
    error.link = received.report.request?.link ?? error.link
    return error
  }
}

extension Received {
  var requestURL: URL? { report.attempts.last?.redirects.first?.from ?? report.request?.url }

  var responseURL: URL? {
    (response.url ?? report.request?.url).flatMap {
      URL(string: String(URLParts.withoutFragment($0.absoluteString)))
    }
  }
}
