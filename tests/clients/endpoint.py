"""The endpoint that run.sh serves, and a request to it without an SDK."""
import json
import os
import urllib.error
import urllib.request

URL = os.environ["PKSK_ENDPOINT"]
REGION = os.environ["AWS_DEFAULT_REGION"]

# A signature is looked at only with `serve --auth`; what must be there is a well-formed header.
AUTHORIZATION = (
    "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261201/us-east-1/dynamodb/aws4_request, "
    "SignedHeaders=content-type;host;x-amz-date;x-amz-target, Signature=" + "0" * 64
)


def headers(target):
    return {
        "Content-Type": "application/x-amz-json-1.0",
        "X-Amz-Target": target,
        "X-Amz-Date": "20261201T000000Z",
        "Authorization": AUTHORIZATION,
    }


def post(operation, request, prefix="DynamoDB_20120810"):
    """The status and the parsed answer of one operation."""
    call = urllib.request.Request(URL, json.dumps(request).encode(), headers(f"{prefix}.{operation}"))
    try:
        with urllib.request.urlopen(call, timeout=30) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)
