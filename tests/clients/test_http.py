#!/usr/bin/python3
"""The HTTP rules of the endpoint, over raw sockets.

    tests/clients/test_http.py [--long] [PKSK [NAME...]]

starts `PKSK serve --memory --port 0` (build/release/pksk when none is named) and speaks to it byte by
byte. --long adds what needs minutes: time limits, bodies that together are too much. NAME: only the
tests whose name has it. Prints "ok NAME" or "FAILED NAME" lines, and "N passed, M failed".

Every answer that is read is checked for what all have in common (check).
"""
import gzip
import hashlib
import hmac
import json
import os
import re
import resource
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import zlib
from urllib.parse import quote

MB = 1024 * 1024
UNKNOWN = b"<UnknownOperationException/>\n"
HEALTHY = b"healthy: dynamodb.us-east-1.amazonaws.com "
SERIALIZATION = b'{"__type":"com.amazon.coral.service#SerializationException"}'
UNKNOWN_OPERATION = b'{"__type":"com.amazon.coral.service#UnknownOperationException"}'
MISSING_TOKEN = (b'{"__type":"com.amazon.coral.service#MissingAuthenticationTokenException",'
                 b'"message":"Request is missing Authentication Token"}')
INTERNAL = (b'{"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError","message":"The request '
            b'processing has failed because of an unknown error, exception or failure."}')
DATE = "20260102T030405Z"
AUTHORIZATION = ("AWS4-HMAC-SHA256 Credential=a/20260102/us-east-1/dynamodb/aws4_request, "
                 "SignedHeaders=host;x-amz-date, Signature=b")
FORM = {"Authorization": AUTHORIZATION, "X-Amz-Date": DATE}
JSON_TYPE = "application/x-amz-json-1.0"


# ---- the server, and answers ---------------------------------------------------------------------

class Answer:
    def __init__(self, version, status, headers, body):
        self.version, self.status, self.headers, self.body = version, status, headers, body

    def __getitem__(self, name):
        """The value of the header of that name, None when there is none; twice is an error."""
        values = [v for n, v in self.headers if n == name.lower()]
        assert len(values) <= 1, "%s is there %d times" % (name, len(values))
        return values[0] if values else None

    def json(self):
        return json.loads(self.body)

    def type(self):
        return self.json()["__type"].split("#")[1]

    def __repr__(self):
        return "%d %r %r" % (self.status, self.headers, self.body[:300])


class Closed(Exception):
    """The server closed the connection where an answer was due."""


class Connection:
    def __init__(self, port, timeout=60):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.rest = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)
        return self

    def more(self):
        try:
            data = self.socket.recv(1 << 16)
        except ConnectionResetError:
            data = b""
        self.rest += data
        return len(data) > 0

    def read_head(self):
        while b"\r\n\r\n" not in self.rest:
            if not self.more():
                raise Closed("after %r" % self.rest[:100])
        head, self.rest = self.rest.split(b"\r\n\r\n", 1)
        lines = head.decode("latin-1").split("\r\n")
        version, status = lines[0].split(" ")[:2]
        headers = [(n.lower(), v.strip()) for n, v in (line.split(":", 1) for line in lines[1:])]
        return version, int(status), headers

    def answer(self, has_body=True):
        version, status, headers = self.read_head()
        length = int(dict(headers).get("content-length", "0")) if has_body and status >= 200 else 0
        while len(self.rest) < length:
            if not self.more():
                raise Closed("in the body")
        body, self.rest = self.rest[:length], self.rest[length:]
        return check(Answer(version, status, headers, body)) if status >= 200 else Answer(version, status, headers, body)

    def is_closed(self):
        """True when the server closes and sends nothing more."""
        try:
            return self.rest == b"" and self.socket.recv(1) == b""
        except ConnectionResetError:
            return True


def check(answer):
    """What all of the server's own answers have."""
    if answer["x-amzn-requestid"] is not None:
        assert re.fullmatch("[0-9A-Z]{52}", answer["x-amzn-requestid"]), answer
        assert answer["content-length"] is not None, answer
        if answer.body or answer["content-length"] == "0":
            assert answer["x-amz-crc32"] == str(zlib.crc32(answer.body)), answer
        assert answer["server"] == "pksk" and answer["date"], answer
        assert re.fullmatch(r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT", answer["date"]), answer
    return answer


class Server:
    """A served store of its own; stop() asserts that it ends well."""

    def __init__(self, *options, files=None):
        self.log = tempfile.TemporaryFile()
        limit = None if files is None else lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
        self.process = subprocess.Popen([PKSK, "serve", "--memory", "--port", "0"] + list(options),
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log, preexec_fn=limit)
        self.first = self.process.stdout.readline().decode()
        match = re.search(r"http://[^ ]+:(\d+)", self.first)
        if match is None:
            self.process.wait()
            raise AssertionError("no server: %r %r" % (self.first, self.errors()))
        self.port = int(match.group(1))
        self.limit = int(re.search(r"up to (\d+) connections", self.first).group(1))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def errors(self):
        self.log.seek(0)
        return self.log.read().decode("utf-8", "replace")

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(60)
        self.process.stdout.close()
        assert status == 0 and "Sanitizer" not in self.errors(), "exit %d: %s" % (status, self.errors()[-4000:])

    def connect(self, timeout=60):
        return Connection(self.port, timeout)

    def ask(self, data, has_body=True):
        with self.connect() as connection:
            return connection.send(data).answer(has_body)

    def call(self, operation, body, **headers):
        """An API call with well-formed credentials."""
        return self.ask(api(operation, body, **headers))

    def item(self, key):
        return self.call("GetItem", {"TableName": "tbl", "Key": {"k": {"S": key}}, "ConsistentRead": True}).json().get("Item")

    def make_table(self):
        answer = self.call("CreateTable", {
            "TableName": "tbl", "AttributeDefinitions": [{"AttributeName": "k", "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": "k", "KeyType": "HASH"}], "BillingMode": "PAY_PER_REQUEST"})
        assert answer.status == 200, answer


def raw(method="POST", path="/", headers=(), body=b"", host="localhost", version="HTTP/1.1", length=True):
    """The bytes of a request; headers as a dict or pairs."""
    pairs = list(headers.items()) if isinstance(headers, dict) else list(headers)
    lines = ["%s %s %s" % (method, path, version)]
    if host is not None:
        lines.append("Host: " + host)
    lines += ["%s: %s" % pair for pair in pairs]
    if length and (body or method == "POST"):
        lines.append("Content-Length: %d" % len(body))
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def api(operation, body, prefix="DynamoDB_20120810", **headers):
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    named = {"Content-Type": JSON_TYPE, "X-Amz-Target": prefix + "." + operation}
    named.update(FORM)
    named.update((name.replace("_", "-"), value) for name, value in headers.items())
    return raw(headers=named, body=data)


def put(key, **headers):
    return api("PutItem", {"TableName": "tbl", "Item": {"k": {"S": key}, "v": {"S": "value of " + key}}}, **headers)


LIST = api("ListTables", {})


def expect(answer, status, body=None, crc=None, kind=None):
    assert answer.status == status, answer
    if body is not None:
        assert answer.body == body, answer
    if crc is not None:
        assert answer["x-amz-crc32"] == str(crc), answer
    if kind is not None:
        assert answer["content-type"] == kind, answer
    return answer


# ---- tests ---------------------------------------------------------------------------------------

TESTS = []


def test(function):
    TESTS.append(function)
    return function


def long_test(function):
    if LONG:
        TESTS.append(function)
    return function


LONG = "--long" in sys.argv


@test
def get_is_health(s):
    for path in ("/", "/?a=b"):
        answer = expect(s.ask(raw("GET", path)), 200, HEALTHY, 3128867991)
        assert answer["content-length"] == "42" and answer["x-amzn-requestid"], answer
    for path in ("/any/path", "/shell", "/health"):
        assert s.ask(raw("GET", path)).status == 404


@test
def other_methods_are_404(s):
    for method in ("PUT", "DELETE", "OPTIONS", "PATCH", "FOO", "post"):
        answer = expect(s.ask(raw(method)), 404, UNKNOWN, 3552371480)
        assert answer["content-length"] == "29" and answer["x-amzn-requestid"], answer
    answer = s.ask(raw("HEAD"), has_body=False)
    expect(answer, 404, b"")
    assert answer["content-length"] == "29" and answer["x-amz-crc32"] == "3552371480", answer
    for method in ("PUT", "DELETE"):
        expect(s.ask(api("ListTables", {}).replace(b"POST", method.encode(), 1)), 404, UNKNOWN)


@test
def other_content_types_are_404(s):
    for kind in (None, "whatever", "application/x-amz-json-1.1", "application/jsonasdf", "text/json", "", ";application/json"):
        expect(s.ask(raw(headers={} if kind is None else {"Content-Type": kind}, body=b"hi")), 404, UNKNOWN, 3552371480)
        named = dict(FORM, **{"X-Amz-Target": "DynamoDB_20120810.ListTables"})
        if kind is not None:
            named["Content-Type"] = kind
        expect(s.ask(raw(headers=named, body=b"{}")), 404, UNKNOWN)


@test
def a_body_that_is_no_json(s):
    plain = "application/json"
    for kind, answered in ((plain, plain), (plain + ";", plain), ("  application/json  ;   asfd", plain), (plain + ";blah", plain),
                           (JSON_TYPE, JSON_TYPE), (JSON_TYPE + ";blah", JSON_TYPE), (JSON_TYPE + "; charset=utf-8", JSON_TYPE)):
        expect(s.ask(raw(headers={"Content-Type": kind}, body=b"hi")), 400, SERIALIZATION, 3948637019, answered)
    for body in (b"{", b'{"a":}', b"{}x", b'{"a":1,}', b'{"TableName":"\xff"}', b"\xef\xbb\xbf{}", b"{'a':1}", b"\0", b'{"a":"\n"}',
                 b'{"a":01}', b'{"a":"\\u12"}', b"nul", b"[" * 100000):
        expect(s.call("ListTables", body), 400, SERIALIZATION, 3948637019, JSON_TYPE)
    for body in (b"[]", b"1", b'"x"', b"null", b"true"):
        answer = s.call("GetItem", body)
        assert answer.status == 400 and answer.type() == "SerializationException", (body, answer)


@test
def unknown_targets(s):
    kind = {"Content-Type": JSON_TYPE}
    expect(s.ask(raw(headers=kind, body=b"{}")), 400, UNKNOWN_OPERATION, 1368724161, JSON_TYPE)
    expect(s.ask(raw(headers={"Content-Type": "application/json"}, body=b"{}")), 400, UNKNOWN_OPERATION, 1368724161, "application/json")
    expect(s.ask(raw()), 400, UNKNOWN_OPERATION, 1368724161, "application/json")
    for target in ("whatever", "DynamoDB_20120810.ListTable", "DynamoDB_20120810", "DynamoDB_20120810.", ".ListTables", "ListTables",
                   "DynamoDB_20120810.listtables", "DynamoDB_20120810.ListTables.x", "DynamoDBStreams_20120810.GetItem",
                   "DynamoDB_20120810.ListStreams", "DynamoDB_20120811.ListTables", "", "DynamoDB_20120810.ListTables "):
        named = dict(kind, **FORM)
        named["X-Amz-Target"] = target
        answer = s.ask(raw(headers=named, body=b"{}"))
        if target == "DynamoDB_20120810.ListTables ":
            expect(answer, 200)
        else:
            expect(answer, 400, UNKNOWN_OPERATION, 1368724161, JSON_TYPE)


@test
def both_prefixes(s):
    assert expect(s.call("ListTables", {}), 200).json().keys() == {"TableNames"}
    assert expect(s.call("ListStreams", {}, prefix="DynamoDBStreams_20120810"), 200).json() == {"Streams": []}


@test
def the_order_of_faults(s):
    kind = {"Content-Type": JSON_TYPE}
    good = "DynamoDB_20120810.ListTables"
    expect(s.ask(raw(headers=kind, body=b"hi")), 400, SERIALIZATION)
    expect(s.ask(raw(headers=dict(kind, **{"X-Amz-Target": good}), body=b"hi")), 400, SERIALIZATION)
    expect(s.ask(raw(headers=dict(kind, **{"X-Amz-Target": "x"}), body=b"{}")), 400, UNKNOWN_OPERATION)
    expect(s.ask(raw(headers={"X-Amz-Target": good})), 400, MISSING_TOKEN)
    expect(s.ask(raw(headers=dict(FORM, **{"X-Amz-Target": good}))), 400, SERIALIZATION, 3948637019)
    answer = s.ask(raw(headers=dict(kind, **{"X-Amz-Target": "DynamoDB_20120810.GetItem"}), body=b'{"TableName":1}'))
    expect(answer, 400, MISSING_TOKEN)
    expect(s.ask(raw("GET", headers=dict(kind, **{"Content-Encoding": "nonsense"}))), 200, HEALTHY)


@test
def authentication_forms(s):
    """With the CRCs of the service's own answers, as public tests of its behaviour give them."""
    def asked(crc, name, message, path="/", **headers):
        named = dict({"X-Amz-Target": "DynamoDB_20120810.ListTables", "Content-Type": "application/json"}, **headers)
        body = json.dumps({"__type": "com.amazon.coral.service#" + name, "message": message}, separators=(",", ":")).encode()
        expect(s.ask(raw(path=path, headers=named)), 400, body, crc, "application/json")
    missing = "Request is missing Authentication Token"
    header = "Authorization header requires '%s' parameter. "
    query = "AWS query-string parameters must include '%s'. "
    asked(2088342776, "MissingAuthenticationTokenException", missing)
    asked(2088342776, "MissingAuthenticationTokenException", missing, Authorization="AWS4")
    asked(2088342776, "MissingAuthenticationTokenException", missing, path="/?X-Amz-Algorith", Authorization="X")
    asked(2088342776, "MissingAuthenticationTokenException", missing,
          path="/?X-Amz-Credential=a&X-Amz-Signature=b&X-Amz-SignedHeaders=c&X-Amz-Date=d")
    asked(2139606068, "InvalidSignatureException", "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.",
          path="/?X-Amz-Algorithm", Authorization="X")
    asked(1828866742, "IncompleteSignatureException", header % "Credential" + header % "Signature" + header % "SignedHeaders" +
          "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. Authorization=AWS4-", Authorization="AWS4-")
    for crc, text in ((15336762, "AWS4- Signature=b Credential=a"), (1159703774, "AWS4- Signature=b,Credential=a"),
                      (164353342, "AWS4- Signature=b, Credential=a")):
        asked(crc, "IncompleteSignatureException", header % "SignedHeaders" + "Authorization=" + text, Authorization=text, Date="a")
    asked(2900502663, "IncompleteSignatureException", "".join(query % ("X-Amz-" + name) for name in (
        "Algorithm", "Credential", "Signature", "SignedHeaders", "Date")) + "Re-examine the query-string parameters.", path="/?X-Amz-Algorithm")
    asked(3712057481, "IncompleteSignatureException", query % "X-Amz-SignedHeaders" + "Re-examine the query-string parameters.",
          path="/?X-Amz-Algorithm=a&X-Amz-Credential=b&X-Amz-Signature=c&X-Amz-Date=d")
    asked(None, "IncompleteSignatureException", "Date must be in ISO-8601 'basic format'. Got '201'. See http://en.wikipedia.org/wiki/ISO_8601",
          **{"Authorization": AUTHORIZATION, "X-Amz-Date": "201"})
    asked(None, "InvalidSignatureException", "'Host' must be a 'SignedHeader' in the AWS Authorization.",
          **dict(FORM, Authorization=AUTHORIZATION.replace("host;", "")))
    asked(None, "InvalidSignatureException", "Credential should be scoped to correct service: 'dynamodb'. ",
          **dict(FORM, Authorization=AUTHORIZATION.replace("dynamodb", "s3")))


@test
def credentials_in_the_query(s):
    path = "/?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=a%2F20260102%2Feu-west-1%2Fdynamodb%2Faws4_request&X-Amz-Date=" + DATE + \
        "&X-Amz-SignedHeaders=host&X-Amz-Signature=b"
    expect(s.ask(raw(path=path, headers={"Content-Type": JSON_TYPE, "X-Amz-Target": "DynamoDB_20120810.ListTables"}, body=b"{}")), 200)


@test
def wrong_member_types(s):
    answer = expect(s.call("GetItem", {"TableName": 1}), 400, kind=JSON_TYPE)
    assert answer.json() == {"__type": "com.amazon.coral.service#SerializationException", "Message": "NUMBER_VALUE cannot be converted to String"}, answer
    answer = expect(s.call("GetItem", {}), 400)
    assert answer.type() == "ValidationException" and answer.json()["message"].startswith("2 validation errors detected: "), answer
    assert expect(s.call("ListTables", {"Unknown": [1, {"x": None}], "Limit": None}), 200).json() == s.call("ListTables", {}).json()


@test
def content_types_are_echoed(s):
    for kind in (JSON_TYPE, "application/json"):
        expect(s.call("ListTables", {}, Content_Type=kind), 200, kind=kind)
        expect(s.call("ListTables", {}, Content_Type=kind + "; charset=utf-8"), 200, kind=kind)


@test
def request_ids_differ(s):
    with s.connect() as connection:
        ids = {connection.send(LIST).answer()["x-amzn-requestid"] for _ in range(300)}
    assert len(ids) == 300


@test
def keep_alive_and_close(s):
    with s.connect() as connection:
        for i in range(20):
            answer = connection.send(LIST if i % 3 else raw("GET")).answer()
            assert answer.status == 200 and answer["connection"] in (None, "keep-alive", "Keep-Alive"), answer
        expect(connection.send(raw("PUT")).answer(), 404)
        expect(connection.send(raw(headers={"Content-Type": JSON_TYPE}, body=b"hi")).answer(), 400)
        answer = connection.send(api("ListTables", {}, Connection="close")).answer()
        assert answer.status == 200 and answer["connection"].lower() == "close" and connection.is_closed(), answer


@test
def http_1_0(s):
    old = LIST.replace(b"HTTP/1.1", b"HTTP/1.0")
    with s.connect() as connection:
        expect(connection.send(old).answer(), 200)
        assert connection.is_closed()
    with s.connect() as connection:
        for _ in range(3):
            answer = expect(connection.send(old.replace(b"Host", b"Connection: keep-alive\r\nHost")).answer(), 200)
            assert answer["connection"].lower() == "keep-alive", answer
    expect(s.ask(raw("GET", host=None, version="HTTP/1.0")), 200, HEALTHY)


@test
def pipelining(s):
    with s.connect() as connection:
        connection.send(b"".join(put("pipe%d" % i) for i in range(60)))
        for _ in range(60):
            expect(connection.answer(), 200, b"{}")
        assert connection.rest == b""
        asked = [api("GetItem", {"TableName": "tbl", "Key": {"k": {"S": "pipe%d" % i}}}) if i % 2 else raw("PUT", body=b"x" * i)
                 for i in range(60)]
        connection.send(b"".join(asked))
        for i in range(60):
            answer = connection.answer()
            if i % 2:
                assert answer.json()["Item"]["k"] == {"S": "pipe%d" % i}, answer
            else:
                expect(answer, 404, UNKNOWN)
        connection.send(LIST + LIST.replace(b"Host", b"Connection: close\r\nHost") + put("after close"))
        expect(connection.answer(), 200)
        expect(connection.answer(), 200)
        assert connection.is_closed()
    assert s.item("after close") is None


@test
def a_request_split_at_every_byte(s):
    request = put("split")
    with s.connect() as connection:
        for i in range(1, len(request)):
            connection.send(request[:i])
            time.sleep(0.0005)
            expect(connection.send(request[i:]).answer(), 200, b"{}")
    assert s.item("split") is not None


@test
def a_request_byte_by_byte(s):
    with s.connect() as connection:
        for request in (put("bytes"), chunked(put("bytes2"), 7)):
            for i in range(len(request)):
                connection.send(request[i:i + 1])
            expect(connection.answer(), 200, b"{}")
    assert s.item("bytes") and s.item("bytes2")


@test
def a_slow_request(s):
    request = put("slow")
    with s.connect() as connection:
        for part in range(0, len(request), len(request) // 20):
            connection.send(request[part:part + len(request) // 20])
            time.sleep(0.1)
        expect(connection.answer(), 200, b"{}")
    assert s.item("slow")


# ---- Host, CORS ----

@test
def foreign_hosts_are_refused(s):
    for host in ("evil.example", "evil.example:%d" % s.port, "localhost.evil.example", "127.0.0.1.evil.example", "", "evil@localhost",
                 "xlocalhost", "allowed.example", "[::1"):
        answer = s.ask(put("foreign").replace(b"localhost", host.encode(), 1))
        assert answer.status == 403 and answer["connection"].lower() == "close", (host, answer)
        assert b"--allow-host" in answer.body and answer["access-control-allow-origin"] is None
        assert s.ask(raw("GET", host=host)).status == 403
    assert s.item("foreign") is None
    for host in ("localhost", "LOCALHOST:%d" % s.port, "127.0.0.1", "127.0.0.1:8000", "[::1]:8000", "a.localhost", "10.1.2.3:80"):
        expect(s.ask(LIST.replace(b"localhost", host.encode(), 1)), 200)
    with Server("--allow-host", "allowed.example", "--allow-host", "other.example") as other:
        for host in ("allowed.example", "ALLOWED.example:1234", "other.example", "localhost"):
            expect(other.ask(LIST.replace(b"localhost", host.encode(), 1)), 200)
        for host in ("x.allowed.example", "allowed.example.evil"):
            expect(other.ask(LIST.replace(b"localhost", host.encode(), 1)), 403)


@test
def one_host(s):
    for request in (LIST.replace(b"Host: localhost\r\n", b""), LIST.replace(b"Host", b"Host: localhost\r\nHost"),
                    LIST.replace(b"Host: localhost", b"Host: localhost\r\nHost: evil.example")):
        with s.connect() as connection:
            expect(connection.send(request).answer(), 400)
            assert connection.is_closed()


def cors_of(answer):
    return {name: value for name, value in answer.headers if name.startswith("access-control-")}


@test
def cors_is_off(s):
    for request in (raw("GET", headers={"Origin": "http://a"}), api("ListTables", {}, Origin="http://a"),
                    raw("OPTIONS", headers={"Origin": "http://a", "Access-Control-Request-Method": "POST"})):
        answer = s.ask(request)
        assert cors_of(answer) == {}, answer
        assert answer.status == (404 if request.startswith(b"OPTIONS") else 200), answer


@test
def cors_of_one_origin(s):
    exposed = {"access-control-allow-origin": "http://a.example:3000",
               "access-control-expose-headers": "x-amzn-RequestId,x-amzn-ErrorType,x-amzn-ErrorMessage,Date"}
    with Server("--cors", "http://a.example:3000") as other:
        origin = {"Origin": "http://a.example:3000"}
        assert cors_of(expect(other.call("ListTables", {}, **origin), 200)) == exposed
        assert cors_of(expect(other.call("GetItem", {}, **origin), 400)) == exposed
        assert cors_of(expect(other.ask(raw("GET", headers=origin)), 200, HEALTHY)) == exposed
        assert cors_of(expect(other.ask(raw("PUT", headers=origin)), 404, UNKNOWN)) == exposed
        for wrong in ("http://b.example", "http://a.example", "null", "*", ""):
            assert cors_of(other.call("ListTables", {}, Origin=wrong)) == {}
            assert cors_of(expect(other.ask(raw("OPTIONS", headers={"Origin": wrong})), 404)) == {}
        assert cors_of(other.call("ListTables", {})) == {}
        expect(other.ask(raw("OPTIONS")), 404, UNKNOWN)
        answer = expect(other.ask(raw("OPTIONS", headers=origin)), 200, b"")
        assert cors_of(answer) == dict(exposed, **{"access-control-max-age": "172800"}) and answer["content-length"] == "0", answer
        asked = {"Access-Control-Request-Headers": "a, b, c", "Access-Control-Request-Method": "d"}
        answer = expect(other.ask(raw("OPTIONS", headers=dict(origin, **asked))), 200, b"")
        assert cors_of(answer) == dict(exposed, **{"access-control-max-age": "172800", "access-control-allow-headers": "a, b, c",
                                                   "access-control-allow-methods": "d"}), answer


@test
def cors_of_any_origin(s):
    with Server("--cors", "*") as other:
        assert cors_of(other.call("ListTables", {}, Origin="null"))["access-control-allow-origin"] == "*"
        assert cors_of(other.call("ListTables", {})) == {}
        assert other.ask(raw("OPTIONS", headers={"Origin": "x"})).status == 200
        assert other.ask(raw("OPTIONS", headers={"Origin": "x"}, host="evil.example")).status == 403


# ---- compression ----

def coded(operation, body, coding, data=None, **headers):
    plain = json.dumps(body).encode()
    packed = data if data is not None else gzip.compress(plain) if coding == "gzip" else zlib.compress(plain)
    return api(operation, packed, Content_Encoding=coding, **headers)


@test
def compressed_requests(s):
    item = {"TableName": "tbl", "Item": {"k": {"S": "packed"}, "v": {"S": "x" * 5000}}}
    for coding in ("gzip", "deflate"):
        item["Item"]["k"]["S"] = coding
        expect(s.ask(coded("PutItem", item, coding)), 200, b"{}")
        assert s.item(coding)["v"] == {"S": "x" * 5000}
    expect(s.call("ListTables", {}, Content_Encoding="identity"), 200)
    expect(s.ask(coded("ListTables", {}, "GZip", gzip.compress(b"{}"))), 200)
    item["Item"]["k"]["S"] = "chunked gzip"
    expect(s.ask(chunked(coded("PutItem", item, "gzip"), 11)), 200, b"{}")
    assert s.item("chunked gzip")
    expect(s.ask(coded("ListTables", {}, "gzip", gzip.compress(b"hi"))), 400, SERIALIZATION)


@test
def compressed_requests_that_are_none(s):
    good = gzip.compress(json.dumps({"TableName": "tbl", "Item": {"k": {"S": "broken"}}}).encode())
    for coding, data in (("gzip", b"{}"), ("gzip", good[:-1]), ("gzip", good[:20]), ("gzip", good + b"x"), ("deflate", b"{}"),
                         ("gzip", good[:-6] + b"\0" + good[-5:]), ("deflate", good), ("gzip", b"\x1f\x8b"), ("gzip", b"\0")):
        answer = s.ask(coded("PutItem", None, coding, data))
        expect(answer, 500, INTERNAL, kind=JSON_TYPE)
    for coding in ("br", "zstd", "gzip, gzip", "nonsense"):
        answer = s.ask(coded("PutItem", None, coding, good))
        assert 400 <= answer.status < 500, answer
    assert s.item("broken") is None


@test
def a_bomb(s):
    data = gzip.compress(b'{"TableName":"tbl","Item":{"k":{"S":"bomb"}}}' + b" " * (400 * MB), 9)
    with s.connect() as connection:
        answer = connection.send(coded("PutItem", None, "gzip", data)).answer()
        expect(answer, 413, b"")
    exact = b'{"TableName":"tbl","Item":{"k":{"S":"no bomb"}}}'
    expect(s.ask(coded("PutItem", None, "gzip", gzip.compress(exact + b" " * (16 * MB - len(exact))))), 200, b"{}")
    expect(s.ask(coded("PutItem", None, "gzip", gzip.compress(exact + b" " * (16 * MB - len(exact) + 1)))), 413, b"")
    assert s.item("bomb") is None and s.item("no bomb")


@test
def compressed_answers(s):
    value = "".join(chr(97 + i % 26) for i in range(6000))
    expect(s.call("PutItem", {"TableName": "tbl", "Item": {"k": {"S": "large"}, "v": {"S": value}}}), 200)
    key = {"TableName": "tbl", "Key": {"k": {"S": "large"}}}
    plain = expect(s.call("GetItem", key), 200)
    assert plain["content-encoding"] is None and len(plain.body) > 4096
    for accepted, coding, unpack in (("gzip", "gzip", gzip.decompress), ("gzip, deflate, br", "gzip", gzip.decompress),
                                     ("deflate", "deflate", zlib.decompress), ("br, gzip;q=0.5", "gzip", gzip.decompress),
                                     ("identity", None, bytes), ("gzip;q=0", None, bytes), ("GZIP ; Q=0.00", None, bytes),
                                     ("Gzip;q=0.001", "gzip", gzip.decompress), ("br", None, bytes), ("", None, bytes),
                                     ("gzip;q=0, deflate", "deflate", zlib.decompress)):
        answer = expect(s.call("GetItem", key, Accept_Encoding=accepted), 200, kind=JSON_TYPE)
        assert answer["content-encoding"] == coding, (accepted, answer)
        assert unpack(answer.body) == plain.body and (coding is None) == (len(answer.body) > 4096), (accepted, answer)
    assert s.call("ListTables", {}, Accept_Encoding="gzip")["content-encoding"] is None


# ---- bodies ----

def chunked(request, size, extension=b"", trailer=b""):
    """The same request with its body in chunks."""
    head, body = request.split(b"\r\n\r\n", 1)
    head = re.sub(rb"\r\nContent-Length: \d+", b"", head) + b"\r\nTransfer-Encoding: chunked"
    parts = [b"%x%s\r\n%s\r\n" % (len(body[i:i + size]), extension, body[i:i + size]) for i in range(0, len(body), size)]
    return head + b"\r\n\r\n" + b"".join(parts) + b"0\r\n" + trailer + b"\r\n"


@test
def chunked_bodies(s):
    with s.connect() as connection:
        for size in (1, 3, 64, 100000):
            expect(connection.send(chunked(put("chunk%d" % size), size)).answer(), 200, b"{}")
        expect(connection.send(chunked(put("extension"), 16, b";a=b")).answer(), 200, b"{}")
        expect(connection.send(chunked(put("trailer"), 16, trailer=b"X-After: 1\r\n")).answer(), 200, b"{}")
        expect(connection.send(chunked(LIST, 64) + LIST).answer(), 200)
        expect(connection.answer(), 200)
    for key in ("chunk1", "chunk3", "chunk64", "chunk100000", "extension", "trailer"):
        assert s.item(key), key


@test
def broken_chunks(s):
    head = chunked(put("broken chunk"), 64).split(b"\r\n\r\n")[0] + b"\r\n\r\n"
    body = put("broken chunk").split(b"\r\n\r\n")[1]
    for sent in (b"xyz\r\n" + body, b"-5\r\n" + body, b"ffffffffffffffffffff\r\n" + body, b"%x\r\n%s0\r\n\r\n" % (len(body), body),
                 b"5 5\r\n" + body, b"\r\n\r\n"):
        with s.connect() as connection:
            connection.send(head + sent)
            connection.socket.shutdown(socket.SHUT_WR)
            try:
                answer = connection.answer()
                assert 400 <= answer.status < 500, (sent, answer)
            except Closed:
                pass
    assert s.item("broken chunk") is None


@test
def the_largest_body(s):
    text = b'{"TableName":"tbl","Item":{"k":{"S":"16 MB"}}}'
    whole = text + b" " * (16 * MB - len(text))
    with s.connect() as connection:
        expect(connection.send(api("PutItem", whole)).answer(), 200, b"{}")
        expect(connection.send(chunked(api("PutItem", whole), MB)).answer(), 200, b"{}")
    assert s.item("16 MB")


@test
def bodies_that_are_too_large(s):
    text = b'{"TableName":"tbl","Item":{"k":{"S":"over"}}}'
    whole = text + b" " * (16 * MB - len(text) + 1)
    with s.connect() as connection:
        connection.send(api("PutItem", whole).split(b"\r\n\r\n")[0] + b"\r\n\r\n")
        answer = expect(connection.answer(), 413, b"")
        assert answer["content-type"] is None and connection.is_closed(), answer
    with s.connect() as connection:
        answer = expect(connection.send(chunked(api("PutItem", whole), MB)).answer(), 413, b"")
        assert connection.is_closed(), answer
    for length in (b"17000000", b"999999999999", b"99999999999999999"):
        expect(s.ask(re.sub(rb"Content-Length: \d+", b"Content-Length: " + length, LIST)), 413, b"")
    assert s.item("over") is None


@test
def one_hundred_continue(s):
    request = put("continued", Expect="100-continue")
    head, body = request.split(b"\r\n\r\n", 1)
    with s.connect() as connection:
        connection.send(head + b"\r\n\r\n")
        interim = connection.answer()
        assert interim.status == 100, interim
        expect(connection.send(body).answer(), 200, b"{}")
        expect(connection.send(LIST).answer(), 200)
    assert s.item("continued")
    with s.connect() as connection:
        large = re.sub(rb"Content-Length: \d+", b"Content-Length: 16777217", head)
        expect(connection.send(large + b"\r\n\r\n").answer(), 413, b"")
        assert connection.is_closed()
    with s.connect() as connection:
        expect(connection.send(head.replace(b"localhost", b"evil.example") + b"\r\n\r\n").answer(), 403)
        assert connection.is_closed()
    with s.connect() as connection:
        connection.send(chunked(request, 9).split(b"\r\n\r\n")[0] + b"\r\n\r\n")
        assert connection.answer().status == 100
        expect(connection.send(chunked(request, 9).split(b"\r\n\r\n", 1)[1]).answer(), 200, b"{}")


# ---- heads ----

@test
def large_heads(s):
    for size in (1000, 15000):
        expect(s.call("ListTables", {}, X_Other="x" * size), 200)
    for request in (api("ListTables", {}, X_Other="x" * 17000), api("ListTables", {}, **{"x-%d" % i: "y" * 500 for i in range(40)}),
                    api("ListTables", {}, **{"x-%d" % i: "y" for i in range(1000)}), api("ListTables", {}, X_Other="x" * 40000)):
        with s.connect() as connection:
            answer = connection.send(request).answer()
            expect(answer, 431)
            assert connection.is_closed()
    expect(s.ask(raw("GET", "/?" + "q" * 15000)), 200, HEALTHY)
    for size in (17000, 40000):
        with s.connect() as connection:
            answer = connection.send(raw("GET", "/?" + "q" * size)).answer()
            assert answer.status in (414, 431), answer
            assert connection.is_closed()
    expect(s.call("ListTables", {}, **{"x-%d" % i: "y" for i in range(200)}), 200)


@test
def heads_without_end(s):
    for start, more in ((b"GET /", b"x" * 65536), (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ", b"x" * 65536),
                        (b"GET / HTTP/1.1\r\nHost: localhost\r\n", b"A: b\r\n" * 10000), (b"", b"x" * 65536), (b"", b"\r\n" * 32768)):
        with s.connect(20) as connection:
            try:
                connection.send(start)
                for _ in range(64):
                    connection.send(more)
            except (ConnectionResetError, BrokenPipeError):
                pass
            try:
                answer = connection.answer()
                assert 400 <= answer.status < 500, answer
            except Closed:
                pass
            assert connection.is_closed() or True
    expect(s.ask(LIST), 200)


SMUGGLED = b"GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n"


def with_lengths(lengths):
    """A request with these lines instead of its length, and a second one that they could hide."""
    return LIST.replace(b"Content-Length: 2", lengths) + SMUGGLED


@test
def lengths_that_lie(s):
    for lengths in (b"Content-Length: 2\r\nContent-Length: 2", b"Content-Length: 2\r\nContent-Length: 60",
                    b"Content-Length: 2\r\nTransfer-Encoding: chunked", b"Transfer-Encoding: chunked\r\nContent-Length: 2",
                    b"Transfer-Encoding: gzip", b"Transfer-Encoding: chunked, identity", b"Transfer-Encoding: identity",
                    b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", b"Transfer-Encoding: xchunked",
                    b"Content-Length: 2\r\nTransfer-Encoding:", b"Content-Length : 2", b"Content-Length\t: 2",
                    b"Transfer-Encoding : chunked", b"Content-Length: 2\r\nContent-Length : 60",
                    b"Content-Length: 2\r\nTransfer-Encoding : chunked", b"Content-Length:\r\n 2", b"Content-Length: 2\r\n 5",
                    b"Transfer-Encoding:\r\n chunked", b"X: y\r\n Content-Length: 2"):
        with s.connect(20) as connection:
            answer = connection.send(with_lengths(lengths)).answer()
            expect(answer, 400, b"")
            assert connection.is_closed(), (lengths, connection.rest)


@test
def lengths_that_are_none(s):
    """The library refuses these itself, and says so twice; nothing follows."""
    for lengths in (b"Content-Length: 2, 2", b"Content-Length: -2", b"Content-Length: +2", b"Content-Length: 0x2", b"Content-Length: two",
                    b"Content-Length:", b"Content-Length: 99999999999999999999999999"):
        with s.connect(20) as connection:
            connection.send(with_lengths(lengths))
            while connection.more():
                pass
            statuses = re.findall(rb"HTTP/1.1 (\d+)", connection.rest)
            assert statuses and set(statuses) <= {b"400", b"413"} and HEALTHY not in connection.rest, (lengths, connection.rest)


@test
def malformed_requests(s):
    """None is answered with success or takes the server down; all end."""
    good = LIST.split(b"\r\n\r\n")[0]
    body = LIST.split(b"\r\n\r\n")[1]
    for sent in (b"\r\n\r\n\r\n", b"garbage\r\n\r\n", b"POST\r\n\r\n", b"POST /\r\n\r\n", b"POST / HTTP/2.0\r\nHost: localhost\r\n\r\n",
                 b"POST / HTTP/0.9\r\n\r\n", b"POST / FTP/1.1\r\nHost: localhost\r\n\r\n", b"\0\0\0\0\r\n\r\n", b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03",
                 b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"POST  /  HTTP/1.1\r\nHost: localhost\r\n\r\n",
                 good.replace(b"X-Amz-Date", b"NoColon\r\nX-Amz-Date") + b"\r\n\r\n" + body,
                 good.replace(b"Host:", b"Host :") + b"\r\n\r\n" + body, good.replace(b"localhost", b"local\0host") + b"\r\n\r\n" + body,
                 good.replace(b"X-Amz-Date", b": empty\r\nX-Amz-Date") + b"\r\n\r\n" + body,
                 b"POST \xff\xfe HTTP/1.1\r\nHost: localhost\r\n\r\n", b"A" * 100):
        with s.connect(20) as connection:
            connection.send(sent)
            connection.socket.shutdown(socket.SHUT_WR)
            try:
                answer = connection.answer()
                assert 400 <= answer.status < 600, (sent, answer)
            except Closed:
                pass
    expect(s.ask(LIST), 200)


@test
def unusual_requests(s):
    expect(s.ask(b"\r\n\r\n" + LIST), 200)
    for path in ("/x", "//", "/..", "*"):
        expect(s.ask(LIST.replace(b"POST / ", b"POST " + path.encode() + b" ")), 404, UNKNOWN)
    expect(s.ask(LIST.replace(b"POST / ", b"POST /?a=b&%zz ")), 200)
    expect(s.ask(LIST.replace(b"X-Amz-Target", b"x-AMZ-target").replace(b"Content-Type", b"CONTENT-TYPE")), 200)
    expect(s.ask(LIST.replace(b"X-Amz-Target: ", b"X-Amz-Target:")), 200)
    expect(s.ask(LIST.replace(b"X-Amz-Target: ", b"X-Amz-Target:  \t ")), 200)


# ---- clients that go away ----

@test
def clients_that_vanish(s):
    request = put("vanished")
    resetting = struct.pack("ii", 1, 0)
    for cut in list(range(0, len(request), 7)) + [len(request) - 1]:
        for reset in (False, True):
            connection = s.connect()
            connection.send(request[:cut])
            if reset:
                connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, resetting)
            connection.socket.close()
    for cut in range(0, 400, 13):
        connection = s.connect()
        connection.send(chunked(request, 5)[:-cut - 3])
        connection.socket.close()
    packed = coded("PutItem", {"TableName": "tbl", "Item": {"k": {"S": "vanished"}}}, "gzip")
    with s.connect() as connection:
        connection.send(packed[:-1])
    with s.connect() as connection:
        connection.send(api("PutItem", b'{"TableName":"tbl","Item":{"k":{"S":"vanished"}}}' + b" " * 8 * MB)[:-1])
    time.sleep(0.2)
    assert s.item("vanished") is None
    assert expect(s.call("Scan", {"TableName": "tbl", "Select": "COUNT"}), 200)


@test
def clients_that_do_not_read(s):
    for i in range(20):
        expect(s.call("PutItem", {"TableName": "tbl", "Item": {"k": {"S": "big%d" % i}, "v": {"S": "x" * 300000}}}), 200)
    scan = api("Scan", {"TableName": "tbl"})
    sockets = [s.connect() for _ in range(20)]
    for connection in sockets:
        connection.send(scan * 5)
    time.sleep(0.3)
    expect(s.ask(LIST), 200)
    answer = sockets[0].answer()
    assert answer.status == 200 and len(answer.body) > MB * 0.9
    for connection in sockets:
        connection.socket.close()
    expect(s.ask(LIST), 200)


@test
def half_closed(s):
    with s.connect() as connection:
        connection.send(put("half"))
        connection.socket.shutdown(socket.SHUT_WR)
        expect(connection.answer(), 200, b"{}")
        assert connection.is_closed()
    assert s.item("half")


# ---- many connections ----

@test
def a_thousand_idle_connections(s):
    assert s.limit >= 1100, "this machine allows %d connections" % s.limit
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    idle = [s.connect() for _ in range(1000)]
    for connection in idle[::2]:
        connection.send(LIST[:100])
    failures = []

    def work(number):
        try:
            with s.connect() as connection:
                for i in range(50):
                    expect(connection.send(put("busy%d.%d" % (number, i))).answer(), 200, b"{}")
        except Exception as error:
            failures.append(error)
    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == [], failures[:3]
    for i, connection in enumerate(idle):
        expect(connection.send(LIST if i % 2 else LIST[100:]).answer(), 200)
        connection.socket.close()


@test
def the_connection_limit(s):
    with Server(files=400) as other:
        assert 100 <= other.limit < 400, other.first
        taken = [other.connect() for _ in range(other.limit)]
        for connection in taken:
            expect(connection.send(LIST).answer(), 200)
        for _ in range(3):
            with other.connect() as connection:
                answer = connection.send(LIST).answer()
                expect(answer, 503)
                assert answer.type() == "ServiceUnavailable" and connection.is_closed(), answer
        expect(taken[0].send(LIST).answer(), 200)
        for connection in taken[:5]:
            connection.socket.close()
        time.sleep(0.3)
        expect(other.ask(LIST), 200)
        for connection in taken:
            connection.socket.close()


# ---- signatures ----

def hmac256(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def signed(body, secret="s3cret/+", key="KEY1", operation="ListTables", region="eu-west-1", service="dynamodb", at=None, in_query=False, **extra):
    """A request that is signed as AWS documents it."""
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(time.time() if at is None else at))
    scope = "%s/%s/%s/aws4_request" % (stamp[:8], region, service)
    headers = {"content-type": JSON_TYPE, "host": "localhost", "x-amz-target": "DynamoDB_20120810." + operation}
    headers.update(extra)
    query = ""
    if in_query:
        query = "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=%s&X-Amz-Date=%s&X-Amz-SignedHeaders=%s" % (
            quote(key + "/" + scope, safe=""), stamp, quote(";".join(sorted(headers)), safe=""))
    else:
        headers["x-amz-date"] = stamp
    names = ";".join(sorted(headers))
    canonical = "\n".join(["POST", "/", query] + ["%s:%s" % (n, headers[n]) for n in sorted(headers)] +
                          ["", names, hashlib.sha256(body).hexdigest()])
    text = "\n".join(["AWS4-HMAC-SHA256", stamp, scope, hashlib.sha256(canonical.encode()).hexdigest()])
    signing = hmac256(hmac256(hmac256(hmac256(("AWS4" + secret).encode(), stamp[:8]), region), service), "aws4_request")
    signature = hmac256(signing, text).hex()
    if in_query:
        query += "&X-Amz-Signature=" + signature
    else:
        headers["Authorization"] = "AWS4-HMAC-SHA256 Credential=%s/%s, SignedHeaders=%s, Signature=%s" % (key, scope, names, signature)
    del headers["host"]
    return raw(path="/?" + query if query else "/", headers=headers, body=body)


@test
def signatures(s):
    with tempfile.NamedTemporaryFile("w") as file:
        file.write("# keys\nKEY1 s3cret/+\nKEY2 other\n")
        file.flush()
        with Server("--auth", file.name) as other:
            for request in (signed(b"{}"), signed(b"{}", "other", "KEY2"), signed(b"{}", region="x"), signed(b"{}", in_query=True),
                            signed(b"{}", **{"x-amz-security-token": "t"}), signed(b"{}", at=time.time() - 800)):
                expect(other.ask(request), 200, b'{"TableNames":[]}')
            expect(other.ask(signed(gzip.compress(b"{}"), **{"content-encoding": "gzip"})), 200, b'{"TableNames":[]}')
            expect(other.ask(chunked(signed(b"{}"), 1)), 200, b'{"TableNames":[]}')
            for request, name in ((signed(b"{}", "wrong"), "InvalidSignatureException"), (signed(b"{}", key="KEY3"), "UnrecognizedClientException"),
                                  (signed(b"{}", at=time.time() - 1000), "InvalidSignatureException"),
                                  (signed(b"{}", at=time.time() + 1000), "InvalidSignatureException"),
                                  (signed(b"{}", service="s3"), "InvalidSignatureException"), (LIST, "InvalidSignatureException"),
                                  (signed(b"{}").replace(b"{}", b"[]"), "InvalidSignatureException"),
                                  (signed(b"{}").replace(b"ListTables", b"DescribeLimits"), "InvalidSignatureException"),
                                  (raw(headers={"Content-Type": JSON_TYPE, "X-Amz-Target": "DynamoDB_20120810.ListTables"}, body=b"{}"),
                                   "MissingAuthenticationTokenException")):
                answer = other.ask(request)
                assert answer.status == 400 and answer.type() == name, answer
            answer = other.ask(signed(b"{}", "wrong"))
            assert answer.json()["message"] == "The request signature we calculated does not match the signature you provided. Check your " \
                "AWS Secret Access Key and signing method. Consult the service documentation for details.", answer
            expect(other.ask(raw("GET")), 200, HEALTHY)
            expect(other.ask(raw(headers={"Content-Type": JSON_TYPE}, body=b"hi")), 400, SERIALIZATION)


@test
def files_of_keys(s):
    with tempfile.NamedTemporaryFile("w") as file:
        for text, mode, word in (("KEY1\n", 0o600, "line 1"), ("", 0o600, "no key"), ("a b\n", 0o644, "chmod")):
            file.seek(0)
            file.truncate()
            file.write(text)
            file.flush()
            os.chmod(file.name, mode)
            done = subprocess.run([PKSK, "serve", "--memory", "--port", "0", "--auth", file.name], stdin=subprocess.DEVNULL, capture_output=True,
                                  timeout=60)
            assert done.returncode != 0 and word in done.stderr.decode() and done.stdout == b"", done
    done = subprocess.run([PKSK, "serve", "--memory", "--port", "0", "--auth", "/nonexistent"], stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    assert done.returncode != 0 and "cannot read '/nonexistent'" in done.stderr.decode(), done


# ---- the log ----

def log_lines(*options):
    with Server(*options) as other:
        other.make_table()
        expect(other.ask(put("SECRET-DATA", ReturnConsumedCapacity="TOTAL")), 200)
        other.call("GetItem", {"TableName": "tbl", "Key": {"k": {"S": "SECRET-DATA"}}})
        other.call("GetItem", {"TableName": "absent\n\x1b[31m", "Key": {"k": {"S": "x"}}})
        other.ask(raw("PUT"))
        other.ask(raw("GET"))
        other.ask(raw(headers={"Content-Type": JSON_TYPE, "X-Amz-Target": "evil\x1b[31m\"quote"}, body=b"{}"))
        other.ask(LIST.replace(b"localhost", b"evil.example"))
        with other.connect() as connection:
            connection.send(put("SECRET-DATA")[:-1])
        return other.errors().splitlines()


@test
def the_log(s):
    lines = log_lines("-v")
    assert len(lines) == 8, lines
    for line, words in zip(lines, (" CreateTable tbl 200", " PutItem tbl 200", " GetItem tbl 200", " GetItem ", " 404", " 200", " 400 UnknownOperation", " 403")):
        assert words in line and re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", line), (words, line)
        assert "SECRET" not in line and "\x1b" not in line, line


@test
def the_log_as_json(s):
    rows = [json.loads(line) for line in log_lines("--log", "json")]
    assert [row["status"] for row in rows] == [200, 200, 200, 400, 404, 200, 400, 403], rows
    assert [row["operation"] for row in rows[:3]] == ["CreateTable", "PutItem", "GetItem"], rows
    assert all(row["table"] == "tbl" for row in rows[:3]) and rows[6]["error"] == "UnknownOperationException", rows
    assert "SECRET" not in json.dumps(rows)


@test
def no_log_without_v(s):
    assert log_lines() == []


# ---- what takes minutes ----

@long_test
def time_limits(s):
    """A silent connection, one that stopped in a head or body, one that dribbles: all end."""
    with Server() as other:
        begun = time.time()
        idle, head, body = (other.connect(300) for _ in range(3))
        expect(idle.send(LIST).answer(), 200)
        head.send(LIST[:50])
        body.send(put("late")[:-1])
        dribble = other.connect(300)

        def drip():
            try:
                for byte in raw("GET", headers={"X": "y" * 1000}):
                    dribble.send(bytes([byte]))
                    time.sleep(1)
            except OSError:
                pass
        thread = threading.Thread(target=drip, daemon=True)
        thread.start()
        for name, connection in (("idle", idle), ("head", head), ("body", body)):
            connection.more()
            taken = time.time() - begun
            assert 100 < taken < 160, (name, taken)
        dribble.more()
        taken = time.time() - begun
        assert 120 < taken < 200, ("dribble", taken)
        expect(other.ask(LIST), 200)


@long_test
def bodies_that_together_are_too_much(s):
    with Server() as other:
        other.make_table()
        text = b'{"TableName":"tbl","Item":{"k":{"S":"much"}}}'
        request = api("PutItem", text + b" " * (16 * MB - len(text)))
        held = [other.connect() for _ in range(17)]
        for connection in held:
            connection.send(request[:-1])
        time.sleep(1)
        answer = other.ask(put("one more"))
        expect(answer, 503)
        assert answer.type() == "ServiceUnavailable", answer
        for connection in held:
            connection.send(b" ")
        statuses = [connection.answer().status for connection in held]
        assert set(statuses) == {200, 503} and statuses.count(200) >= 8, statuses
        for connection in held:
            connection.socket.close()
        time.sleep(0.3)
        expect(other.ask(put("again")), 200)


# ---- running -------------------------------------------------------------------------------------

def start():
    server = Server()
    try:
        server.make_table()
    except Exception:
        server.process.kill()
        raise
    return server


def run(names):
    passed = failed = 0
    server = start()
    for function in TESTS:
        if names and not any(name in function.__name__ for name in names):
            continue
        try:
            if server.process.poll() is not None:
                server = start()
            function(server)
            print("ok", function.__name__, flush=True)
            passed += 1
        except Exception:
            print("FAILED", function.__name__, flush=True)
            traceback.print_exc(file=sys.stdout)
            failed += 1
    try:
        server.stop()
        print("ok the_server_ends_well")
        passed += 1
    except Exception as error:
        print("FAILED the_server_ends_well")
        print(error)
        failed += 1
    print("%d passed, %d failed" % (passed, failed))
    return 0 if failed == 0 and passed > 1 else 1


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--long"]
    PKSK = os.path.abspath(words[0] if words else "build/release/pksk")
    sys.exit(run(words[1:]))
