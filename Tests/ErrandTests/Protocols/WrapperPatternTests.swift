import Foundation
import Testing

@testable import Errand

/// FSNetworking's wrapper around every endpoint: standard headers and parameters, error report, custom block,
/// error alert, and notifications.
@Suite("The wrapper pattern of FSNetworking")
struct WrapperPatternTests {
  struct Envelope: Decodable, Sendable { var result: String }

  struct HouseHooks: RequestHooks {
    let recorder: Recorder

    func completed<Value>(_ outcome: Outcome<Value>, context: RequestContext) async {
      guard let error = outcome.error, context.request is any HouseRequest else { return }
      recorder.add("error log \(error.kind)")
    }
  }

  struct HouseAccessory: Accessory {
    let recorder: Recorder

    func requestDidStop(_ report: ExchangeReport, context: RequestContext) async {
      if report.outcome.error != nil, (context.request as? any HouseRequest)?.displaysError == true {
        recorder.add("error display")
      }
      recorder.add("notification")
    }
  }

  struct Checkin: HouseRequest {
    typealias Response = Envelope
    let path = "checkins/add"
    let method = HTTPMethod.post
    var displaysError = true
    var parameters: Parameters { houseParameters.merging(["venue": 7]) }
  }

  static func agent(_ recorder: Recorder, _ transport: FunctionTransport) -> RequestAgent {
    var configuration = AgentConfiguration()
    configuration.userAgent = "house/1"
    configuration.acceptLanguage = "en"
    return RequestAgent(
      baseURL: "https://api.example.com/v2", transport: transport, hooks: [HouseHooks(recorder: recorder)],
      accessories: [HouseAccessory(recorder: recorder)], configuration: configuration)
  }

  @Test("A failure runs error log, custom completion, error alert and notification, in that order")
  func order() async throws {
    let recorder = Recorder()
    let transport = FunctionTransport { _, _ in HTTPResponse(status: 500) }
    let handle = Self.agent(recorder, transport).start(Checkin()) { recorder.add("custom \($0.word)") }
    _ = try? await handle.value
    #expect(
      recorder.events == ["error log status", "custom failure status", "error display", "notification"])

    let quiet = Recorder()
    let other = Self.agent(quiet, transport).start(Checkin(displaysError: false)) {
      quiet.add("custom \($0.word)")
    }
    _ = try? await other.value
    #expect(quiet.events == ["error log status", "custom failure status", "notification"])
  }

  @Test("A success has the standard parameters, the typed result and no error step")
  func success() async throws {
    let recorder = Recorder()
    let transport = FunctionTransport { _, _ in HTTPResponse(body: Data(#"{"result":"ok"}"#.utf8)) }
    let handle = Self.agent(recorder, transport).start(Checkin()) { recorder.add("custom \($0.word)") }
    #expect(try await handle.value.result == "ok")
    #expect(recorder.events == ["custom success", "notification"])

    let sent = try #require(transport.requests.first)
    #expect(sent.url.absoluteString == "https://api.example.com/v2/checkins/add")
    #expect(sent.body.data == Data("oauth_token=t0ken&v=20261121&venue=7".utf8))
    #expect(
      sent.headers.fields.map(\.name) == ["Accept", "Accept-Language", "User-Agent", "Content-Type"])
  }
}

protocol HouseRequest: Request {
  var displaysError: Bool { get }
}

extension HouseRequest {
  var displaysError: Bool { false }
  var houseParameters: Parameters { ["oauth_token": "t0ken", "v": 20_261_121] }
}
