import Errand
import ErrandOAuth
import ErrandMocks
import Foundation

extension ExitProbe {
  /// Asks a service for its work, under tokens that other processes renew too, until the service says that it is the end.
  ///
  /// - Parameter time: how many microseconds after the first answer it is killed; 0 for never.
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
