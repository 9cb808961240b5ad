import Foundation
import Testing

@testable import Errand

/// Vectors of jshttp's `content-disposition` 3.0 and greenbytes (tc2231).
///
/// Comments beside rows name choices where the suites differ.
@Suite("Content-Disposition with public test tables")
struct ContentDispositionTests {
  @Test(
    "The type is parsed",
    arguments: [
      ("attachment", "attachment"), ("attachment;", "attachment"), ("inline", "inline"),
      ("form-data", "form-data"), ("attachment \t ", "attachment"), ("ATTACHMENT", "attachment"),
      ("foobar", "foobar"),
      // These types are not tokens, so the field is ignored as in greenbytes. jshttp keeps any type.
      (#""attachment""#, nil), (#""inline""#, nil), (#"filename="plans.pdf""#, nil), ("", nil),
      (#"; filename="plans.pdf""#, nil), ("filename=foo.html", nil), ("x=y; filename=foo.html", nil),
      (#""foo; filename=bar;baz"; filename=qux"#, nil), ("filename=foo.html, filename=bar.html", nil),
      ("; filename=foo.html", nil), (": inline; attachment; filename=foo.html", nil),
      ("attachment filename=bar", nil), ("filename=foo.html; attachment", nil),
    ] as [(String, String?)])
  func type(field: String, type: String?) {
    #expect(ContentDisposition(field)?.type == type)
  }

  @Test(
    "A parameter with another name is parsed",
    arguments: [
      ("attachment; filename@=\"rates.pdf\"", "filename@", "rates.pdf"),
      ("attachment; filename=total/; foo=bar", "foo", "bar"),
      (#"attachment; filename="plans.pdf"; foo=bar"#, "foo", "bar"),
      ("attachment;filename=\"plans.pdf\" \t;    \t\t foo=bar", "foo", "bar"),
      (#"attachment; foo="\"\\";filename="foo.html""#, "foo", #""\"#),
      (#"attachment; name="foo-%41.html""#, "name", "foo-%41.html"),
      ("attachment; foo=foo filename=bar", "foo", "foo filename=bar"),
      ("attachment; xfilename=foo.html", "xfilename", "foo.html"),
      (
        #"attachment; creation-date="Wed, 12 Feb 1997 16:29:51 -0500""#, "creation-date",
        "Wed, 12 Feb 1997 16:29:51 -0500"
      ),
      (#"attachment; example="filename=example.txt""#, "example", "filename=example.txt"),
      ("attachment; foobar=x; filename=\"foo.html\"", "foobar", "x"),
    ])
  func parameter(field: String, name: String, value: String) {
    #expect(ContentDisposition(field)?[name] == value)
  }

  @Test(
    "The file name in `filename` is parsed",
    arguments: [
      (#"attachment; filename="rates.pdf";"#, "rates.pdf"), ("attachment; filename=", ""),
      ("attachment; filename=trolly,trains", "trolly,trains"),
      ("attachment; filename=total/; foo=bar", "total/"),
      ("attachment; filename=foo; filename=bar", "foo"), (#"attachment; FILENAME="plans.pdf""#, "plans.pdf"),
      (#"attachment; filename="the \"plans\".pdf""#, #"the "plans".pdf"#),
      ("attachment;filename=\"plans.pdf\" \t;    \t\t foo=bar", "plans.pdf"),
      ("attachment; filename=plans.pdf", "plans.pdf"),
      ("attachment; filename=\"£ rates.pdf\"", "£ rates.pdf"),
      ("inline; filename=\"Not an attachment!\"", "Not an attachment!"),
      (
        "attachment; filename=\"0000000000111111111122222222223333333333\"",
        "0000000000111111111122222222223333333333"
      ),
      (#"attachment; filename="f\oo.html""#, "foo.html"),
      (#"attachment; filename="\"quoting\" tested.html""#, #""quoting" tested.html"#),
      (#"attachment; filename="Here's a semicolon;.html""#, "Here's a semicolon;.html"),
      (#"attachment; foo="\"\\";filename="foo.html""#, "foo.html"),
      ("attachment; filename=foo,bar.html", "foo,bar.html"), ("attachment; filename=foo.html ;", "foo.html"),
      ("attachment; ;filename=foo", "foo"), ("attachment; filename=foo bar.html", "foo bar.html"),
      ("attachment; filename='foo.bar'", "'foo.bar'"), (#"attachment; filename="foo-ä.html""#, "foo-ä.html"),
      (#"attachment; filename="foo-%41.html""#, "foo-%41.html"),
      (#"attachment; filename="50%.html""#, "50%.html"),
      (#"attachment; filename="foo-%\41.html""#, "foo-%41.html"),
      ("attachment; name=\"foo-%41.html\"", nil), (#"attachment; filename="ä-%41.html""#, "ä-%41.html"),
      (#"attachment; filename="foo-%c3%a4-%e2%82%ac.html""#, "foo-%c3%a4-%e2%82%ac.html"),
      (#"attachment; filename ="foo.html""#, "foo.html"), ("attachment; filename = foo.html", "foo.html"),
      (#"attachment; filename="foo.html"; filename="bar.html""#, "foo.html"),
      ("attachment; filename=foo[1](2).html", "foo[1](2).html"),
      ("attachment; filename=foo-ä.html", "foo-ä.html"),
      ("inline; attachment; filename=foo.html", "foo.html"),
      ("attachment; inline; filename=foo.html", "foo.html"),
      (#"attachment; filename="foo.html".txt"#, "foo.html"), (#"attachment; filename="bar"#, nil),
      (#"attachment; filename=foo"bar;baz"qux"#, #"foo"bar"#),
      ("attachment; filename=foo.html, attachment; filename=bar.html", "foo.html, attachment"),
      ("attachment; foo=foo filename=bar", nil), ("attachment; filename=bar foo=foo", "bar foo=foo"),
      ("attachment; xfilename=foo.html", nil), (#"attachment; filename="/foo.html""#, "/foo.html"),
      (#"attachment; filename="\\foo.html""#, #"\foo.html"#),
      (#"attachment; example="filename=example.txt""#, nil),
      ("attachment; filename==?ISO-8859-1?Q?foo-=E4.html?=", "=?ISO-8859-1?Q?foo-=E4.html?="),
      (#"attachment; filename="=?ISO-8859-1?Q?foo-=E4.html?=""#, "=?ISO-8859-1?Q?foo-=E4.html?="),
      // Vectors of this project.
      (#"attachment; name="a\\"; filename="b.txt""#, "b.txt"),
      (#"attachment; filename="a\\\"b"; x="c"#, #"a\"b"#), (#"attachment; filename="a\"#, nil),
      ("attachment; filename=my report.pdf", "my report.pdf"),
    ] as [(String, String?)])
  func plain(field: String, name: String?) {
    #expect(ContentDisposition(field)?.filename == name)
  }

  @Test(
    "The file name in `filename*` is parsed, and wins if readable",
    arguments: [
      ("attachment; filename*=UTF-8''%E2%82%AC%20rates.pdf", "€ rates.pdf"),
      ("attachment; filename*=utf8''%E2%82%AC%20rates.pdf", "€ rates.pdf"),
      ("attachment; filename*=utf-8''%E2%82%AC%20rates.pdf", "€ rates.pdf"),
      ("attachment; filename*=UTF-8''%E4%20rates.pdf", nil),
      ("attachment; filename*=ISO-8859-1''%A3%20rates.pdf", "£ rates.pdf"),
      ("attachment; filename*=ISO-8859-1''%82%20rates.pdf", "\u{82} rates.pdf"),
      ("attachment; filename*=ISO-8859-1''ABC.pdf", "ABC.pdf"),
      ("attachment; filename*=ISO-8859-1''%A3%2rates.pdf", nil),
      ("attachment; filename=\"invoice.pdf\"; filename*=ISO-8859-1''report%2", "invoice.pdf"),
      // Errand decodes more charsets than the two required charsets.
      ("attachment; filename*=ISO-8859-2''%A4%20rates.pdf", "¤ rates.pdf"),
      ("attachment; filename=\"EURO rates.pdf\"; filename*=x-none''%A4%20rates.pdf", "EURO rates.pdf"),
      ("attachment; filename*=UTF-8'en'%E2%82%AC%20rates.pdf", "€ rates.pdf"),
      ("attachment; filename=\"EURO rates.pdf\"; filename*=UTF-8''%E2%82%AC%20rates.pdf", "€ rates.pdf"),
      ("attachment; filename*=UTF-8''%E2%82%AC%20rates.pdf; filename=\"EURO rates.pdf\"", "€ rates.pdf"),
      ("attachment; filename*=UTF-8''first.html; filename*=UTF-8''second.html", "first.html"),
      ("attachment; filename*=UTF-8''%E4%20rates.pdf; filename*=UTF-8''second.html", nil),
      ("attachment; filename*=iso-8859-1''foo-%E4.html", "foo-ä.html"),
      ("attachment; filename*=UTF-8''foo-%c3%a4-%e2%82%ac.html", "foo-ä-€.html"),
      ("attachment; filename*=''foo-%c3%a4-%e2%82%ac.html", nil),
      ("attachment; filename*=UTF-8''foo-a%cc%88.html", "foo-a\u{308}.html"),
      ("attachment; filename*=iso-8859-1''foo-%c3%a4-%e2%82%ac.html", "foo-Ã¤-â\u{82}¬.html"),
      ("attachment; filename *=UTF-8''foo-%c3%a4.html", nil),
      ("attachment; filename*= UTF-8''foo-%c3%a4.html", "foo-ä.html"),
      ("attachment; filename* =UTF-8''foo-%c3%a4.html", "foo-ä.html"),
      // Quoted extended values are decoded as in Chromium. greenbytes and jshttp ignore such values.
      (#"attachment; filename*="UTF-8''foo-%c3%a4.html""#, "foo-ä.html"),
      (#"attachment; filename*="foo%20bar.html""#, nil),
      ("attachment; filename*=UTF-8'foo-%c3%a4.html", nil), ("attachment; filename*=UTF-8''foo%", nil),
      ("attachment; filename*=UTF-8''f%oo.html", nil),
      ("attachment; filename*=UTF-8''A-%2541.html", "A-%41.html"),
      ("attachment; filename*=UTF-8''%5cfoo.html", #"\foo.html"#),
      (#"attachment; filename="foo-ae.html"; filename*=UTF-8''foo-%c3%a4.html"#, "foo-ä.html"),
      (
        "attachment; filename*0*=ISO-8859-15''euro-sign%3d%a4; filename*=ISO-8859-1''currency-sign%3d%a4",
        "currency-sign=¤"
      ),
    ] as [(String, String?)])
  func extended(field: String, name: String?) {
    let found = ContentDisposition(field)?.filename
    #expect(found.map { Array($0.utf8) } == name.map { Array($0.utf8) })
  }

  /// The expectations are greenbytes', because jshttp does not join continuations.
  @Test(
    "The file name in continuations is parsed",
    arguments: [
      (#"attachment; filename*0="foo."; filename*1="html""#, "foo.html"),
      (#"attachment; filename*0="foo"; filename*1="\b\a\r.html""#, "foobar.html"),
      (#"attachment; filename*0*=UTF-8''foo-%c3%a4; filename*1=".html""#, "foo-ä.html"),
      (#"attachment; filename*0="foo"; filename*01="bar""#, "foo"),
      (#"attachment; filename*0="foo"; filename*2="bar""#, "foo"),
      (#"attachment; filename*1="foo."; filename*2="html""#, nil),
      (#"attachment; filename*1="bar"; filename*0="foo""#, "foobar"),
      // Vectors of this project.
      ("attachment; filename*0*=UTF-8''a%c3; filename*1*=%a4%e2%82; filename*2*=%ac.txt", "aä€.txt"),
      ("attachment; filename*0*=UTF-8''a%c3; filename*1=b; filename=c", "c"),
      ("attachment; filename*0*=UTF-8''%c3%a4; filename*1=\"%41\"; filename*2*=%41", "ä%41A"),
      ("attachment; filename*0*=UTF-8''a%; filename=c", "c"), ("attachment; filename*0*=a; filename=c", "c"),
      ("attachment; filename*0=a; filename*1*=%41; filename=c", "c"),
      ("attachment; filename=c; filename*0=a; filename*1=b", "ab"),
      ("attachment; filename*0=a; filename*0=b; filename*1=c", "ac"),
      ("attachment; filename*0*=UTF-8'en'a; filename*0=b", "a"),
      ("attachment; filename*=x; filename*0=a", "a"),
      ("attachment; filename*00=a", nil), ("attachment; filename*-0=a; filename*a=b", nil),
      ("attachment; filename*\u{301}0=a", nil),
    ] as [(String, String?)])
  func continuations(field: String, name: String?) {
    #expect(ContentDisposition(field)?.filename == name)
  }

  @Test(
    "In a form a backslash is literal, except before a quote that does not end the value",
    arguments: [
      (#"form-data; name="upload"; filename="the %22plans%22.pdf""#, "upload", "the %22plans%22.pdf"),
      (#"form-data; name="upload"; filename="foo%2""#, "upload", "foo%2"),
      (#"form-data; name="upload"; filename="€ rates.pdf""#, "upload", "€ rates.pdf"),
      (#"form-data; name="foo%20bar"; filename="foo%41bar.txt""#, "foo%20bar", "foo%41bar.txt"),
      (#"form-data; name="a\\"; filename="b.txt""#, #"a\\"#, "b.txt"),
      (#"form-data; name="a\"; filename="b.txt""#, #"a\"#, "b.txt"),
      (#"form-data; name="a"; filename="b\""#, "a", #"b\"#),
      (#"form-data; name="a"; filename="b\" "#, "a", #"b\"#),
      (#"form-data; name="a"; filename="C:\dir\b.txt""#, "a", #"C:\dir\b.txt"#),
      (#"form-data; name="a \"b\" c"; filename="\"d\".txt""#, #"a "b" c"#, #""d".txt"#),
      (#"form-data; name = a b ; filename = c d "#, "a b", "c d"),
      (#"form-data; name="a"; filename="b"#, "a", nil),
    ] as [(String, String, String?)])
  func forms(field: String, name: String, filename: String?) {
    let part = BodyPart(headers: ["Content-Disposition": field], body: .none)
    #expect(part.name == name)
    #expect(part.filename == filename)
  }

  @Test("A written part is read as the same part")
  func roundTrip() {
    var random = SeededGenerator(seed: 18)
    for _ in 0..<2_000 {
      let name = random.text(6, of: #"ab\;= é"#)
      let filename = random.text(6, of: #"ab\;=.* '"#)
      let part = BodyPart(name: name, filename: filename, body: .none)
      #expect(part.name == name)
      #expect(part.filename == filename)
    }
  }
}
