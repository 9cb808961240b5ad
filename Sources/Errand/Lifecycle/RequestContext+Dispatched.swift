import Foundation

extension RequestContext {
  /// What stays the same over the attempts; one allocation a dispatch.
  final class Dispatched: Sendable {
    let id: UInt64
    let request: any Request
    let tag: Int
    let userInfo: [String: any Sendable]
    let comment: String?
    let tools: Tools

    // Guard of the four: the lock of `tools`, one for all dispatches of the agent, as one of its own is an allocation.
    /// The last request that was sent.
    nonisolated(unsafe) private var last: HTTPRequest?
    /// Those before it: of earlier attempts, and redirected ones.
    nonisolated(unsafe) private var earlier: [HTTPRequest] = []
    /// How many were sent.
    nonisolated(unsafe) private var count = 0
    /// The redaction, once somebody has asked since the last request.
    nonisolated(unsafe) private var known: Redaction?

    init(id: UInt64, request: some Request, tools: Tools) {
      self.id = id
      self.request = request
      tag = request.tag
      userInfo = request.userInfo
      comment = request.comment
      self.tools = tools
    }
  }
}

extension RequestContext.Dispatched {
  private static let earlierLimit = 32

  /// Remembers a request for the credentials in it, without its link, which leads back here, and without a body that is not in
  /// memory, which may hold anything.
  func note(_ request: HTTPRequest) {
    var request = request
    request.link = DispatchLink()
    if request.body.data == nil { request.body = .none }
    // Released after the lock: the bytes of a body may run code of their owner's then.
    _ = tools.lock.withLock { _ -> HTTPRequest? in
      let forgotten = earlier.count == Self.earlierLimit ? earlier.removeFirst() : nil
      if let last { earlier.append(last) }
      last = request
      count += 1
      known = nil
      return forgotten
    }
  }

  /// The agent's, hiding the secrets of the request too, and what was sent under the names of secrets.
  ///
  /// Made when it is asked for: printing is slow anyway, and most dispatches print nothing.
  var redaction: Redaction {
    guard !tools.redaction.hidesNothing else { return tools.redaction }
    let (known, count, requests) = tools.lock.withLock { _ -> (Redaction?, Int, [HTTPRequest]) in
      (self.known, self.count, last.map { earlier + [$0] } ?? [])
    }
    if let known { return known }
    var values: Set<HiddenValue> = []
    for request in requests { values.formUnion(CredentialFinder.values(in: request, by: tools.redaction)) }
    let redaction = tools.redaction.hidingSecrets(of: request).hiding(values: values)
    tools.lock.withLock { _ in
      if self.count == count { self.known = redaction }
    }
    return redaction
  }

  /// What decodes its JSON: read when it is needed, as most dispatches have none of their own.
  var jsonReader: JSONReader {
    let own = request.jsonCoding
    if let decoder = request.jsonDecoder {
      return JSONReader(decoder: decoder, dropsNulls: (own ?? tools.jsonCoding).dropsNulls)
    }
    return own.map(JSONReader.init) ?? tools.jsonReader
  }

  /// What is kept from other origins: what ``redaction`` hides, and also where nothing is hidden, as what an agent prints does
  /// not change what it sends.
  var confidential: Redaction {
    tools.redaction.hidesNothing ? .standard.hidingSecrets(of: request) : redaction
  }
}
