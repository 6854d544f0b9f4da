#!/usr/bin/env python3
"""Writes first inputs for the fuzz targets, taken from the test vectors, transcripts and tests.

    python3 tests/fuzz/seeds.py DIR      one folder of files a target below DIR

The kept corpora (tests/fuzz/corpus/) were grown from these: `make fuzz-merge` merges seeds and what
has been found into the smallest set of inputs that reaches the same code.
"""
import base64
import hashlib
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MAX_LEN = 4096
# Tables of the vectors, as fuzz_store.h names them.
TABLES = [("spec_va", "one"), ("msg_h", "one")]
USES = {"ConditionExpression": 0, "FilterExpression": 1, "KeyConditionExpression": 2,
        "UpdateExpression": 3, "ProjectionExpression": 4}


def vectors():
    for name in ("expressions", "messages", "partiql"):
        for line in (ROOT / "tests/vectors" / (name + ".jsonl")).read_text().splitlines():
            yield json.loads(line)


def operation_bytes():
    source = (ROOT / "tests/fuzz/fuzz_json.c").read_text()
    names = re.search(r"operations\[\] = \{(.*?)\};", source, re.S).group(1)
    return {name: i for i, name in enumerate(re.findall(r'"([^"]+)"', names))}


def requests():
    """Each vector's set-up and request: the operation's byte and the JSON, FF between them."""
    numbers = operation_bytes()
    for vector in vectors():
        parts = []
        for request in vector.get("setup", []) + [vector["request"]]:
            request = dict(request)
            number = numbers.get(request.pop("op"), numbers["NoSuchOperation"])
            text = request.pop("body", None) or json.dumps(request, separators=(",", ":"))
            for old, new in TABLES:
                text = text.replace('"%s"' % old, '"%s"' % new)
            if numbers["CreateTable"] != number or request.get("TableName") == "spec_vb" \
                    or request is vector["request"]:
                parts.append(bytes([number]) + text.encode("utf-8", "surrogateescape"))
        yield b"\xff".join(parts)


# Sequences that the vectors do not have: streams, indexes that come and go, time, attachments.
STREAM = {"TableName": "one", "StreamSpecification": {"StreamEnabled": True,
                                                      "StreamViewType": "NEW_AND_OLD_IMAGES"}}
ITEM = {"TableName": "one", "Item": {"p": {"S": "z"}, "e": {"N": "1"}}}
INDEX = {"TableName": "one", "AttributeDefinitions": [{"AttributeName": "s", "AttributeType": "S"}],
         "GlobalSecondaryIndexUpdates": [{"Create": {
             "IndexName": "new", "KeySchema": [{"AttributeName": "s", "KeyType": "HASH"}],
             "Projection": {"ProjectionType": "ALL"}}}]}
SEQUENCES = [
    [("UpdateTable", STREAM), ("PutItem", ITEM), ("DeleteItem", {"TableName": "one", "Key": {
        "p": {"S": "z"}}}), ("ListStreams", {}), ("DescribeTable", {"TableName": "one"}),
     ("DescribeStream", {"StreamArn": "@a"}),
     ("GetShardIterator", {"StreamArn": "@a", "ShardId": "@s",
                           "ShardIteratorType": "TRIM_HORIZON"}),
     ("GetRecords", {"ShardIterator": "@i", "Limit": 1}), ("GetRecords", {"ShardIterator": "@i"}),
     ("GetShardIterator", {"StreamArn": "@a", "ShardId": "@s", "SequenceNumber": "@n",
                           "ShardIteratorType": "AFTER_SEQUENCE_NUMBER"})],
    [("UpdateTable", STREAM), ("PutItem", ITEM), ("Pksk.Records", {"TableName": "one"})],
    [("UpdateTable", INDEX), ("Time", {}), ("PutItem", ITEM), ("Scan", {"TableName": "one",
                                                                      "IndexName": "new"}),
     ("Pksk.IndexLag", {"TableName": "one"}), ("UpdateTable", {
         "TableName": "one", "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "new"}}]}),
     ("Time", {})],
    [("UpdateTimeToLive", {"TableName": "one", "TimeToLiveSpecification": {
        "Enabled": True, "AttributeName": "e"}}), ("PutItem", ITEM),
     ("DescribeTimeToLive", {"TableName": "one"}),
     ("Pksk.Settings", {"Set": {"ttl.delay": "0"}}), ("Time", {}), ("Scan", {"TableName": "one"})],
    [("Pksk.PutAttachment", {"TableName": "one", "Text": "{}"}),
     ("Pksk.GetAttachment", {"TableName": "one"})],
    [("DescribeTable", {"TableName": "tbl"}), ("TagResource", {"ResourceArn": "@A", "Tags": [
        {"Key": "k", "Value": "v"}]}), ("ListTagsOfResource", {"ResourceArn": "@A"}),
     ("UntagResource", {"ResourceArn": "@A", "TagKeys": ["k"]})],
    [("Scan", {"TableName": "tbl", "Limit": 1}),
     ("Scan", '{"TableName":"tbl","Limit":1,"ExclusiveStartKey":@k}')],
    [("Query", {"TableName": "tbl", "IndexName": "gsi", "Limit": 1,
                "KeyConditionExpression": "g = :g",
                "ExpressionAttributeValues": {":g": {"S": "x"}}}),
     ("Query", '{"TableName":"tbl","IndexName":"gsi","KeyConditionExpression":"g = :g",'
               '"ExpressionAttributeValues":{":g":{"S":"x"}},"ExclusiveStartKey":@k}')],
    [("ExecuteStatement", {"Statement": "SELECT * FROM tbl", "Limit": 1}),
     ("ExecuteStatement", {"Statement": "SELECT * FROM tbl", "Limit": 1, "NextToken": "@t"})],
    [("Pksk.Clock", {"Action": "ADVANCE", "Value": "60000"}), ("Pksk.Clock", {})],
    [("Pksk.Settings", {"Set": {"lag.gsi": "500"}}), ("PutItem", {"TableName": "tbl", "Item": {
        "pk": {"S": "a"}, "sk": {"N": "9"}, "g": {"S": "x"}, "h": {"N": "1"}}}),
     ("Scan", {"TableName": "tbl", "IndexName": "gsi"}), ("Time", {})],
]


def sequences():
    numbers = operation_bytes()
    for sequence in SEQUENCES:
        yield b"\xff".join(bytes([numbers[name]]) + (
            body if isinstance(body, str) else json.dumps(body, separators=(",", ":"))).encode()
            for name, body in sequence)


def transcripts():
    for path in sorted((ROOT / "tests/transcripts").glob("*.txt")):
        lines = [line[2:] for line in path.read_text().splitlines() if line.startswith("> ")]
        for i in range(0, len(lines), 8):
            yield "\n".join(lines[i:i + 8]).encode()


WORDS = ("alter|analyze|api|begin|check|collections|commit|count|create|del|delete|describe|drop|"
         "edit|exists|explain|get|help|insert|more|put|query|rollback|scan|select|set|show|tables|"
         "update|use|version|where")


def statements():
    """C strings of the tests that begin with a word of the language."""
    string = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
    for path in sorted(ROOT.glob("tests/commands/test_*.c")):
        for match in string.finditer(re.sub(r'"\s*\n\s*"', "", path.read_text())):
            text = match.group(1).encode().decode("unicode_escape").encode("latin-1")
            if re.match(rb"(?i)(%s)\b" % WORDS.encode(), text) and b" " in text:
                yield text.rstrip(b"|") if path.stem == "test_complete" else text


def partiql():
    for vector in vectors():
        request = vector["request"]
        for entry in [request] + request.get("Statements", []) + \
                request.get("TransactStatements", []):
            if isinstance(entry, dict) and isinstance(entry.get("Statement"), str):
                yield entry["Statement"].replace("spec_va", "one").encode()


def expressions():
    """The use's number and the expression, with the placeholders of fuzz_expr.c: one a type."""
    for vector in vectors():
        request = vector["request"]
        values = request.get("ExpressionAttributeValues") or {}
        names = request.get("ExpressionAttributeNames") or {}
        for member, use in USES.items():
            text = request.get(member)
            if not isinstance(text, str):
                continue
            for key, value in values.items():
                kind = next(iter(value), "S") if isinstance(value, dict) else "S"
                text = re.sub(re.escape(key) + r"\b", ":" + kind.lower(), text)
            for key in names:
                text = re.sub(re.escape(key) + r"\b", "#n", text)
            yield bytes([use]) + text.encode()


def c_text(literals):
    """The bytes of adjacent C string literals."""
    text = "".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', literals))
    return text.encode("latin-1", "backslashreplace").decode("unicode_escape").encode("latin-1")


def imports():
    """The files of the tests, each with the words of its import."""
    strings = r'(?:"(?:[^"\\\n]|\\.)*"\s*)+'
    case = re.compile(r'FILE_OF\(\s*"([^"]+)",\s*(%s)\),\s*(%s)' % (strings, strings))
    for path in sorted(ROOT.glob("tests/commands/test_transfer_*.c")):
        for name, content, statement in case.findall(path.read_text()):
            words = c_text(statement).split(b" ", 2)
            extension = name.partition(".")[2].encode()
            if words[0] == b"import":
                yield b" ".join([extension] + words[2:]) + b"\n" + c_text(content)


def authentication():
    """The signed requests as lines, and a file of keys."""
    for line in (ROOT / "tests/vectors/sigv4.jsonl").read_text().splitlines():
        row = json.loads(line)
        head = ["r" + row["method"], row["path"], row["query"]]
        head += [name + ":" + value for name, value in row["headers"]]
        yield "\n".join(head + ["", ""]).encode() + base64.b64decode(row["body64"])
    yield b"k# comment\nid secret\n\nother secret\r\n"


def traffics():
    """The words of the traffics in tests and demos, each with a recorded traffic."""
    tape = (ROOT / "tests/transcripts/data/traffic.tape").read_bytes()
    tape = tape.replace(b'"SK":{"S":"PROFILE"}', b'"SK":{"N":"1"}')
    words = re.compile(r"traffic (?:start \S+|fill) (.*)")
    for path in sorted(ROOT.glob("tests/transcripts/*.txt")) + sorted(ROOT.glob("docs/demos/*")):
        for match in words.findall(path.read_text()):
            yield match.encode() + b"\n" + tape


def write(folder, inputs):
    folder.mkdir(parents=True, exist_ok=True)
    for text in inputs:
        if 0 < len(text) <= MAX_LEN:
            (folder / hashlib.sha1(text).hexdigest()[:16]).write_bytes(text)


def main():
    out = pathlib.Path(sys.argv[1])
    write(out / "fuzz_json", list(requests()) + list(sequences()))
    write(out / "fuzz_statement", list(transcripts()) + list(statements()) + list(partiql()))
    write(out / "fuzz_partiql", partiql())
    write(out / "fuzz_expr", expressions())
    write(out / "fuzz_import", imports())
    write(out / "fuzz_auth", authentication())
    write(out / "fuzz_traffic", traffics())


if __name__ == "__main__":
    main()
