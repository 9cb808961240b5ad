import Testing

/// A test vector of the working group behind RFC 6265.
struct CookieVector: Sendable, CustomTestStringConvertible {
  let name: String
  let received: [String]
  /// `nil` for the common URL.
  let place: String?
  let sent: String

  init(_ name: String, _ received: [String], to place: String? = nil, _ sent: String) {
    (self.name, self.received, self.place, self.sent) = (name, received, place, sent)
  }

  var testDescription: String { name }

  static let all: [CookieVector] = [
    .init("0001", ["foo=bar"], "foo=bar"),
    .init("0002", ["foo=bar; Expires=Fri, 07 Aug 2019 08:04:19 GMT"], "foo=bar"),
    .init(
      "0003",
      [
        "foo=bar; Expires=Fri, 07 Aug 2007 08:04:19 GMT",
        "foo2=bar2; Expires=Fri, 07 Aug 2027 08:04:19 GMT",
      ],
      "foo2=bar2"),
    .init("0004", ["foo"], ""),
    .init("0005", ["foo=bar; max-age=10000;"], "foo=bar"),
    .init("0006", ["foo=bar; max-age=0;"], ""),
    .init("0007", ["foo=bar; version=1;"], "foo=bar"),
    .init("0008", ["foo=bar; version=1000;"], "foo=bar"),
    .init("0009", ["foo=bar; customvalue=1000;"], "foo=bar"),
    .init("0010", ["foo=bar; secure;"], ""),
    .init("0011", ["foo=bar; customvalue=\"1000 or more\";"], "foo=bar"),
    .init("0012", ["foo=bar; customvalue=\"no trailing semicolon\""], "foo=bar"),
    .init("0013", ["foo=bar", "foo=qux"], "foo=qux"),
    .init("0014", ["foo1=bar", "foo2=qux"], "foo1=bar; foo2=qux"),
    .init("0015", ["a=b", "z=y"], "a=b; z=y"),
    .init("0016", ["z=y", "a=b"], "z=y; a=b"),
    .init("0017", ["z=y, a=b"], "z=y, a=b"),
    .init("0018", ["z=y; foo=bar, a=b"], "z=y"),
    .init("0019", ["foo=b;max-age=3600, c=d;path=/"], "foo=b"),
    .init("0020", ["a=b", "=", "c=d"], "a=b; c=d"),
    .init("0021", ["a=b", "=x", "c=d"], "a=b; c=d"),
    .init("0022", ["a=b", "x=", "c=d"], "a=b; x=; c=d"),
    .init("0023", ["foo", ""], ""),
    .init("0024", ["foo", "="], ""),
    .init("0025", ["foo", "; bar"], ""),
    .init("0026", ["foo", "   "], ""),
    .init("0027", ["foo", "bar"], ""),
    .init("0028", ["foo", "\t"], ""),
    .init("attribute0001", ["foo=bar; Secure"], ""),
    .init("attribute0002", ["foo=bar; seCURe"], ""),
    .init("attribute0003", ["foo=bar; \"Secure\""], "foo=bar"),
    .init("attribute0004", ["foo=bar; Secure="], ""),
    .init("attribute0005", ["foo=bar; Secure=aaaa"], ""),
    .init("attribute0006", ["foo=bar; Secure qux"], "foo=bar"),
    .init("attribute0007", ["foo=bar; Secure =aaaaa"], ""),
    .init("attribute0008", ["foo=bar; Secure= aaaaa"], ""),
    .init("attribute0009", ["foo=bar; Secure; qux"], ""),
    .init("attribute0010", ["foo=bar; Secure;qux"], ""),
    .init("attribute0011", ["foo=bar; Secure    ; qux"], ""),
    .init("attribute0012", ["foo=bar;                Secure"], ""),
    .init("attribute0013", ["foo=bar;       Secure     ;"], ""),
    .init("attribute0014", ["foo=bar; Path"], "foo=bar"),
    .init("attribute0015", ["foo=bar; Path="], "foo=bar"),
    .init("attribute0016", ["foo=bar; Path=/"], "foo=bar"),
    .init("attribute0017", ["foo=bar; Path=/qux"], ""),
    .init("attribute0018", ["foo=bar; Path    =/qux"], ""),
    .init("attribute0019", ["foo=bar; Path=    /qux"], ""),
    .init("attribute0020", ["foo=bar; Path=/qux      ; taz"], ""),
    .init("attribute0021", ["foo=bar; Path=/qux; Path=/"], "foo=bar"),
    .init("attribute0022", ["foo=bar; Path=/; Path=/qux"], ""),
    .init("attribute0023", ["foo=bar; Path=/qux; Path=/cookie-parser-result"], "foo=bar"),
    .init("attribute0024", ["foo=bar; Path=/cookie-parser-result; Path=/qux"], ""),
    .init("attribute0025", ["foo=bar; qux; Secure"], ""),
    .init("attribute0026", ["foo=bar; qux=\"aaa;bbb\"; Secure"], ""),
    .init("charset0001", ["foo=春节回家路·春运完全手册"], "foo=春节回家路·春运完全手册"),
    .init("charset0002", ["春节回=家路·春运完全手册"], "春节回=家路·春运完全手册"),
    .init("charset0003", ["春节回=家路·春运; 完全手册"], "春节回=家路·春运"),
    .init("charset0004", ["foo=\"春节回家路·春运完全手册\""], "foo=\"春节回家路·春运完全手册\""),
    .init("chromium0001", ["a=b"], "a=b"),
    .init("chromium0002", ["aBc=\"zzz \"   ;"], "aBc=\"zzz \""),
    .init("chromium0003", ["aBc=\"zzz \" ;"], "aBc=\"zzz \""),
    .init("chromium0004", ["aBc=\"zz;pp\" ; ;"], "aBc=\"zz"),
    .init("chromium0005", ["aBc=\"zz ;"], "aBc=\"zz"),
    .init("chromium0006", ["aBc=\"zzz \"   \"ppp\"  ;"], "aBc=\"zzz \"   \"ppp\""),
    .init("chromium0007", ["aBc=\"zzz \"   \"ppp\" ;"], "aBc=\"zzz \"   \"ppp\""),
    .init("chromium0008", ["aBc=A\"B ;"], "aBc=A\"B"),
    .init("chromium0009", ["BLAHHH; path=/;"], ""),
    .init("chromium0010", ["\"BLA\\\"HHH\"; path=/;"], ""),
    .init("chromium0011", ["a=\"B"], "a=\"B"),
    .init("chromium0012", ["=ABC"], ""),
    .init("chromium0013", ["ABC=;  path = /"], "ABC="),
    .init("chromium0014", ["  A  = BC  ;foo;;;   bar"], "A=BC"),
    .init("chromium0015", ["  A=== BC  ;foo;;;   bar"], "A=== BC"),
    .init(
      "chromium0016",
      [
        "foo=\"zohNumRKgI0oxyhSsV3Z7D\"  ; expires=Sun, 18-Apr-2027 21:06:29 GMT ; path=/  ;  "
      ],
      "foo=\"zohNumRKgI0oxyhSsV3Z7D\""),
    .init(
      "chromium0017",
      [
        "foo=zohNumRKgI0oxyhSsV3Z7D  ; expires=Sun, 18-Apr-2027 21:06:29 GMT ; path=/  ;  "
      ],
      "foo=zohNumRKgI0oxyhSsV3Z7D"),
    .init("chromium0018", ["    "], ""),
    .init("chromium0021", [""], ""),
    .init("comma0001", ["foo=bar, baz=qux"], "foo=bar, baz=qux"),
    .init("comma0002", ["foo=\"bar, baz=qux\""], "foo=\"bar, baz=qux\""),
    .init("comma0003", ["foo=bar; b,az=qux"], "foo=bar"),
    .init("comma0004", ["foo=bar; baz=q,ux"], "foo=bar"),
    .init("comma0005", ["foo=bar; Max-Age=50,399"], "foo=bar"),
    .init("comma0006", ["foo=bar; Expires=Fri, 07 Aug 2019 08:04:19 GMT"], "foo=bar"),
    .init("comma0007", ["foo=bar; Expires=Fri 07 Aug 2019 08:04:19 GMT, baz=qux"], "foo=bar"),
    .init("disabled chromium0022", ["AAA=BB\u{0}ZYX"], "AAA=BB"),
    .init("disabled chromium0023", ["AAA=BB\u{d}ZYX"], "AAA=BB"),
    .init(
      "disabled path0029",
      [
        "foo=bar; path=/cookie-parser-result/foo/bar"
      ], to: "/cookie-parser-result/f%6Fo/bar?disabled-path0029",
      "foo=bar"),
    .init(
      "domain0001",
      [
        "foo=bar; domain=home.example.org"
      ], to: "http://home.example.org:8888/cookie-parser-result?domain0001",
      "foo=bar"),
    .init(
      "domain0002",
      [
        "foo=bar; domain=home.example.org"
      ], to: "http://sibling.example.org:8888/cookie-parser-result?domain0002",
      ""),
    .init(
      "domain0003",
      [
        "foo=bar; domain=.home.example.org"
      ], to: "http://home.example.org:8888/cookie-parser-result?domain0003",
      "foo=bar"),
    .init(
      "domain0004",
      [
        "foo=bar; domain=home.example.org"
      ], to: "http://subdomain.home.example.org:8888/cookie-parser-result?domain0004",
      "foo=bar"),
    .init(
      "domain0005",
      [
        "foo=bar; domain=.home.example.org"
      ], to: "http://subdomain.home.example.org:8888/cookie-parser-result?domain0005",
      "foo=bar"),
    .init(
      "domain0006",
      [
        "foo=bar; domain=.home.example.org"
      ], to: "http://sibling.example.org:8888/cookie-parser-result?domain0006",
      ""),
    .init(
      "domain0007",
      [
        "foo=bar; domain=sibling.example.org"
      ], to: "http://sibling.example.org:8888/cookie-parser-result?domain0007",
      ""),
    .init(
      "domain0008",
      [
        "foo=bar; domain=.example.org"
      ], to: "http://home.example.org:8888/cookie-parser-result?domain0008",
      "foo=bar"),
    .init(
      "domain0009",
      [
        "foo=bar; domain=example.org"
      ], to: "http://home.example.org:8888/cookie-parser-result?domain0009",
      "foo=bar"),
    .init(
      "domain0010",
      [
        "foo=bar; domain=..home.example.org"
      ], to: "http://home.example.org:8888/cookie-parser-result?domain0010",
      ""),
    .init(
      "domain0011",
      [
        "foo=bar; domain=home..example.org"
      ], to: "http://home.example.org:8888/cookie-parser-result?domain0011",
      ""),
    .init(
      "domain0012",
      [
        "foo=bar; domain=  .home.example.org"
      ], to: "http://home.example.org:8888/cookie-parser-result?domain0012",
      "foo=bar"),
    .init(
      "domain0013",
      [
        "foo=bar; domain=  .  home.example.org"
      ], to: "http://home.example.org:8888/cookie-parser-result?domain0013",
      ""),
    .init(
      "domain0014",
      [
        "foo=bar; domain=home.example.org."
      ], to: "http://home.example.org:8888/cookie-parser-result?domain0014",
      ""),
    .init(
      "domain0015",
      [
        "foo=bar; domain=home.example.org.."
      ], to: "http://home.example.org:8888/cookie-parser-result?domain0015",
      ""),
    .init(
      "domain0016",
      [
        "foo=bar; domain=home.example.org ."
      ], to: "http://home.example.org:8888/cookie-parser-result?domain0016",
      ""),
    .init(
      "domain0017",
      [
        "foo=bar; domain=.org"
      ], to: "http://home.example.org:8888/cookie-parser-result?domain0017",
      ""),
    .init(
      "domain0018",
      [
        "foo=bar; domain=.org."
      ], to: "http://home.example.org:8888/cookie-parser-result?domain0018",
      ""),
    .init(
      "domain0019",
      [
        "foo=bar; domain=home.example.org",
        "foo2=bar2; domain=.home.example.org",
      ], to: "http://home.example.org:8888/cookie-parser-result?domain0019",
      "foo=bar; foo2=bar2"),
    .init(
      "domain0020",
      [
        "foo2=bar2; domain=.home.example.org",
        "foo=bar; domain=home.example.org",
      ], to: "http://home.example.org:8888/cookie-parser-result?domain0020",
      "foo2=bar2; foo=bar"),
    .init(
      "domain0021",
      [
        "foo=bar; domain=\"home.example.org\""
      ], to: "http://home.example.org:8888/cookie-parser-result?domain0021",
      ""),
    .init(
      "domain0022",
      [
        "foo=bar; domain=home.example.org",
        "foo2=bar2; domain=.example.org",
      ], to: "http://home.example.org:8888/cookie-parser-result?domain0022",
      "foo=bar; foo2=bar2"),
    .init(
      "domain0023",
      [
        "foo2=bar2; domain=.example.org",
        "foo=bar; domain=home.example.org",
      ], to: "http://home.example.org:8888/cookie-parser-result?domain0023",
      "foo2=bar2; foo=bar"),
    .init(
      "domain0024",
      [
        "foo=bar; domain=.example.org; domain=home.example.org"
      ], to: "http://sibling.example.org:8888/cookie-parser-result?domain0024",
      ""),
    .init(
      "domain0025",
      [
        "foo=bar; domain=home.example.org; domain=.example.org"
      ], to: "http://sibling.example.org:8888/cookie-parser-result?domain0025",
      "foo=bar"),
    .init(
      "domain0026",
      [
        "foo=bar; domain=home.eXaMpLe.org"
      ], to: "http://home.example.org:8888/cookie-parser-result?domain0026",
      "foo=bar"),
    .init(
      "domain0027",
      [
        "foo=bar; domain=home.example.org:8888"
      ], to: "http://home.example.org:8888/cookie-parser-result?domain0027",
      ""),
    .init(
      "domain0028",
      [
        "foo=bar; domain=subdomain.home.example.org"
      ], to: "http://subdomain.home.example.org:8888/cookie-parser-result?domain0028",
      ""),
    .init(
      "domain0029",
      [
        "foo=bar"
      ], to: "http://subdomain.home.example.org:8888/cookie-parser-result?domain0029",
      ""),
    .init(
      "domain0031",
      [
        "foo=bar; domain=home.example.org; domain=.example.org"
      ], to: "http://sibling.example.org:8888/cookie-parser-result?domain0031",
      "foo=bar"),
    .init(
      "domain0033",
      [
        "foo=bar; domain=home.example.org"
      ], to: "http://hoMe.eXaMplE.org:8888/cookie-parser-result?domain0033",
      "foo=bar"),
    .init(
      "domain0034",
      [
        "foo=bar; domain=home.example.org; domain=home.example.com"
      ], to: "http://home.example.org:8888/cookie-parser-result?domain0034",
      ""),
    .init(
      "domain0035",
      [
        "foo=bar; domain=home.example.com; domain=home.example.org"
      ], to: "http://home.example.org:8888/cookie-parser-result?domain0035",
      "foo=bar"),
    .init(
      "domain0036",
      [
        "foo=bar; domain=home.example.org; domain=home.example.com; domain=home.example.org"
      ], to: "http://home.example.org:8888/cookie-parser-result?domain0036",
      "foo=bar"),
    .init(
      "domain0037",
      [
        "foo=bar; domain=home.example.com; domain=home.example.org; domain=home.example.com"
      ], to: "http://home.example.org:8888/cookie-parser-result?domain0037",
      ""),
    .init(
      "domain0038",
      [
        "foo=bar; domain=home.example.org; domain=home.example.org"
      ], to: "http://home.example.org:8888/cookie-parser-result?domain0038",
      "foo=bar"),
    .init(
      "domain0039",
      [
        "foo=bar; domain=home.example.org; domain=example.org"
      ], to: "http://home.example.org:8888/cookie-parser-result?domain0039",
      "foo=bar"),
    .init(
      "domain0040",
      [
        "foo=bar; domain=example.org; domain=home.example.org"
      ], to: "http://home.example.org:8888/cookie-parser-result?domain0040",
      "foo=bar"),
    .init(
      "domain0041",
      [
        "foo=bar; domain=.sibling.example.org"
      ], to: "http://sibling.example.org:8888/cookie-parser-result?domain0041",
      ""),
    .init(
      "domain0042",
      [
        "foo=bar; domain=.sibling.home.example.org"
      ], to: "http://sibling.home.example.org:8888/cookie-parser-result?domain0042",
      ""),
    .init("mozilla0001", ["foo=bar; max-age=-1"], ""),
    .init("mozilla0002", ["foo=bar; max-age=0"], ""),
    .init("mozilla0003", ["foo=bar; expires=Thu, 10 Apr 1980 16:33:12 GMT"], ""),
    .init("mozilla0004", ["foo=bar; max-age=60"], "foo=bar"),
    .init("mozilla0005", ["foo=bar; max-age=-20"], ""),
    .init("mozilla0006", ["foo=bar; max-age=60"], "foo=bar"),
    .init("mozilla0007", ["foo=bar; expires=Thu, 10 Apr 1980 16:33:12 GMT"], ""),
    .init("mozilla0008", ["foo=bar; max-age=60", "foo1=bar; max-age=60"], "foo=bar; foo1=bar"),
    .init(
      "mozilla0009",
      [
        "foo=bar; max-age=60",
        "foo1=bar; max-age=60",
        "foo=differentvalue; max-age=0",
      ],
      "foo1=bar"),
    .init(
      "mozilla0010",
      [
        "foo=bar; max-age=60",
        "foo1=bar; max-age=60",
        "foo=differentvalue; max-age=0",
        "foo2=evendifferentvalue; max-age=0",
      ],
      "foo1=bar"),
    .init(
      "mozilla0011",
      [
        "test=parser; domain=.parser.test; ;; ;=; ,,, ===,abc,=; abracadabra! max-age=20;=;;"
      ],
      ""),
    .init(
      "mozilla0012",
      [
        "test=\"fubar! = foo;bar\\\";\" parser; max-age=6",
        "five; max-age=2.63,",
      ],
      "test=\"fubar! = foo"),
    .init("mozilla0013", ["test=kill; max-age=0", "five; max-age=0"], ""),
    .init("mozilla0014", ["six"], ""),
    .init("mozilla0015", ["six", "seven"], ""),
    .init("mozilla0016", ["six", "seven", " =eight"], ""),
    .init("mozilla0017", ["six", "seven", " =eight", "test=six"], "test=six"),
    .init("name0001", ["a=bar"], "a=bar"),
    .init("name0002", ["1=bar"], "1=bar"),
    .init("name0003", ["$=bar"], "$=bar"),
    .init("name0004", ["!a=bar"], "!a=bar"),
    .init("name0005", ["@a=bar"], "@a=bar"),
    .init("name0006", ["#a=bar"], "#a=bar"),
    .init("name0007", ["$a=bar"], "$a=bar"),
    .init("name0008", ["%a=bar"], "%a=bar"),
    .init("name0009", ["^a=bar"], "^a=bar"),
    .init("name0010", ["&a=bar"], "&a=bar"),
    .init("name0011", ["*a=bar"], "*a=bar"),
    .init("name0012", ["(a=bar"], "(a=bar"),
    .init("name0013", [")a=bar"], ")a=bar"),
    .init("name0014", ["-a=bar"], "-a=bar"),
    .init("name0015", ["_a=bar"], "_a=bar"),
    .init("name0016", ["+=bar"], "+=bar"),
    .init("name0017", ["=a=bar"], ""),
    .init("name0018", ["a =bar"], "a=bar"),
    .init("name0019", ["\"a=bar"], "\"a=bar"),
    .init("name0020", ["\"a=b\"=bar"], "\"a=b\"=bar"),
    .init("name0021", ["\"a=b\"=bar", "\"a=qux"], "\"a=qux"),
    .init("name0022", ["   foo=bar"], "foo=bar"),
    .init("name0023", ["foo;bar=baz"], ""),
    .init("name0024", ["$Version=1; foo=bar"], "$Version=1"),
    .init("name0025", ["===a=bar"], ""),
    .init("name0026", ["foo=bar    "], "foo=bar"),
    .init("name0027", ["foo=bar    ;"], "foo=bar"),
    .init("name0028", ["=a"], ""),
    .init("name0029", ["="], ""),
    .init("name0030", ["foo bar=baz"], "foo bar=baz"),
    .init("name0031", ["\"foo;bar\"=baz"], ""),
    .init("name0032", ["\"foo\\\"bar;baz\"=qux"], ""),
    .init("name0033", ["=foo=bar", "aaa"], ""),
    .init(
      "optional domain0030",
      [
        "foo=bar; domain="
      ], to: "http://home.example.org:8888/cookie-parser-result?optional-domain0030",
      "foo=bar"),
    .init(
      "optional domain0041",
      [
        "foo=bar; domain=example.org; domain="
      ], to: "http://home.example.org:8888/cookie-parser-result?optional-domain0041",
      "foo=bar"),
    .init(
      "optional domain0042",
      [
        "foo=bar; domain=foo.example.org; domain="
      ], to: "http://home.example.org:8888/cookie-parser-result?optional-domain0042",
      ""),
    .init(
      "optional domain0043",
      [
        "foo=bar; domain=foo.example.org; domain="
      ], to: "http://subdomain.home.example.org:8888/cookie-parser-result?optional-domain0043",
      ""),
    .init(
      "ordering0001",
      [
        "key=val0;",
        "key=val1; path=/cookie-parser-result",
        "key=val2; path=/",
        "key=val3; path=/bar",
        "key=val4; domain=.example.org",
        "key=val5; domain=.example.org; path=/cookie-parser-result/foo",
      ], to: "/cookie-parser-result/foo/baz?ordering0001",
      "key=val5; key=val1; key=val2; key=val4"),
    .init("path0001", ["a=b; path=/", "x=y; path=/cookie-parser-result"], "x=y; a=b"),
    .init("path0002", ["a=b; path=/cookie-parser-result", "x=y; path=/"], "a=b; x=y"),
    .init("path0003", ["x=y; path=/", "a=b; path=/cookie-parser-result"], "a=b; x=y"),
    .init("path0004", ["x=y; path=/cookie-parser-result", "a=b; path=/"], "x=y; a=b"),
    .init("path0005", ["foo=bar; path=/cookie-parser-result/foo"], ""),
    .init("path0006", ["foo=bar", "foo=qux; path=/cookie-parser-result/foo"], "foo=bar"),
    .init(
      "path0007",
      [
        "foo=bar; path=/cookie-parser-result/foo"
      ], to: "/cookie-parser-result/foo?path0007",
      "foo=bar"),
    .init(
      "path0008",
      [
        "foo=bar; path=/cookie-parser-result/foo"
      ], to: "/cookie-parser-result/bar?path0008",
      ""),
    .init(
      "path0009",
      [
        "foo=bar; path=/cookie-parser-result/foo/qux"
      ], to: "/cookie-parser-result/foo?path0009",
      ""),
    .init(
      "path0010",
      [
        "foo=bar; path=/cookie-parser-result/foo/qux"
      ], to: "/cookie-parser-result/foo/qux?path0010",
      "foo=bar"),
    .init(
      "path0011",
      [
        "foo=bar; path=/cookie-parser-result/foo/qux"
      ], to: "/cookie-parser-result/bar/qux?path0011",
      ""),
    .init(
      "path0012",
      [
        "foo=bar; path=/cookie-parser-result/foo/qux"
      ], to: "/cookie-parser-result/foo/baz?path0012",
      ""),
    .init(
      "path0013",
      [
        "foo=bar; path=/cookie-parser-result/foo/qux/"
      ], to: "/cookie-parser-result/foo/baz?path0013",
      ""),
    .init(
      "path0014",
      [
        "foo=bar; path=/cookie-parser-result/foo/qux/"
      ], to: "/cookie-parser-result/foo/qux?path0014",
      ""),
    .init(
      "path0015",
      [
        "foo=bar; path=/cookie-parser-result/foo/qux/"
      ], to: "/cookie-parser-result/foo/qux/?path0015",
      "foo=bar"),
    .init(
      "path0016",
      [
        "foo=bar; path=/cookie-parser-result/foo/"
      ], to: "/cookie-parser-result/foo/qux?path0016",
      "foo=bar"),
    .init(
      "path0017",
      [
        "foo=bar; path=/cookie-parser-result/foo/"
      ], to: "/cookie-parser-result/foo//qux?path0017",
      "foo=bar"),
    .init(
      "path0018",
      [
        "foo=bar; path=/cookie-parser-result/foo/"
      ], to: "/cookie-parser-result/fooqux?path0018",
      ""),
    .init("path0019", ["foo=bar; path"], "foo=bar"),
    .init("path0020", ["foo=bar; path="], "foo=bar"),
    .init("path0021", ["foo=bar; path=/"], "foo=bar"),
    .init("path0022", ["foo=bar; path= /"], "foo=bar"),
    .init("path0023", ["foo=bar; Path=/cookie-PARSER-result"], ""),
    .init(
      "path0024",
      [
        "foo=bar; path=/cookie-parser-result/foo/qux?"
      ], to: "/cookie-parser-result/foo/qux?path0024",
      ""),
    .init(
      "path0025",
      [
        "foo=bar; path=/cookie-parser-result/foo/qux#"
      ], to: "/cookie-parser-result/foo/qux?path0025",
      ""),
    .init(
      "path0026",
      [
        "foo=bar; path=/cookie-parser-result/foo/qux;"
      ], to: "/cookie-parser-result/foo/qux?path0026",
      "foo=bar"),
    .init(
      "path0027",
      [
        "foo=bar; path=\"/cookie-parser-result/foo/qux;\""
      ], to: "/cookie-parser-result/foo/qux?path0027",
      "foo=bar"),
    .init(
      "path0028",
      [
        "foo=bar; path=/cookie-parser-result/f%6Fo/bar"
      ], to: "/cookie-parser-result/foo/bar?path0028",
      ""),
    .init("path0029", ["a=b; \tpath\t=\t/cookie-parser-result\t", "x=y; \tpath\t=\t/book\t"], "a=b"),
    .init("path0030", ["foo=bar; path=/dog; path="], "foo=bar"),
    .init("path0031", ["foo=bar; path=; path=/dog"], ""),
    .init(
      "path0032",
      [
        "foo=bar; path=/cookie-parser-result",
        "foo=qux; path=/cookie-parser-result/",
      ], to: "/cookie-parser-result/dog?path0032",
      "foo=qux; foo=bar"),
    .init("value0001", ["foo=  bar"], "foo=bar"),
    .init("value0002", ["foo=\"bar\""], "foo=\"bar\""),
    .init("value0003", ["foo=\"  bar \""], "foo=\"  bar \""),
    .init("value0004", ["foo=\"bar;baz\""], "foo=\"bar"),
    .init("value0005", ["foo=\"bar=baz\""], "foo=\"bar=baz\""),
    .init("value0006", ["\tfoo\t=\tbar\t \t;\tttt"], "foo=bar"),
  ]

  /// The results that differ in the later draft (rfc6265bis), by name.
  static let later: [String: String] = [
    // A cookie may have no name.
    "0004": "foo",
    "0021": "a=b; x; c=d",
    "0023": "foo",
    "0024": "foo",
    "0025": "foo",
    "0026": "foo",
    "0027": "bar",
    "0028": "foo",
    "chromium0009": "BLAHHH",
    "chromium0010": "\"BLA\\\"HHH\"",
    "chromium0012": "ABC",
    "mozilla0012": "test=\"fubar! = foo; five",
    "mozilla0014": "six",
    "mozilla0015": "seven",
    "mozilla0016": "eight",
    "mozilla0017": "eight; test=six",
    "name0017": "a=bar",
    "name0023": "foo",
    "name0025": "==a=bar",
    "name0028": "a",
    "name0031": "\"foo",
    "name0032": "\"foo\\\"bar",
    "name0033": "aaa",
    // An empty domain means the host's domain.
    "optional domain0042": "foo=bar",
    // Fields with control characters are ignored.
    "disabled chromium0022": "", "disabled chromium0023": "",
    // Paths are compared as written, without decoding.
    "disabled path0029": "",
  ]
}
