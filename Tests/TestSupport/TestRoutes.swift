import Errand
public import ErrandMocks
import Foundation

extension MockServer {
  /// A server with the routes that the tests of the whole framework share.
  ///
  /// | Route | Answer |
  /// |---|---|
  /// | `/echo` | JSON of what came: method, path, query, headers in order, body in Base64 and as text, length |
  /// | `/status/n` | status n with `{"code":n}`; `?type=html` sends HTML |
  /// | `/seq/id?s=503,200` | the statuses in order, the last one again; counted by id |
  /// | `/seq/id/count` | JSON: how often `/seq/id` was asked, and when in seconds since 1970 |
  /// | `/delay/ms` | 200 after so many milliseconds |
  /// | `/drip?chunks=n&gap=ms` | n chunks with gaps |
  /// | `/bytes/n` | n bytes that depend on n only; honours `Range` and `If-Range` |
  /// | `/basic?u=&p=` | 200 with these Basic credentials, else 401 |
  /// | `/text?charset=` | `Grüße` in that charset |
  /// | `/empty`, `/space`, `/null` | JSON by its type, and by nothing, a blank or a null |
  public static func withTestRoutes() throws -> MockServer {
    let server = try MockServer()
    server.routeEchoes()
    server.routeStatuses()
    server.routeTimes()
    server.routeTexts()
    server.route(nil, "/bytes/*") { BytesRoute(count: $0.lastNumber).answer }
    return server
  }

  private func routeEchoes() {
    route(nil, "/echo") { try .json(Echo($0)) }
    route(nil, "/basic") { request in
      let pair = "\(request.queryValue("u") ?? ""):\(request.queryValue("p") ?? "")"
      guard request.headers["Authorization"] == "Basic \(Data(pair.utf8).base64EncodedString())" else {
        return .status(401).header("WWW-Authenticate", #"Basic realm="test""#)
      }
      return .json(#"{"authenticated":true}"#)
    }
  }

  private func routeTimes() {
    route(nil, "/delay/*") { request in
      .json(#"{"delayed":\#(request.lastNumber)}"#).delayed(by: .milliseconds(request.lastNumber))
    }
    route(nil, "/drip") { request in
      let count = request.queryValue("chunks").flatMap(Int.init) ?? 1
      let gap = request.queryValue("gap").flatMap(Int.init) ?? 0
      let chunks = (0..<max(count, 0)).map { Data("chunk \($0)\n".utf8) }
      return .chunks(chunks, gap: .milliseconds(gap), contentType: "text/plain")
    }
  }

  private func routeTexts() {
    route(nil, "/text") { request in
      let charset = request.queryValue("charset") ?? "utf-8"
      let isLatin = charset.lowercased() == "iso-8859-1"
      let bytes = "Grüße".data(using: isLatin ? .isoLatin1 : .utf8) ?? Data()
      return .data(bytes, contentType: "text/plain; charset=\(charset)")
    }
    route(nil, "/empty", answers: .json(""))
    route(nil, "/space", answers: .json(" "))
    route(nil, "/null", answers: .json(#"{"value":null,"list":[null]}"#))
  }
}

extension ReceivedRequest {
  /// The first value of a query item.
  func queryValue(_ name: String) -> String? {
    URLComponents(string: target)?.queryItems?.first { $0.name == name }?.value
  }

  /// The number at the end of the path; 0 when there is none.
  var lastNumber: Int { path.split(separator: "/").last.flatMap { Int($0) } ?? 0 }
}
