import Foundation
import Testing

@testable import Errand

@Suite("Per-call overrides")
struct RequestOverridesTests {
  private let loaded = LoadedRequest(log: Locked([]))

  private func changed(_ request: OverriddenRequest<LoadedRequest>) throws -> [String: String] {
    let before = try summary(of: loaded)
    return try summary(of: request).filter { $0.value != before[$0.key] }
  }

  @Test("Every requirement except the overridden requirement is the base's")
  func forwards() throws {
    let (base, plain) = (try summary(of: loaded), try summary(of: PlainRequest()))
    // The comparison needs a base whose members differ from the defaults.
    #expect(base.filter { $0.value == plain[$0.key] }.keys.filter { $0 != "retryPolicy" } == [])
    #expect(try summary(of: OverriddenRequest(base: loaded, overrides: RequestOverrides())) == base)
  }

  @Test("Each network member is overridden alone")
  func wireMembers() throws {
    let url = try #require(URL(string: "http://other"))
    #expect(try changed(loaded.with(\.baseURL, url)) == ["baseURL": "Optional(http://other)"])
    #expect(try changed(loaded.with(\.path, "other")) == ["path": "other"])
    #expect(try changed(loaded.with(\.method, .patch)) == ["method": "PATCH"])
    #expect(try changed(loaded.with(\.parameters, ["z": 1])) == ["parameters": "z=1"])
    #expect(try changed(loaded.with(\.query, ["z": 1])) == ["query": "z=1"])
    #expect(try changed(loaded.with(\.body, .none)) == ["body": "none"])
    let form = ["requestSerializer": "application/x-www-form-urlencoded"]
    #expect(try changed(loaded.with(\.requestSerializer, .form)) == form)
    #expect(try changed(loaded.with(\.timeout, .seconds(5))) == ["timeout": "5.0 seconds"])
    #expect(try changed(loaded.with(\.redirectPolicy, .follow())).keys.sorted() == ["redirectPolicy"])
    #expect(try changed(loaded.with(\.deadline, .seconds(9))) == ["deadline": "Optional(9.0 seconds)"])
    #expect(try changed(loaded.with(\.limits, .unlimited)).keys.sorted() == ["limits"])
    #expect(try changed(loaded.with(\.priority, .low)) == ["priority": "-1.0"])
    #expect(try changed(loaded.with(\.networkAccess, .all)) == ["networkAccess": "7"])
    #expect(try changed(loaded.with(\.cookies, .inherited)) == ["cookies": "inherited"])
    #expect(try changed(loaded.with(\.isSerial, false)) == ["isSerial": "false"])
    #expect(try changed(loaded.with(\.usesCDN, false)) == ["usesCDN": "false"])
    #expect(try changed(loaded.with(\.cdnURL, url)) == ["cdnURL": "Optional(http://other)"])
  }

  @Test("Each other member is overridden alone")
  func otherMembers() throws {
    #expect(try changed(loaded.with(\.jsonDecoder, JSONDecoder())).keys.sorted() == ["jsonDecoder"])
    #expect(try changed(loaded.with(\.jsonEncoder, JSONEncoder())).keys.sorted() == ["jsonEncoder"])
    let coded = try changed(loaded.with(\.jsonCoding, JSONCoding()))
    #expect(coded == ["jsonCoding": "Optional(JSONCoding())", "jsonDecoder": "nil", "jsonEncoder": "nil"])
    #expect(try changed(loaded.with(\.validators, [.status(200..<201)])).keys.sorted() == ["validators"])
    #expect(try changed(loaded.with(\.tag, 8)) == ["tag": "8"])
    #expect(try changed(loaded.with(\.userInfo, [:])) == ["userInfo": "[]"])
    #expect(try changed(loaded.with(\.accessories, [])) == ["accessories": "[]"])
    #expect(try changed(loaded.with(\.comment, "c")) == ["comment": "Optional(\"c\")"])
    #expect(try changed(loaded.with(\.limitKey, "k")) == ["limitKey": "Optional(\"k\")"])
    #expect(try changed(loaded.with(\.urlTemplate, "/o")) == ["urlTemplate": "Optional(\"/o\")"])
    #expect(try changed(loaded.with(\.mockPolicy, .whenFailed)) == ["mockPolicy": "when failed with 404"])
    #expect(try changed(loaded.with(\.secrets, ["s"])) == ["secrets": "[\"loaded\", \"s\"]"])
    #expect(try changed(loaded.with(\.authentication, .inherited)) == ["authentication": "inherited"])
    #expect(try changed(loaded.with(\.coalescing, .none)) == ["coalescing": "none"])
    #expect(try changed(loaded.with(\.idempotencyKey, .value("k"))).keys.sorted() == ["idempotencyKey"])
    #expect(loaded.with(\.retryPolicy, .inherited).overrides.retryPolicy != nil)
  }

  @Test("An optional member can be set to nil by a call, and a nil override keeps the base's value")
  func lifted() throws {
    #expect(try changed(loaded.with(\.deadline, nil)) == ["deadline": "nil"])
    #expect(try changed(loaded.with(\.baseURL, nil)) == ["baseURL": "nil"])
    #expect(try changed(loaded.with(\.cdnURL, nil)) == ["cdnURL": "nil"])
    #expect(try changed(loaded.with(\.limits, nil)) == ["limits": "nil"])
    #expect(try changed(loaded.with(\.comment, nil)) == ["comment": "nil"])
    #expect(try changed(loaded.with(\.limitKey, nil)) == ["limitKey": "nil"])
    #expect(try changed(loaded.with(\.urlTemplate, nil)) == ["urlTemplate": "nil"])
    #expect(try changed(loaded.with(\.jsonDecoder, nil)) == ["jsonDecoder": "nil"])
    #expect(try changed(loaded.with(\.jsonEncoder, nil)) == ["jsonEncoder": "nil"])
    let coding = try changed(loaded.with(\.jsonCoding, nil))
    #expect(coding == ["jsonCoding": "nil", "jsonDecoder": "nil", "jsonEncoder": "nil"])
    var overrides = RequestOverrides()
    overrides.deadline = nil
    #expect(OverriddenRequest(base: loaded, overrides: overrides).deadline == loaded.deadline)
    let wanted: Duration? = .seconds(3)
    #expect(loaded.with(\.deadline, wanted).deadline == .seconds(3))
  }

  @Test("Headers are merged with the base's, name by name")
  func headers() {
    #expect(loaded.with(\.headers, ["b": "3", "C": "4"]).headers == ["A": "1", "b": "3", "C": "4"])
  }

  @Test("Chained calls stay flat, and the last call for a member wins")
  func chained() {
    let request: OverriddenRequest<LoadedRequest> =
      loaded.with(\.tag, 1).with(\.path, "x").with(\.tag, 2)
    #expect(request.tag == 2 && request.path == "x")
    #expect(request.wrapped is LoadedRequest)
  }

  @Test("A request overridden in a generic function still has the innermost base")
  func nested() {
    func again<R: Request>(_ request: R) -> OverriddenRequest<R> { request.with(\.tag, 5) }
    let request = again(loaded.with(\.path, "x"))
    #expect(request.tag == 5 && request.path == "x" && request.wrapped is LoadedRequest)
    #expect(context(of: request).request is LoadedRequest)
  }

  @Test("A one-off request is overridden like any other request")
  func oneOff() {
    let request = OneOffRequest.get("users", as: Int.self).with(\.timeout, .seconds(5))
    #expect(request.timeout == .seconds(5) && request.path == "users")
    #expect(OneOffRequest.delete("users/7").with(\.tag, 1).tag == 1)
  }

  @Test("Every hook is forwarded, with its result")
  func hooks() async throws {
    let request = loaded.with(\.tag, 1)
    let context = context(of: request)
    let url = try #require(URL(string: "http://h"))
    var (sent, received) = (HTTPRequest(url: url), HTTPResponse())
    try await request.filterRequest(&sent, context: context)
    let redirect = try await request.redirectDecision(to: &sent, from: received, context: context)
    let mock = try await request.mockResponse(for: sent, context: context)
    try await request.filterResponse(&received, context: context)
    let error = RequestError(.status, "refused")
    let decision = await request.retryDecision(for: error, suggested: .stop, context: context)
    await request.preprocess(.cancelled, context: context)
    let outcome = await request.filter(.cancelled, context: context)
    await request.completed(.cancelled, context: context)
    #expect(sent.headers == ["filtered": "1", "redirected": "1"] && redirect == .stop)
    #expect(received.status == 299 && mock?.status == 298)
    #expect(decision == .retry(after: .seconds(9)) && outcome.value == 42)
    let calls = [
      "filterRequest", "redirectDecision", "mockResponse", "filterResponse", "retryDecision", "preprocess",
      "filter", "completed",
    ]
    #expect(loaded.log.withLock { $0 } == calls)
  }

  private func context(of request: some Request) -> RequestContext {
    let tools = RequestContext.Tools()
    let dispatched = RequestContext.Dispatched(id: 1, request: request, tools: tools)
    return RequestContext(dispatched: dispatched, attempt: 1)
  }
}
