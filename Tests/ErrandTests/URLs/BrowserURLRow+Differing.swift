extension BrowserURLRow {
  /// By reason.
  static let differing: [(reason: String, rows: [BrowserURLRow])] = [
    ("A backslash is a character, and no slash.", backslash),
    (
      "Tabs, line ends and other control characters inside of a URL are refused or encoded, and not dropped.",
      blank
    ),
    ("Dot segments of a URL that code names are sent as they stand.", dots),
    ("A `%` before no two hexadecimal digits is encoded.", percent),
    ("Brackets in a path are encoded, as RFC 3986 wants it.", bracket),
    ("A `'` in a query stays, and what a query may not have is encoded, as RFC 3986 wants it.", query),
    ("An IPv6 address is sent as it is written.", address), ("Nobody listens at port 0.", port),
    ("One without `//` before its host is no whole URL, and one with more has no host.", slashes),
    ("A host has letters, digits, `-`, `.` and `_`.", host),
  ]

  private static let backslash: [BrowserURLRow] = [
    BrowserURLRow(
      ":foo.com\\", "http://example.org/foo/bar", "http://example.org/foo/:foo.com/",
      errand: "http://example.org/foo/:foo.com%5C"),
    BrowserURLRow(
      ":\\", "http://example.org/foo/bar", "http://example.org/foo/:/", errand: "http://example.org/foo/:%5C"),
    BrowserURLRow(
      "\\x", "http://example.org/foo/bar", "http://example.org/x", errand: "http://example.org/foo/%5Cx"),
    BrowserURLRow(
      "\\\\x\\hello", "http://example.org/foo/bar", "http://x/hello",
      errand: "http://example.org/foo/%5C%5Cx%5Chello"),
    BrowserURLRow(
      "http://foo.com/\\@", "http://example.org/foo/bar", "http://foo.com//@", errand: "http://foo.com/%5C@"),
    BrowserURLRow(
      "http:\\\\foo.com\\", "http://example.org/foo/bar", "http://foo.com/",
      errand: "http://example.org/foo/%5C%5Cfoo.com%5C"),
    BrowserURLRow(
      "http:\\\\a\\b:c\\d@foo.com\\", "http://example.org/foo/bar", "http://a/b:c/d@foo.com/",
      errand: "http://example.org/foo/%5C%5Ca%5Cb:c%5Cd@foo.com%5C"),
    BrowserURLRow("http://a:b@c\\", nil, "http://a:b@c/", errand: nil),
    BrowserURLRow("http://example.com\\\\foo\\\\bar", nil, "http://example.com//foo//bar", errand: nil),
    BrowserURLRow("http:\\\\www.google.com\\foo", nil, "http://www.google.com/foo", errand: nil),
    BrowserURLRow(
      "/\\/\\//example.org/../path", "http://example.org/", "http://example.org/path",
      errand: "http://example.org/%5C/%5C//path"),
  ]

  private static let blank: [BrowserURLRow] = [
    BrowserURLRow("http://example\t.\norg", "http://example.org/foo/bar", "http://example.org/", errand: nil),
    BrowserURLRow("http://f:\n/c", "http://example.org/foo/bar", "http://f/c", errand: nil),
    BrowserURLRow(
      "http://example.com/foo\t\u{91}%91", nil, "http://example.com/foo%C2%91%91",
      errand: "http://example.com/foo%09%C2%91%91"),
    BrowserURLRow(
      "http://example.com/foo\tbar", nil, "http://example.com/foobar", errand: "http://example.com/foo%09bar"),
    BrowserURLRow(
      "\u{0}\u{1B}\u{4}\u{12} http://example.com/\u{1F} \r ", nil, "http://example.com/", errand: nil),
    BrowserURLRow("http://ho\tst/", nil, "http://host/", errand: nil),
    BrowserURLRow("http://ho\nst/", nil, "http://host/", errand: nil),
    BrowserURLRow("http://ho\rst/", nil, "http://host/", errand: nil),
    BrowserURLRow(
      "h\tt\nt\rp://h\to\ns\rt:9\t0\n0\r0/p\ta\nt\rh?q\tu\ne\rry#f\tr\na\rg", nil,
      "http://host:9000/path?query", errand: nil),
  ]

  private static let dots: [BrowserURLRow] = [
    BrowserURLRow(
      "http://example.com/././foo", nil, "http://example.com/foo", errand: "http://example.com/././foo"),
    BrowserURLRow(
      "http://example.com/./.foo", nil, "http://example.com/.foo", errand: "http://example.com/./.foo"),
    BrowserURLRow(
      "http://example.com/foo/.", nil, "http://example.com/foo/", errand: "http://example.com/foo/."),
    BrowserURLRow(
      "http://example.com/foo/./", nil, "http://example.com/foo/", errand: "http://example.com/foo/./"),
    BrowserURLRow(
      "http://example.com/foo/bar/..", nil, "http://example.com/foo/", errand: "http://example.com/foo/bar/.."
    ),
    BrowserURLRow(
      "http://example.com/foo/bar/../", nil, "http://example.com/foo/",
      errand: "http://example.com/foo/bar/../"),
    BrowserURLRow(
      "http://example.com/foo/bar/../ton", nil, "http://example.com/foo/ton",
      errand: "http://example.com/foo/bar/../ton"),
    BrowserURLRow(
      "http://example.com/foo/bar/../ton/../../a", nil, "http://example.com/a",
      errand: "http://example.com/foo/bar/../ton/../../a"),
    BrowserURLRow(
      "http://example.com/foo/../../..", nil, "http://example.com/", errand: "http://example.com/foo/../../.."
    ),
    BrowserURLRow(
      "http://example.com/foo/../../../ton", nil, "http://example.com/ton",
      errand: "http://example.com/foo/../../../ton"),
    BrowserURLRow(
      "http://example.com/foo/%2e", nil, "http://example.com/foo/", errand: "http://example.com/foo/%2e"),
    BrowserURLRow(
      "http://example.com/foo/%2e./%2e%2e/.%2e/%2e.bar", nil, "http://example.com/%2e.bar",
      errand: "http://example.com/foo/%2e./%2e%2e/.%2e/%2e.bar"),
    BrowserURLRow(
      "http://example.com////../..", nil, "http://example.com//", errand: "http://example.com////../.."),
    BrowserURLRow(
      "http://example.com/foo/bar//../..", nil, "http://example.com/foo/",
      errand: "http://example.com/foo/bar//../.."),
    BrowserURLRow(
      "http://example.com/foo/bar//..", nil, "http://example.com/foo/bar/",
      errand: "http://example.com/foo/bar//.."),
    BrowserURLRow("http://www/foo/%2E/html", nil, "http://www/foo/html", errand: "http://www/foo/%2E/html"),
    BrowserURLRow(
      "https://example.com/aaa/bbb/%2e%2e?query", nil, "https://example.com/aaa/?query",
      errand: "https://example.com/aaa/bbb/%2e%2e?query"),
  ]

  private static let percent: [BrowserURLRow] = [
    BrowserURLRow(
      "http://example.com/foo/%2e%2", nil, "http://example.com/foo/%2e%2",
      errand: "http://example.com/foo/%2e%252"),
    BrowserURLRow(
      "http://example.com/foo%", nil, "http://example.com/foo%", errand: "http://example.com/foo%25"),
    BrowserURLRow(
      "http://example.com/foo%2", nil, "http://example.com/foo%2", errand: "http://example.com/foo%252"),
    BrowserURLRow(
      "http://example.com/foo%2zbar", nil, "http://example.com/foo%2zbar",
      errand: "http://example.com/foo%252zbar"),
    BrowserURLRow(
      "http://example.com/foo%2\u{C2}\u{A9}zbar", nil, "http://example.com/foo%2%C3%82%C2%A9zbar",
      errand: "http://example.com/foo%252%C3%82%C2%A9zbar"),
    BrowserURLRow(
      "http://example.org/test?%GH", nil, "http://example.org/test?%GH",
      errand: "http://example.org/test?%25GH"),
  ]

  private static let bracket: [BrowserURLRow] = [
    BrowserURLRow(
      "[61:24:74]:98", "http://example.org/foo/bar", "http://example.org/foo/[61:24:74]:98",
      errand: "http://example.org/foo/%5B61:24:74%5D:98"),
    BrowserURLRow(
      "http:[61:27]/:foo", "http://example.org/foo/bar", "http://example.org/foo/[61:27]/:foo",
      errand: "http://example.org/foo/%5B61:27%5D/:foo"),
  ]

  private static let query: [BrowserURLRow] = [
    BrowserURLRow(
      "http://`{}:`{}@h/`{}?`{}", "http://doesnotmatter/", "http://%60%7B%7D:%60%7B%7D@h/%60%7B%7D?`{}",
      errand: "http://h/%60%7B%7D?%60%7B%7D"),
    BrowserURLRow("http://host/?'", nil, "http://host/?%27", errand: "http://host/?'"),
    BrowserURLRow(
      "https://www.example.com/path{\u{7F}path.html?query'\u{7F}=query#fragment<\u{7F}fragment", nil,
      "https://www.example.com/path%7B%7Fpath.html?query%27%7F=query",
      errand: "https://www.example.com/path%7B%7Fpath.html?query'%7F=query"),
  ]

  private static let address: [BrowserURLRow] = [
    BrowserURLRow(
      "http://[::127.0.0.1]", "http://example.org/foo/bar", "http://[::7f00:1]/",
      errand: "http://[::127.0.0.1]"),
    BrowserURLRow(
      "http://[0:0:0:0:0:0:13.1.68.3]", "http://example.org/foo/bar", "http://[::d01:4403]/",
      errand: "http://[0:0:0:0:0:0:13.1.68.3]"),
    BrowserURLRow("http://[1:0::]", "http://example.net/", "http://[1::]/", errand: "http://[1:0::]"),
  ]

  private static let port: [BrowserURLRow] = [
    BrowserURLRow("http://f:0/c", "http://example.org/foo/bar", "http://f:0/c", errand: nil),
    BrowserURLRow("http://f:00000000000000/c", "http://example.org/foo/bar", "http://f:0/c", errand: nil),
  ]

  private static let slashes: [BrowserURLRow] = [
    BrowserURLRow("https:/example.com/", "http://example.org/foo/bar", "https://example.com/", errand: nil),
    BrowserURLRow("https:example.com/", "http://example.org/foo/bar", "https://example.com/", errand: nil),
    BrowserURLRow("http:/example.com/", nil, "http://example.com/", errand: nil),
    BrowserURLRow("https:/example.com/", nil, "https://example.com/", errand: nil),
    BrowserURLRow("http:example.com/", nil, "http://example.com/", errand: nil),
    BrowserURLRow("https:example.com/", nil, "https://example.com/", errand: nil),
    BrowserURLRow("http:@www.example.com", nil, "http://www.example.com/", errand: nil),
    BrowserURLRow("http:/@www.example.com", nil, "http://www.example.com/", errand: nil),
    BrowserURLRow("http:a:b@www.example.com", nil, "http://a:b@www.example.com/", errand: nil),
    BrowserURLRow("http:/a:b@www.example.com", nil, "http://a:b@www.example.com/", errand: nil),
    BrowserURLRow("http::b@www.example.com", nil, "http://:b@www.example.com/", errand: nil),
    BrowserURLRow("http:/:b@www.example.com", nil, "http://:b@www.example.com/", errand: nil),
    BrowserURLRow("http:a:@www.example.com", nil, "http://a@www.example.com/", errand: nil),
    BrowserURLRow("http:/a:@www.example.com", nil, "http://a@www.example.com/", errand: nil),
    BrowserURLRow("///test", "http://example.org/", "http://test/", errand: nil),
    BrowserURLRow("///\\//\\//test", "http://example.org/", "http://test/", errand: nil),
    BrowserURLRow("///example.org/path", "http://example.org/", "http://example.org/path", errand: nil),
    BrowserURLRow("///example.org/../path", "http://example.org/", "http://example.org/path", errand: nil),
    BrowserURLRow("///example.org/../../", "http://example.org/", "http://example.org/", errand: nil),
    BrowserURLRow("///example.org/../path/../../", "http://example.org/", "http://example.org/", errand: nil),
    BrowserURLRow(
      "///example.org/../path/../../path", "http://example.org/", "http://example.org/path", errand: nil),
  ]

  private static let host: [BrowserURLRow] = [
    BrowserURLRow("http://!\"$&'()*+,-.;=_`{}~/", nil, "http://!\"$&'()*+,-.;=_`{}~/", errand: nil)
  ]
}
