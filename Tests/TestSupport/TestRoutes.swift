import Errand
public import ErrandMocks
import Foundation

extension MockServer {
  /// Creates a server with the routes that many tests share.
  ///
  /// | Route | Answer |
  /// |---|---|
  /// | `/echo` | JSON of the request: method, path, query, headers in order, body in Base64 and as text, length |
  /// | `/status/n` | status n with `{"code":n}`; `?type=html` sends HTML |
  /// | `/seq/id?s=503,200` | the statuses in order, then repeats of the last status; counted by id |
  /// | `/seq/id/count` | JSON: the number of requests to `/seq/id`, and the times in seconds since 1970 |
  /// | `/delay/ms` | 200 after `ms` milliseconds |
  /// | `/drip?chunks=n&gap=ms` | n chunks with gaps of `ms` milliseconds |
  /// | `/bytes/n` | n reproducible bytes; honours `Range` and `If-Range` |
  /// | `/basic?u=&p=` | 200 with the Basic credentials, otherwise 401 |
  /// | `/text?charset=` | `Grüße` with the charset's name, in ISO 8859-1 for this name, otherwise in UTF-8 |
  /// | `/empty`, `/space`, `/null` | a JSON content type, with an empty body, a blank, or an object with nulls |
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
  func queryValue(_ name: String) -> String? {
    URLComponents(string: target)?.queryItems?.first { $0.name == name }?.value
  }

  /// 0 without a number.
  var lastNumber: Int { path.split(separator: "/").last.flatMap { Int($0) } ?? 0 }
}
