#!/usr/bin/env python3
"""What `explain as boto3` and `explain as cli` print, run against the store that the shell is
connected to, gives the items that the statement itself gives.

The transcripts are played to a shell on the endpoint. Behind each statement that reads items, and
each that a transcript explains, stand three more: the statement with its result as JSON in a file,
its code in another file, and a word to this program, which runs the code at that point. At the end
the two results are compared."""
import base64, decimal, glob, json, os, re, subprocess, sys, tempfile, threading, unittest

os.environ.setdefault("AWS_DEFAULT_REGION", "us-east-1")
os.environ.setdefault("AWS_ACCESS_KEY_ID", "local")
os.environ.setdefault("AWS_SECRET_ACCESS_KEY", "local")
import boto3
from boto3.dynamodb.types import Binary, TypeDeserializer

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
PKSK = os.environ.get("PKSK", os.path.join(ROOT, "pksk"))
AWS = os.environ.get("AWS", "/usr/bin/aws")
ENDPOINT = os.environ["PKSK_ENDPOINT"]

READS = re.compile(r"(query|get|scan|select)\s", re.I)
EXPLAINED = re.compile(r"explain as (boto3|cli) ((?:query|get|scan|select)\s.*)", re.I)
# a footer that tells of items read by one request
READ = re.compile(r"^ \d+ items?( of \d+ read)? · (GetItem|Query|Scan|ExecuteStatement) · ", re.M)
# these change how results are shown, go on without end, or leave a store where a table takes its time
LEFT_OUT = {"backup.txt", "modes.txt", "stop.txt", "rollback.txt", "serve.txt"}


def steps(path):
    """(input line, what it shows) of a transcript."""
    found = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("> ") or line == ">\n":
                found.append([line[2:].rstrip("\n"), ""])
            elif found and not line.startswith("! exit "):
                found[-1][1] += line
    return found


def plain(value):
    """Values as they can be compared: sets without order, binaries as text."""
    if isinstance(value, dict):
        return {name: plain(member) for name, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(member) for member in value]
    if isinstance(value, (set, frozenset)):
        return sorted((plain(member) for member in value), key=str)
    if isinstance(value, (Binary, bytes)):
        return base64.b64encode(bytes(value)).decode()
    if isinstance(value, (int, decimal.Decimal)) and not isinstance(value, bool):
        return decimal.Decimal(value)
    return value


def unordered(items):
    """The shell writes a set as a list in the order it is stored in."""
    if isinstance(items, list) and all(isinstance(i, (str, decimal.Decimal)) for i in items):
        return sorted(items, key=str)
    if isinstance(items, list):
        return [unordered(item) for item in items]
    if isinstance(items, dict):
        return {name: unordered(member) for name, member in items.items()}
    return items


def untyped(items):
    reader = TypeDeserializer()
    return [{name: reader.deserialize(value) for name, value in item.items()} for item in items]


def items_of(answer):
    if "Item" in answer:
        return [answer["Item"]]
    return answer.get("Items", [])


def is_typed(items):
    kinds = {"S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M"}
    return all(isinstance(v, dict) and len(v) == 1 and set(v) <= kinds
               for item in items for v in item.values())


def run_boto3(code):
    names = {}
    exec(compile(code, "explained", "exec"), names)
    items = items_of(names["response"])
    return untyped(items) if "client" in names else items


def run_cli(code):
    code = re.sub(r"^aws ", AWS + " ", code)
    done = subprocess.run(["sh", "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=dict(os.environ, AWS_PAGER=""))
    if done.returncode != 0:
        raise RuntimeError(done.stderr.decode())
    if not done.stdout.strip():
        return []
    items = items_of(json.loads(done.stdout))
    for item in items:
        for value in item.values():
            if "B" in value:
                value["B"] = base64.b64decode(value["B"])
            if "BS" in value:
                value["BS"] = [base64.b64decode(member) for member in value["BS"]]
    return untyped(items)


class Session:
    """One transcript, played."""

    def __init__(self, path):
        self.name = os.path.basename(path)
        self.dir = tempfile.mkdtemp()
        self.cases = []  # (statement, language)
        self.results = {}
        self.script = []
        for line, shown in steps(path):
            explained = EXPLAINED.match(line)
            self.script.append(line)
            if explained:
                self.add(explained.group(2), "boto3")
                self.add(explained.group(2), "cli")
            elif (READS.match(line) and READ.search(shown) and " pages " not in shown
                  and "there is more" not in shown
                  and ";" not in line.rstrip()[:-1]):
                self.add(line, "boto3")

    def file(self, number, kind):
        """What the shell writes of a case: its items (json), its code (code)."""
        return os.path.join(self.dir, "%d.%s" % (number, kind))

    def add(self, statement, language):
        if language == "cli" and not os.path.exists(AWS):
            return
        number = len(self.cases)
        self.cases.append((statement, language))
        self.script += [
            "mode json", "output " + self.file(number, "json"), statement,
            "output " + self.file(number, "code"), "explain as %s %s" % (language, statement),
            "output -", "mode table",
            "\\! echo %d > %s/asked && cat %s/told > /dev/null" % (number, self.dir, self.dir)]

    def answer(self):
        """Runs the code of each case when the shell has come to it."""
        for _ in self.cases:
            with open(os.path.join(self.dir, "asked")) as asked:
                number = int(asked.read() or -1)
            if number < 0:
                return
            try:
                with open(self.file(number, "code"), encoding="utf-8") as file:
                    code = file.read()
                run = run_cli if self.cases[number][1] == "cli" else run_boto3
                self.results[number] = plain(run(code))
            except Exception as failure:
                self.results[number] = failure
            with open(os.path.join(self.dir, "told"), "w") as told:
                told.write("go\n")

    def play(self):
        for name in ("asked", "told"):
            os.mkfifo(os.path.join(self.dir, name))
        script = os.path.join(self.dir, "script")
        with open(script, "w", encoding="utf-8") as file:
            file.write("\n".join(self.script) + "\n")
        answering = threading.Thread(target=self.answer, daemon=True)
        answering.start()
        self.done = subprocess.run(
            [PKSK, "--no-init", "--keep-going", "--endpoint", ENDPOINT, "-f", script], cwd=ROOT,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
        answering.join(10)

    def shown(self, number):
        """The items that the statement itself gave; None when it failed, or was not come to."""
        if not os.path.exists(self.file(number, "json")):
            return None
        with open(self.file(number, "json"), encoding="utf-8") as file:
            text = file.read()
        return plain(json.loads(text, parse_int=decimal.Decimal, parse_float=decimal.Decimal)) \
            if text.strip() else None


def drop_tables():
    client = boto3.client("dynamodb", endpoint_url=ENDPOINT)
    for name in client.list_tables()["TableNames"]:
        client.delete_table(TableName=name)


class Explained(unittest.TestCase):
    compared = {"boto3": 0, "cli": 0}

    def check(self, path):
        session = Session(path)
        if not session.cases:
            return
        drop_tables()
        session.play()
        for number, (statement, language) in enumerate(session.cases):
            shown = session.shown(number)
            if shown is None:
                continue
            with self.subTest(transcript=session.name, language=language, statement=statement):
                result = session.results.get(number)
                self.assertIsInstance(result, list, repr(result))
                self.assertEqual(unordered(shown), unordered(result))
                self.compared[language] += 1

    def test_transcripts(self):
        for path in sorted(glob.glob(os.path.join(ROOT, "tests/transcripts/*.txt"))):
            if os.path.basename(path) not in LEFT_OUT:
                self.check(path)
        print("# compared: %(boto3)d by boto3, %(cli)d by the AWS CLI" % self.compared)
        self.assertGreaterEqual(self.compared["boto3"], 100)
        if os.path.exists(AWS):
            self.assertGreaterEqual(self.compared["cli"], 4)


if __name__ == "__main__":
    unittest.main(warnings="ignore")
