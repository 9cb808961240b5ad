import ErrandMocks
import Foundation
import Testing

@testable import Errand

private final class Parting: Sendable {
  private let farewell: @Sendable () -> Void
  init(_ farewell: @escaping @Sendable () -> Void) { self.farewell = farewell }
  deinit { farewell() }
}

/// A release under the lock would deadlock in each of the tests.
@Suite("User objects are released outside of locks")
struct ReleaseUnderLockTests {
  let recorder = Recorder()

  @Test("A removed suspension handler is released outside of the lock")
  func suspension() {
    let signal = SuspensionSignal()
    var parting: Parting? = Parting { [recorder] in recorder.add("\(signal.isSuspended)") }
    let id = signal.onChange { [parting] in _ = parting }
    parting = nil
    signal.removeHandler(id)
    #expect(recorder.events == ["false"])
  }

  private struct Token: Sendable {
    var text: String
    var parting: Parting?
  }

  private func context() -> Authentication.Context {
    let agent = RequestAgent(transport: FunctionTransport())
    let context = RequestContext(
      dispatched: .init(id: 1, request: OneOffRequest<Void>.get("x"), tools: agent.tools), attempt: 1)
    return Authentication.Context(
      dispatch: context, sender: agent, cancellation: CancellationSignal(), isExplanation: false,
      identity: nil
    )
  }

  @Test("A credential replaced by a sign-in or a refresh is released outside of the lock")
  func credential() async throws {
    let holder = Locked<CredentialStore<Token>?>(nil)
    let parting: @Sendable (String) -> Parting = { [recorder] name in
      Parting { recorder.add("\(name) for \(holder.withLock { $0 }?.credential?.text ?? "none")") }
    }
    let store = CredentialStore<Token>(
      Token(text: "first", parting: parting("first")), isUsable: { token, _ in token.text != "second" },
      refresh: { _, _ in Token(text: "third", parting: nil) })
    holder.withLock { $0 = store }
    store.credential = Token(text: "second", parting: parting("second"))
    #expect(recorder.events == ["first for second"])
    let context = context()
    #expect(try await store.credential(for: context).text == "third")
    await until { recorder.events.count == 2 }
    #expect(recorder.events == ["first for second", "second for third"])
    holder.withLock { $0 = nil }
  }

  @Test("An old request body is released outside of the lock when its credentials are forgotten")
  func forgottenRequest() throws {
    let dispatched = context().dispatch.dispatched
    let url = try #require(URL(string: "http://a.example"))
    for number in 0..<34 {
      let bytes = UnsafeMutableRawPointer.allocate(byteCount: 100, alignment: 1)
      bytes.initializeMemory(as: UInt8.self, repeating: 0x61, count: 100)
      let body = Data(
        bytesNoCopy: bytes, count: 100,
        deallocator: .custom { [recorder] bytes, _ in
          recorder.add("\(number): \(dispatched.redaction.text("token=t"))")
          bytes.deallocate()
        })
      dispatched.note(HTTPRequest(url: url, method: .post, body: .data(body)))
    }
    #expect(recorder.events == ["0: token=<redacted>"])
  }

  @Test("A credential set at the start of a refresh is kept, and not passed to the refresh")
  func signIn() async {
    let context = context()
    for _ in 0..<2_000 {
      let spent = Locked<[String]>([])
      let store = CredentialStore<String>(
        "old", isUsable: { token, _ in token != "old" },
        refresh: { current, _ in
          spent.withLock { $0.append(current ?? "none") }
          return "renewed"
        })
      let asking = Task.detached { try await store.credential(for: context) }
      store.credential = "new"
      let token = try? await asking.value
      #expect(token == "new" || token == "renewed")
      #expect(spent.withLock { $0 }.allSatisfy { $0 == "old" } && store.credential == "new")
    }
  }
}
