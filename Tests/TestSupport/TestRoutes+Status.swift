import Errand
import ErrandMocks
import Foundation

extension MockServer {
  func routeStatuses() {
    route(nil, "/status/*") { request in
      let status = HTTPResponse.Status(request.lastNumber)
      if request.queryValue("type") == "html" {
        return .data(
          Data("<html><body>\(status)</body></html>".utf8), contentType: "text/html", status: status)
      }
      return .json(#"{"code":\#(status.code)}"#, status: status)
    }
    let hits = SequenceHits()
    route(nil, "/seq/*") { request in
      let parts = request.path.split(separator: "/")
      let id = parts.count > 1 ? String(parts[1]) : ""
      if parts.last == "count" { return try .json(hits.seen(id)) }
      let statuses = (request.queryValue("s") ?? "200").split(separator: ",").compactMap { Int($0) }
      let hit = hits.add(id)
      let code = statuses.isEmpty ? 200 : statuses[min(hit, statuses.count) - 1]
      return .json(#"{"code":\#(code),"hit":\#(hit)}"#, status: HTTPResponse.Status(code))
    }
  }
}

private final class SequenceHits: Sendable {
  struct Seen: Encodable {
    let hits: Int
    let times: [Double]
  }

  private let times = Locked<[String: [Double]]>([:])

  func seen(_ id: String) -> Seen {
    let times = times.withLock { $0[id] ?? [] }
    return Seen(hits: times.count, times: times)
  }

  func add(_ id: String) -> Int {
    times.withLock { times in
      times[id, default: []].append(Date().timeIntervalSince1970)
      return times[id]?.count ?? 1
    }
  }
}
