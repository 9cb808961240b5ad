import BenchSupport
import Errand
import Foundation

/// Sends the workload of the options over a transport, and prints the measured values.
public func measureErrand(_ options: Options, over transport: any Transport) {
  var configuration = AgentConfiguration()
  // No limit, because all requests of the workload go to one origin.
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
  case .file:
    let file = URL(filePath: options.output)
    measure(options) { Int(try await agent.download(.get(path), to: file).size) }
  case .discard:
    measure(options) {
      var bytes = 0
      for try await chunk in try await agent.stream(GetBytes(path: path)).body { bytes += chunk.count }
      return bytes
    }
  case .upload, .form:
    let file = URL(filePath: options.output)
    let size = try? FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int
    measure(options) {
      if options.mode == .form {
        try await agent.send(.post(path, parameters: ["title": "large", "file": .file(file)]))
      } else {
        try await agent.send(.put(path, body: .file(file)))
      }
      return size ?? 0
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
