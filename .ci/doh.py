"""A name server over HTTPS (RFC 8484) for the tests, on dnslib of PyPI: names below `served.example` are 127.0.0.1."""

import base64
from urllib.parse import parse_qs

from dnslib import QTYPE, RCODE, RR, A, DNSRecord


def app(environ, start_response):
    if environ["REQUEST_METHOD"] == "POST":
        message = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    else:
        text = parse_qs(environ["QUERY_STRING"])["dns"][0]
        message = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    query = DNSRecord.parse(message)
    reply = query.reply()
    name = str(query.q.qname)
    if not name.endswith("served.example."):
        reply.header.rcode = RCODE.NXDOMAIN
    elif query.q.qtype == QTYPE.A:
        reply.add_answer(RR(name, QTYPE.A, rdata=A("127.0.0.1"), ttl=60))
    body = bytes(reply.pack())
    start_response("200 OK", [("Content-Type", "application/dns-message"), ("Content-Length", str(len(body)))])
    return [body]
