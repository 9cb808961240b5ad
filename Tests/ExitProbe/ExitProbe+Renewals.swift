import Errand
import ErrandOAuth
import ErrandMocks
import Foundation

extension ExitProbe {
  /// Requests work from a service, with tokens that other processes also renew, until the service reports the
  /// end.
  ///
  /// - Parameter time: The number of microseconds from the first response to the kill; 0: no kill.
  static func renew(
    at url: String, store path: String, name: String, killedAfter time: String
  ) async throws {
    let client = try OAuthClient(id: "probe", tokenEndpoint: URL(string: "\(url)/token"))
    var configuration = AgentConfiguration()
    configuration.authenticator = OAuthAuthenticator(
      client, grant: .refreshToken, store: FileTokenStore(file: URL(fileURLWithPath: path)),
      refreshWindow: nil)
    let agent = RequestAgent(baseURL: url, configuration: configuration)
    let request = OneOffRequest<String>.get("work/\(name)", as: String.self)
    do {
      var isFirst = true
      while try await agent.send(request) != "end" {
        if isFirst, let time = UInt32(time), time > 0 {
          Thread.detachNewThread {
            usleep(time)
            kill(getpid(), SIGKILL)
          }
        }
        isFirst = false
      }
    } catch {
      print(error)
      exit(1)
    }
  }
}
