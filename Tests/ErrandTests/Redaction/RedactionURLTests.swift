import Foundation
import Testing

@testable import Errand

@Suite("Redaction of URLs") struct RedactionURLTests {
  @Test(
    "User info and secret query items are redacted",
    arguments: [
      ("https://h/a?b=c", "https://h/a?b=c"), ("https://user@h", "https://<redacted>@h"),
      ("https://user:pass@h:8080/@a", "https://<redacted>@h:8080/@a"),
      ("https://u:p@ss@h/", "https://<redacted>@h/"), ("https://u:p\\q@h/", "https://<redacted>@h/"),
      ("//u:p@h/", "//<redacted>@h/"),
      ("mailto:ann@example.com", "mailto:ann@example.com"),
      (
        "https://h/?access_token=t&x=1&TOKEN=t&token=t",
        "https://h/?access_token=<redacted>&x=1&TOKEN=<redacted>&token=<redacted>"
      ),
      ("https://h/?api%5Fkey=t&a+p+i+key=t", "https://h/?api%5Fkey=<redacted>&a+p+i+key=<redacted>"),
      ("https://h/?user%5Bpassword%5D=t", "https://h/?user%5Bpassword%5D=<redacted>"),
      ("https://h/?token=&token", "https://h/?token=&token"),
      ("https://h/?a=1;token=t", "https://h/?a=1;token=<redacted>"),
      ("https://h/?a=1?token=t", "https://h/?a=1?token=<redacted>"),
      ("https://h/?next=https://u:p@i/?token=t", "https://h/?next=https://<redacted>@i/?token=<redacted>"),
      ("https://h/?next=https%3A%2F%2Fu:p@i", "https://h/?next=<redacted>"),
      ("https://h/?next=%2Fa%3Ftoken%3Dt", "https://h/?next=<redacted>"),
      ("https://h/?next=%2Fa%3Fb%3Dc", "https://h/?next=%2Fa%3Fb%3Dc"),
      ("https://h/?q=a+b%20c", "https://h/?q=a+b%20c"),
      ("https://h/?token=a?b=c", "https://h/?token=<redacted>"),
      ("https://h/#access_token=t&a=b", "https://h/#access_token=<redacted>&a=b"),
      ("https://h/#?token=t", "https://h/#?token=<redacted>"), ("", ""), ("?", "?"), ("%", "%"),
      ("a b?c=%zz", "a b?c=%zz"),
      ("https://h/a;jsessionid=t/b?c=d", "https://h/a;jsessionid=<redacted>/b?c=d"),
      ("https://h/a;v=1;To%6Ben=t;w=2/b;x", "https://h/a;v=1;To%6Ben=<redacted>;w=2/b;x"),
      ("https://h/a;token=;token/;;", "https://h/a;token=;token/;;"),
      ("https://h/?key=t&sig=t&monkey=m", "https://h/?key=<redacted>&sig=<redacted>&monkey=m"),
    ])
  func urls(text: String, shown: String) {
    #expect(Redaction.standard.url(text: text) == shown)
  }

  @Test("A URL can be redacted")
  func url() throws {
    let url = try #require(URL(string: "https://u:p@h/?pin=1&token=t"))
    #expect(Redaction.standard.url(url) == "https://<redacted>@h/?pin=1&token=<redacted>")
    #expect(
      Redaction.standard.hiding(queryItems: ["PIN"]).url(url)
        == "https://<redacted>@h/?pin=<redacted>&token=<redacted>")
    #expect(Redaction.none.url(url) == url.absoluteString)
  }

  @Test("Deeply nested URLs are redacted in linear time")
  func nesting() {
    let deep = String(repeating: "x://h?a=", count: 20_000)
    #expect(!Redaction.standard.url(text: "https://h/?a=\(deep)token=canary").contains("canary"))
    #expect(!Redaction.standard.text("\(deep)token=canary").contains("canary"))
  }
}
