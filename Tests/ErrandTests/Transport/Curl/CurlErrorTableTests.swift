#if os(Linux)
import CCurl
import Testing

@testable import Errand

@Suite("Curl: meanings of error codes")
struct CurlErrorTableTests {
  @Test("every code has a kind and a clause without a full stop")
  func everyCode() {
    for number in 1...CCURLE_ECH_REQUIRED.rawValue {
      let entry = CurlErrorTable.entry(for: CCURLcode(rawValue: number))
      #expect(!entry.clause.isEmpty && entry.clause.last != ".", "code \(number)")
    }
  }

  @Test("the common codes have their kinds")
  func kinds() {
    let kinds: [RequestError.Kind: [UInt32]] = [
      .invalidURL: [3, 67], .unsupported: [1, 4, 48], .nameNotResolved: [5, 6],
      .connectionFailed: [7, 45, 89, 96, 97], .connectionLost: [18, 52, 55, 56, 65, 92], .timedOut: [28],
      .secureConnectionFailed: [35, 53, 54, 58, 59, 60, 64, 66, 77, 80, 82, 83, 90, 91, 98, 101],
      .invalidResponse: [8, 16, 63, 95], .corruptBody: [61], .encoding: [26],
      .transport: [2, 23, 27, 42, 43, 49, 99, 100],
    ]
    for (kind, codes) in kinds {
      for code in codes {
        #expect(CurlErrorTable.entry(for: CCURLcode(rawValue: code)).kind == kind, "code \(code)")
      }
    }
  }

  @Test("codes that no test reaches have their texts")
  func words() {
    let clauses: [UInt32: String] = [
      42: "a callback of libcurl stopped the transfer", 99: "waiting for the network failed permanently",
      64: "the requested level of TLS is not available",
      80: "the TLS connection to {peer} could not be closed",
    ]
    for (code, clause) in clauses {
      #expect(CurlErrorTable.entry(for: CCURLcode(rawValue: code)).clause == clause)
    }
  }

  @Test("an impossible code has libcurl's name")
  func foreign() {
    let entry = CurlErrorTable.entry(for: CCURLE_FTP_COULDNT_USE_REST)
    #expect(entry.kind == .transport)
    #expect(entry.clause.hasPrefix("the transfer failed in libcurl: "))
  }

  @Test("an unresolvable name is in the error")
  func unresolved() {
    let handle = CurlHandle()
    let error = handle.map {
      TransportError(CCURLE_COULDNT_RESOLVE_HOST, peer: "nowhere.invalid:80", handle: $0)
    }
    #expect(
      error
        == TransportError(
          .nameNotResolved, "the host name of nowhere.invalid:80 could not be resolved", code: 6))
  }
}
#endif
