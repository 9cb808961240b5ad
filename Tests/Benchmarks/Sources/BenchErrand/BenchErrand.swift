import BenchSupport
import Errand
import Foundation

@main
struct BenchErrand {
  static func main() {
    let options = Options()
    let transport = CurlTransport(certificateAuthorities: options.authority.map { URL(filePath: $0) })
    var configuration = AgentConfiguration()
    // As many as the workload has in flight, all to one origin.
    configuration.maxRequestsPerOrigin = 0
    let agent = RequestAgent(baseURL: options.base, transport: transport, configuration: configuration)
    let path = options.path
    switch options.mode {
    case .data:
      measure(options) { try await agent.send(GetBytes(path: path)).count }
    case .decoded where options.isList:
      measure(options) {
        try expect(await agent.send(GetPeople(path: path)))
        return 0
      }
    case .decoded:
      measure(options) {
        try expect(await agent.send(GetPerson(path: path)))
        return 0
      }
    case .file, .discard:
      let sink = Sink(options)
      measure(options) { try await sink.receive(through: agent) }
    }
  }
}

struct GetBytes: Request {
  typealias Response = Data
  let path: String
}

struct GetPerson: Request {
  typealias Response = Person
  let path: String
}

struct GetPeople: Request {
  typealias Response = People
  let path: String
}
