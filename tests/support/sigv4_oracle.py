#!/usr/bin/python3
"""Makes tests/vectors/sigv4.jsonl: requests with signatures, computed by botocore.

    /usr/bin/python3 tests/support/sigv4_oracle.py > tests/vectors/sigv4.jsonl

needs Debian's python3-boto3. A line is a request as it would be sent, the time the server reads it
at, and what sh_auth_check must answer: "ok", or the error's name and message. Keys: tests/shell/test_auth.c.
"""
import base64
import datetime
import json
import sys
from urllib.parse import quote

import botocore.auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

KEYS = {"AKIDEXAMPLE": "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "local": "x"}
DAY = datetime.datetime(2015, 8, 30, 12, 36, 0)
STAMP = "%Y%m%dT%H%M%SZ"
MISMATCH = ("InvalidSignatureException", "The request signature we calculated does not match the signature you "
            "provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.")
UNKNOWN = ("UnrecognizedClientException", "The security token included in the request is invalid.")
JSON = [("Host", "dynamodb.us-east-1.amazonaws.com"), ("Content-Type", "application/x-amz-json-1.0"),
        ("X-Amz-Target", "DynamoDB_20120810.GetItem")]


def aws_request(method, path, query, headers, body, date):
    host = dict((n.lower(), v) for n, v in headers)["host"].strip()
    request = AWSRequest(method=method, url="http://%s%s%s" % (host, path, "?" + query if query else ""), data=body)
    for name, value in headers:
        request.headers.add_header(name, value)
    request.context["timestamp"] = date.strftime(STAMP)
    return request


def sign(method="POST", path="/", query="", headers=JSON, body=b"{}", key="AKIDEXAMPLE", secret=None,
         region="us-east-1", date=DAY, service="dynamodb", in_query=False, signed=None):
    """The request's parts with its signature; `signed` names the headers to sign, all when None."""
    secret = KEYS[key] if secret is None else secret
    auth = botocore.auth.SigV4Auth(Credentials(key, secret), service, region)
    headers = list(headers)
    if not in_query and "date" not in [n.lower() for n, _ in headers]:
        headers.append(("X-Amz-Date", date.strftime(STAMP)))
    names = [n.lower() for n, _ in headers] if signed is None else signed
    visible = [(n, v) for n, v in headers if n.lower() in names or n.lower() == "host"]
    listed = ";".join(sorted(set(n.lower() for n, _ in visible)))
    credential = "%s/%s/%s/%s/aws4_request" % (key, date.strftime("%Y%m%d"), region, service)
    if in_query:
        query += ("&" if query else "") + "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=%s&X-Amz-Date=%s" \
            "&X-Amz-Expires=60&X-Amz-SignedHeaders=%s" % (quote(credential, safe=""), date.strftime(STAMP), quote(listed, safe=""))
    request = aws_request(method, path, query, visible, body, date)
    text = auth.string_to_sign(request, auth.canonical_request(request))
    signature = auth.signature(text, request)
    assert auth.signed_headers(auth.headers_to_sign(request)) == listed
    if in_query:
        query += "&X-Amz-Signature=" + signature
    else:
        headers.append(("Authorization", "AWS4-HMAC-SHA256 Credential=%s, SignedHeaders=%s, Signature=%s" % (credential, listed, signature)))
    return {"method": method, "path": path, "query": query, "headers": headers, "body": body}


def row(name, request, now=DAY, expect="ok"):
    out = {"name": name, "method": request["method"], "path": request["path"], "query": request["query"],
           "headers": request["headers"], "body64": base64.b64encode(request["body"]).decode(),
           "now_ms": int(now.replace(tzinfo=datetime.timezone.utc).timestamp() * 1000)}
    if expect == "ok":
        out["expect"] = "ok"
    else:
        out["expect"], out["message"] = expect
    print(json.dumps(out, ensure_ascii=True))


def changed(request, **parts):
    return dict(request, **parts)


def with_header(request, name, value):
    return changed(request, headers=[(n, value if n.lower() == name.lower() else v) for n, v in request["headers"]])


def signature_edit(request, old, new):
    value = dict(request["headers"])["Authorization"]
    return with_header(request, "Authorization", value.replace(old, new))


def later(**time):
    return DAY + datetime.timedelta(**time)


def good_rows():
    row("plain", sign())
    row("empty body", sign(body=b""))
    row("large body", sign(body=b'{"a":"' + b"x" * 5000 + b'"}'))
    row("body of all bytes", sign(body=bytes(range(256))))
    row("another key", sign(key="local"))
    row("another region", sign(region="eu-central-1"))
    row("a region of no cloud", sign(region="localhost"))
    row("a long region", sign(region="x" * 60))
    row("only host signed", sign(signed=["host", "x-amz-date"]))
    row("nothing but host signed", sign(signed=["host"]))
    row("host with port", sign(headers=[("Host", "127.0.0.1:8000")] + JSON[1:]))
    row("security token", sign(headers=JSON + [("X-Amz-Security-Token", "AQoDYXdzEPT//////////wEXAMPLE")]))
    row("content hash", sign(headers=JSON + [("X-Amz-Content-SHA256", "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a")]))
    row("blanks in values", sign(headers=JSON + [("My-Header1", "  value1"), ("My-Header2", ' "a   b   c"  ')]))
    row("a tab in a value", sign(headers=JSON + [("My-Header1", "a\t\tb")]))
    row("a repeated header", sign(headers=JSON + [("My-Header1", "value4"), ("My-Header1", "value1"), ("My-Header1", "value3")]))
    row("an empty value", sign(headers=JSON + [("My-Header1", "")]))
    row("headers in any order and case", sign(headers=list(reversed(JSON)) + [("zZz", "1"), ("AAA", "2")]))
    row("the Date header", sign(headers=JSON + [("Date", DAY.strftime(STAMP))]))
    row("another method", sign(method="GET", body=b""))
    row("14:59 late", sign(), now=later(minutes=14, seconds=59))
    row("15:00 late", sign(), now=later(minutes=15))
    row("15:00 early", sign(), now=later(minutes=-15))
    row("before midnight, read after", sign(date=datetime.datetime(2015, 8, 30, 23, 59, 58)), now=datetime.datetime(2015, 8, 31, 0, 3))
    row("a leap day", sign(date=datetime.datetime(2024, 2, 29, 1, 2, 3)), now=datetime.datetime(2024, 2, 29, 1, 2, 3))
    for path in ("/foo", "/foo/bar/..", "/./", "/foo//bar/", "/./foo/.././bar/", "//example//", "/%E1%88%B4", "/a%20b", "/a%2Fb",
                 "/-._~0123456789abcXYZ", "/a:b@c,d", "/.../..b"):
        row("path " + path, sign(path=path))
    for query in ("Param1=value1", "Param2=value2&Param1=value1", "Param1=value2&Param1=value1", "a=1&A=2&b=&c=3", "Param1=",
                  "%E1%88%B4=bar", "-._~0123456789=abcXYZ", "a=b%2Fc%3Dd%26e", "p=1%2B2&p=1%202", "b=1&b-=2&b%2B=3"):
        row("query " + query, sign(query=query))
    row("in the query", sign(in_query=True))
    row("in the query, with others", sign(in_query=True, query="zeta=1&Alpha=a%20b"))
    row("in the query, empty body", sign(in_query=True, body=b""))
    row("in the query, 15:00 late", sign(in_query=True), now=later(minutes=15))
    lower = sign(in_query=True)
    row("in the query, other hex digits", changed(lower, query=lower["query"].replace("%2F", "%2f").replace("%3B", "%3b")))


def bad_rows():
    good = sign()
    row("wrong secret", sign(secret="wrong"), expect=MISMATCH)
    row("unknown key id", sign(key="NOBODY", secret="x"), expect=UNKNOWN)
    row("the body changed", changed(good, body=b'{"a":1}'), expect=MISMATCH)
    row("the path changed", changed(good, path="/x"), expect=MISMATCH)
    row("the query changed", changed(good, query="a=b"), expect=MISMATCH)
    row("the method changed", changed(good, method="PUT"), expect=MISMATCH)
    row("the target changed", with_header(good, "X-Amz-Target", "DynamoDB_20120810.DeleteItem"), expect=MISMATCH)
    row("the host changed", with_header(good, "Host", "dynamodb.us-east-1.amazonaws.com:80"), expect=MISMATCH)
    row("a signed header removed", changed(good, headers=[h for h in good["headers"] if h[0] != "Content-Type"]), expect=MISMATCH)
    row("a signed header repeated", changed(good, headers=good["headers"] + [("X-Amz-Target", "x")]), expect=MISMATCH)
    row("an unsigned header added", changed(good, headers=good["headers"] + [("X-Other", "x")]))
    row("the time changed", with_header(good, "X-Amz-Date", "20150830T123601Z"), expect=MISMATCH)
    row("signed for another service", signature_edit(sign(service="dax"), "/dax/", "/dynamodb/"), expect=MISMATCH)
    row("another region claimed", signature_edit(good, "us-east-1", "us-east-2"), expect=MISMATCH)
    row("another key claimed", signature_edit(good, "AKIDEXAMPLE", "local"), expect=MISMATCH)
    signature = dict(good["headers"])["Authorization"][-64:]
    for name, other in (("first digit", ("0" if signature[0] != "0" else "1") + signature[1:]),
                        ("last digit", signature[:-1] + ("0" if signature[-1] != "0" else "1")),
                        ("shorter", signature[:-1]), ("longer", signature + "0"), ("capital", signature.upper())):
        row("signature " + name, signature_edit(good, signature, other), expect=MISMATCH)
    row("unsigned payload", sign(headers=JSON + [("X-Amz-Content-SHA256", "UNSIGNED-PAYLOAD")]), expect=MISMATCH)
    other = "0" * 64
    row("another content hash", sign(headers=JSON + [("X-Amz-Content-SHA256", other)]), expect=MISMATCH)
    row("the list of headers signed twice", signature_edit(good, "SignedHeaders=", "SignedHeaders=host;"), expect=MISMATCH)
    row("15:01 late", good, now=later(minutes=15, seconds=1), expect=(
        "InvalidSignatureException", "Signature expired: 20150830T123600Z is now earlier than 20150830T123601Z (20150830T125101Z - 15 min.)"))
    row("15:01 early", good, now=later(minutes=-15, seconds=-1), expect=(
        "InvalidSignatureException", "Signature not yet current: 20150830T123600Z is still later than 20150830T123559Z (20150830T122059Z + 15 min.)"))
    presigned = sign(in_query=True)
    row("in the query, the body changed", changed(presigned, body=b"[]"), expect=MISMATCH)
    row("in the query, one more parameter", changed(presigned, query=presigned["query"] + "&x=y"), expect=MISMATCH)
    row("in the query, X-Amz-Expires changed", changed(presigned, query=presigned["query"].replace("Expires=60", "Expires=600")), expect=MISMATCH)
    row("in the query, old", presigned, now=later(hours=1), expect=(
        "InvalidSignatureException", "Signature expired: 20150830T123600Z is now earlier than 20150830T132100Z (20150830T133600Z - 15 min.)"))


if __name__ == "__main__":
    good_rows()
    bad_rows()
    sys.stdout.flush()
