import Foundation

struct StoredEntries: Sendable {
  let cache: ResponseCache

  func matching(_ question: CacheQuestion) async -> [CachedResponse] {
    await cache.responses(for: question.key, question.rules.variants)
  }

  /// Stores an updated response; returns the result as a clause.
  func update(_ updated: CachedResponse, for key: CacheKey, by ticket: CacheTicket) async -> String {
    var problem = ticket.isValid ? await cache.store(updated, for: key) : CacheTicket.problem
    if problem == nil, !ticket.isValid {
      await cache.remove(updated.variant, of: key)
      problem = CacheTicket.problem
    }
    return CachingBody.verdict(problem, success: "updated")
  }

  /// Updates stored responses after a 304 to the request's own conditions (RFC 9111 section 4.3.4).
  ///
  /// Returns the result as a clause; `nil` if no stored response fits.
  func refresh(
    by head: HTTPResponse, for question: CacheQuestion, under rules: CacheRules, begun: QuestionStart
  ) async -> String? {
    guard rules.policy.pin == nil, let tag = head.headers["ETag"] else { return nil }
    var result: String?
    for stored in await matching(question)
    where stored.pin == nil && rules.matches(stored) && stored.headers["ETag"] == tag {
      guard let updated = rules.storage.updated(stored, by: head, requested: begun.date) else { continue }
      result = await update(updated, for: question.key, by: begun.ticket)
    }
    return result
  }

  /// Updates or removes stored responses after a `HEAD` with status 200 (RFC 9111 section 4.3.5).
  func refresh(
    byHead head: HTTPResponse, for question: CacheQuestion, under rules: CacheRules, begun: QuestionStart
  ) async {
    guard head.status == 200, rules.policy.pin == nil else { return }
    for stored in await matching(question) where stored.pin == nil && rules.matches(stored) {
      if let updated = rules.storage.updated(stored, byHead: head, requested: begun.date) {
        _ = await update(updated, for: question.key, by: begun.ticket)
      } else {
        await cache.remove(stored.variant, of: question.key)
      }
    }
  }

  func removeMatching(_ question: CacheQuestion) async {
    let rules = question.rules
    for stored in await matching(question)
    where rules.matches(stored)
      && rules.policy.pin.map({ stored.pin?.isSame(as: $0) == true }) ?? (stored.pin == nil)
    {
      await cache.remove(stored.variant, of: question.key)
    }
  }
}

extension BodyStream {
  /// Discards up to 64 KiB, so that the connection can be reused; cancels a longer body.
  func drain() async {
    var count = 0
    do {
      for try await chunk in self {
        count += chunk.count
        if count > 65_536 { return cancel() }
      }
    } catch {}
  }

  /// Reads and discards the body; cancels a body of more than `limit` bytes.
  func readToEnd(limit: Int?) async throws {
    var count = 0
    for try await chunk in self {
      count += chunk.count
      if let limit, count > limit { return cancel() }
    }
  }
}
