"""A collector of OpenTelemetry for one test: takes OTLP/HTTP in JSON by the protocol's own messages, and compares the names of attributes with the
semantic conventions, both from packages of OpenTelemetry. Answers with what it has read, or 400 and what is wrong.

python otlp.py PORT
"""

import base64
import http.server
import json
import pkgutil
import sys

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status
from opentelemetry.semconv import attributes

# Stable ones are required where they are so by the conventions, whatever a span is of.
REQUIRED = {"http.request.method", "server.address", "server.port", "url.full"}
# Names that end in a key of the caller's.
TEMPLATES = {"http.request.header": "array_value", "http.response.header": "array_value"}
NUMBERS = {"server.port", "network.peer.port", "http.response.status_code", "http.request.resend_count"}


def known_names():
    names = set()
    for package in (attributes, __import__("opentelemetry.semconv._incubating.attributes", fromlist=["x"])):
        for module in pkgutil.iter_modules(package.__path__):
            loaded = __import__(f"{package.__name__}.{module.name}", fromlist=["x"])
            names |= {value for value in vars(loaded).values() if isinstance(value, str) and "." in value}
    assert REQUIRED <= names and "url.template" in names, "the conventions lack what is to be compared"
    return names


def with_bytes(spans):
    """OTLP has identifiers in hexadecimal digits, where the JSON of protobuf has bytes in base64."""
    for span in spans:
        for key in ("traceId", "spanId", "parentSpanId"):
            if key in span:
                span[key] = base64.b64encode(bytes.fromhex(span[key])).decode()


def check(span, names):
    found = {attribute.key: attribute.value.WhichOneof("value") for attribute in span.attributes}
    assert len(found) == len(span.attributes), "an attribute is there twice"
    for name, kind in found.items():
        template = next((template for template in TEMPLATES if name.startswith(template + ".")), None)
        assert template or name in names, f"{name} is no attribute of the conventions"
        expected = TEMPLATES[template] if template else "int_value" if name in NUMBERS else "string_value"
        assert kind == expected, f"{name} is a {kind}, not a {expected}"
    if span.kind == Span.SPAN_KIND_CLIENT:
        assert REQUIRED <= found.keys(), f"{REQUIRED - found.keys()} missing"
        assert ("error.type" in found) == (span.status.code == Status.STATUS_CODE_ERROR), "error.type and the status disagree"
    assert span.end_time_unix_nano >= span.start_time_unix_nano > 0, "it ends before it starts"


def read(body, names):
    document = json.loads(body)
    for resource in document["resourceSpans"]:
        for scope in resource["scopeSpans"]:
            with_bytes(scope["spans"])
    message = json_format.ParseDict(document, ExportTraceServiceRequest())
    spans = [span for resource in message.resource_spans for scope in resource.scope_spans for span in scope.spans]
    for span in spans:
        assert len(span.trace_id) == 16 and len(span.span_id) == 8, "an identifier has another length"
        check(span, names)
    roots = [span for span in spans if not span.parent_span_id]
    assert len(roots) == 1, f"{len(roots)} spans have no parent"
    children = [span for span in spans if span.parent_span_id == roots[0].span_id]
    assert len(children) == len(spans) - 1, "not all are children of the first"
    children.sort(key=lambda span: span.start_time_unix_nano)
    traces = len({span.trace_id for span in spans})
    return f"{len(spans)} spans, {traces} trace: {roots[0].name} < {', '.join(span.name for span in children)}"


class Collector(http.server.BaseHTTPRequestHandler):
    names = known_names()

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            assert self.path == "/v1/traces" and self.headers["Content-Type"].startswith("application/json"), "not OTLP/HTTP"
            status, text = 200, read(body, self.names)
        except Exception as problem:  # Whatever it is, the test is to see it.
            status, text = 400, f"{type(problem).__name__}: {problem}"
        self.send_response(status)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Collector).serve_forever()
