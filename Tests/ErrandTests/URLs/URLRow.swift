import Testing

struct URLRow: Sendable, CustomTestStringConvertible {
  let base: String?
  let path: String
  let query: [String]
  let result: String

  init(_ base: String?, _ path: String, _ result: String, query: [String] = []) {
    (self.base, self.path, self.query, self.result) = (base, path, query, result)
  }

  var testDescription: String { "\(base.debugDescription) + \(path.debugDescription)" }
}

extension URLRow {
  static let joined: [URLRow] = ["http://h", "http://h/", "http://h/api", "http://h/api/"].flatMap { base in
    let root = base.contains("api") ? "http://h/api/" : "http://h/"
    return [
      URLRow(base, "get", root + "get"),
      URLRow(base, "get/val", root + "get/val"),
      URLRow(base, "get/val/", root + "get/val/"),
      URLRow(base, "/get", root + "get"),
      URLRow(base, "/", root),
      URLRow(base, "http://other/x", "http://other/x"),
      URLRow(base, "", base),
    ]
  }

  static let paths: [URLRow] = [
    URLRow("http://h/api", "a//b", "http://h/api/a//b"),
    URLRow("http://h", "//other/x", "http://h//other/x"),
    URLRow("http://h/api//", "x", "http://h/api//x"),
    URLRow("http://h/api", "../x/./y", "http://h/api/../x/./y"),
    URLRow("http://h/api", ";x", "http://h/api/;x"),
    URLRow("http://h/api", "users/a:b", "http://h/api/users/a:b"),
    URLRow("http://h/api", "a:b", "http://h/api/a:b"),
    URLRow("http://h/api", "mailto:a@b", "http://h/api/mailto:a@b"),
    URLRow("http://h/api", "http:x", "http://h/api/http:x"),
    URLRow("http://h/api", "x#part", "http://h/api/x"),
    URLRow("http://h/api#top", "x", "http://h/api/x"),
    URLRow("http://h", "a b/é/%41/%/%zz/[]", "http://h/a%20b/%C3%A9/%41/%25/%25zz/%5B%5D"),
    URLRow("http://h", "a\r\nb\u{0}\"<>\\^`{|}", "http://h/a%0D%0Ab%00%22%3C%3E%5C%5E%60%7B%7C%7D"),
    URLRow("http://h/a", "/\u{301}", "http://h/a/%CC%81"),
    URLRow(nil, "https://h/x?a=1", "https://h/x?a=1"),
    URLRow("", "HTTPS://H/X", "https://H/X"),
  ]

  static let queries: [URLRow] = [
    URLRow("http://h/api", "?a=1", "http://h/api?a=1"),
    URLRow("http://h", "?a=1", "http://h?a=1"),
    URLRow("http://h/api?k=1", "x?a=2", "http://h/api/x?k=1&a=2&b=3", query: ["b=3"]),
    URLRow("http://h/api", "x?a=1", "http://h/api/x?a=1&b=2", query: ["b=2"]),
    URLRow("http://h/api?", "x?", "http://h/api/x"),
    URLRow("http://h/api?", "x?", "http://h/api/x?b=2&c=3", query: ["", "b=2", "", "c=3"]),
    URLRow("http://h/api", "x?a=1&", "http://h/api/x?a=1&b=2", query: ["b=2"]),
    URLRow("http://h/api", "x?&", "http://h/api/x"),
    URLRow("http://h/api", "http://b/x?&c=1&", "http://b/x?&c=1&"),
    URLRow("http://h/api", "http://b/x?#f", "http://b/x?", query: [""]),
    URLRow("http://h/api", "http://b/x?a b&&", "http://b/x?a%20b&&"),
    URLRow("http://h/api", "http://b/x#?", "http://b/x"),
    URLRow("http://h/api", "http://b/x?&c=1&", "http://b/x?c=1&d=2", query: ["d=2"]),
    URLRow("http://h", "x?a=b?c/d e&[f]=%zé", "http://h/x?a=b?c/d%20e&%5Bf%5D=%25z%C3%A9"),
    URLRow("http://h", "x?a%5B%5D=%26", "http://h/x?a%5B%5D=%26&b=%20", query: ["b=%20"]),
  ]

  static let authorities: [URLRow] = [
    URLRow("http://[::1]:8080/a", "b", "http://[::1]:8080/a/b"),
    URLRow("http://[fe80::1%25eth0]", "b", "http://[fe80::1%25eth0]/b"),
    URLRow("http://127.0.0.1:65535", "b", "http://127.0.0.1:65535/b"),
    URLRow("http://h:", "b", "http://h/b"),
    URLRow("http://h:0080", "b", "http://h:80/b"),
    URLRow("http://u:p@h/a", "b", "http://u:p@h/a/b"),
    URLRow("http://u@x:p%5C@h", "b", "http://u%40x:p%5C@h/b"),
    URLRow("http://[::ffff:127.0.0.1]", "b", "http://[::ffff:127.0.0.1]/b"),
    URLRow("http://@h", "b", "http://h/b"),
    URLRow("http://a_b.h", "b", "http://a_b.h/b"),
    URLRow("http://exämple.com", "a%20b", "http://xn--exmple-cua.com/a%20b"),
    URLRow("http://ex%C3%A4mple.com", "b", "http://xn--exmple-cua.com/b"),
    URLRow("http://%68", "b", "http://h/b"),
  ]

  static let data: [URLRow] = [
    URLRow(nil, "data:text/plain,hi there", "data:text/plain,hi%20there"),
    URLRow("http://h", "DATA:,a?b#c", "data:,a?b"),
    URLRow("data:,x", "", "data:,x"),
  ]

  static let refused: [URLRow] = [
    URLRow(nil, "users/7", "there is no base URL for the path \"users/7\""),
    URLRow("", "users/7?token=s#x", "there is no base URL for the path \"users/7\""),
    URLRow(nil, "", "there is no base URL for the path \"\""),
    URLRow("api.h/v1", "x", "the base URL \"api.h/v1\" has no scheme: begin the URL with https://"),
    URLRow("h:80", "x", "the base URL \"h:80\" has no scheme: begin the URL with https://"),
    URLRow("1http://h", "x", "the base URL \"1http://h\" has no scheme: begin the URL with https://"),
    URLRow(" http://h", "x", "the base URL \" http://h\" begins with white space: remove the white space"),
    URLRow("http:///x", "y", "the URL \"http:///x\" has no host"),
    URLRow("http://", "y", "the URL \"http://\" has no host"),
    URLRow("http://:80", "", "the URL \"http://:80\" has no host"),
    URLRow(nil, "http://u:secret@/x?token=s", "the URL \"http:///x\" has no host"),
    URLRow(
      "http://h", "ftp://u:secret@h/x?token=s",
      "the scheme \"ftp\" of \"ftp://h/x\" is not supported: use http, https or data"),
    URLRow(
      "file:///etc", "x", "the scheme \"file\" of \"file:///etc\" is not supported: use http, https or data"),
    URLRow("http://h:99999", "x", "the port \"99999\" of \"http://h:99999\" is not in 1...65535"),
    URLRow("http://h:0", "x", "the port \"0\" of \"http://h:0\" is not in 1...65535"),
    URLRow(
      "http://h:+80", "x",
      "the port of \"http://h:<redacted>\" is not a number: encode /, ? and # in a password as %2F, %3F and %23"
    ),
    URLRow(
      "http://bob:s3cr/et@db.example/x?a=1", "x",
      "the port of \"http://<redacted>@db.example/x\" is not a number: encode /, ? and # in a password as %2F, %3F and %23"
    ),
    URLRow(
      "bob:s3cret@db.example/x", "x",
      "the base URL \"<redacted>@db.example/x\" has no scheme: begin the URL with https://"),
    URLRow("bob:s3cret", "x", "the base URL \"bob:<redacted>\" has no scheme: begin the URL with https://"),
    URLRow("http://a b", "x", badHost("a b")),
    URLRow("http://h\r\nX", "x", badHost("h\\r\\nX")),
    URLRow("http://h\u{0}", "x", badHost("h\\0")),
    URLRow("http://h%00", "x", badHost("h%00")),
    URLRow("http://h%FF", "x", badHost("h%FF")),
    URLRow("http://a%2Fb", "x", badHost("a%2Fb")),
    URLRow("http://a|b", "x", badHost("a|b")),
    URLRow("http://[::1", "x", badHost("[::1")),
    URLRow("http://[]", "x", badHost("[]")),
    URLRow(
      "http://[::g]", "x",
      "the host <redacted> of \"http://<redacted>\" has a forbidden character"),
    URLRow("http://[::1%eth0]", "x", badHost("[::1%eth0]")),
    URLRow("http://[1::2::3]", "x", noAddress("[1::2::3]")),
    URLRow("http://[:]", "x", noAddress("[:]")),
    URLRow("http://[::1.]", "x", noAddress("[::1.]")),
    URLRow("http://[1.2.3.4]", "x", badHost("[1.2.3.4]")),
    // Full-width characters. Decoding after the mapping would make another host.
    URLRow("http://％65vil.example", "x", badHost("％65vil.example")),
    URLRow("http://a％2fb.example", "x", badHost("a％2fb.example")),
    URLRow(
      "http://good\\@evil.example", "x",
      "the user info of \"http://evil.example\" has a backslash: encode a backslash in a password as %5C"),
    URLRow("data:,x", "y", "the data URL \"data:…\" cannot be the base of a path"),
    URLRow(nil, "data:,x", "the data URL \"data:…\" cannot take a query", query: ["a=1"]),
  ]

  private static func noAddress(_ host: String) -> String {
    "the host \"\(host)\" of \"http://\(host)\" is not an IPv6 address"
  }

  private static func badHost(_ host: String) -> String {
    "the host \"\(host)\" of \"http://\(host)\" has a forbidden character"
  }
}
