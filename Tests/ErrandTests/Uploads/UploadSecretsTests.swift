import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Secrets of uploads")
struct UploadSecretsTests {
  private func failure(
    _ bench: UploadBench, _ body: RequestBody, to request: OneOffRequest<Void> = .post("files"),
    by uploadProtocol: UploadProtocol
  ) async throws -> String {
    let error = try await #require(throws: RequestError.self) {
      _ = try await bench.upload(body, to: request, by: uploadProtocol, maxFailures: 1)
    }
    return "\(error)\n\(error.debugDescription)"
  }

  @Test("An error about a response hides the token of the upload's URL")
  func state() async throws {
    let bench = UploadBench { request in
      switch request.headers["X-Goog-Upload-Command"] {
      case "start":
        .status(200).header("X-Goog-Upload-URL", "https://mocked.example/files?upload_id=t0ken-of-upload")
      case "query": .text("upload t0ken-of-upload is unknown")
      default: .status(503)
      }
    }
    let text = try await failure(bench, .data(Data("abcd".utf8)), by: .google())
    #expect(text.contains("does not report the offset") && text.contains("upload <redacted> is unknown"))
    #expect(!text.contains("t0ken"))
  }

  @Test("An error about the response that created an upload hides the token of a refused URL")
  func refused() async throws {
    let bench = UploadBench { _ in
      .text("go to t0ken-of-upload", status: 201).header("Location", "ftp://h/files/t0ken-of-upload")
    }
    let text = try await failure(bench, .data(Data("abcd".utf8)), by: .tus())
    #expect(text.contains("has the scheme ftp") && text.contains("go to <redacted>"))
    #expect(!text.contains("t0ken"))
  }

  @Test("The secrets of an uploaded JSON body are searched, in one chunk or several", arguments: [1_000, 8])
  func body(_ chunkSize: Int) async throws {
    let bench = UploadBench { request in
      request.method == "POST"
        ? .status(201).header("Location", "https://mocked.example/files/1")
        : .text("no P1n-5ecret, no Pa55word", status: 400)
    }
    let body = RequestBody.json(["pin": Secret("P1n-5ecret"), "password": Secret("Pa55word")])
    let text = try await failure(bench, body, by: .tus(chunkSize: chunkSize))
    #expect(text.contains("no <redacted>, no <redacted>"))
    let plain = RequestBody.text(#"{"password":"P1n-5ecret","token":"Pa55word"}"#)
    let shown = try await failure(bench, plain, by: .tus(chunkSize: chunkSize))
    #expect(shown.contains("no <redacted>, no <redacted>"))
  }

  @Test("The JSON body of the request that starts an upload is searched")
  func start() async throws {
    let bench = UploadBench { _ in
      .text("no P1n-5ecret").header("X-Goog-Upload-URL", "gopher://h/x")
    }
    for body in [
      RequestBody.json(["pin": Secret("P1n-5ecret")]), .json(["password": "P1n-5ecret"]),
    ] {
      let text = try await failure(
        bench, .data(Data("abcd".utf8)), to: .post("files", body: body), by: .google())
      #expect(text.contains("no <redacted>") && !text.contains("5ecret"))
    }
  }
}
