"""Every answer to the requests of tests/vectors, held against the service's own model."""
import http.client
import json
import pathlib
import unittest

import botocore.session

import endpoint
import shapes

VECTORS = pathlib.Path(__file__).parent.parent / "vectors"


class Answers(unittest.TestCase):
    def setUp(self):
        session = botocore.session.get_session()
        self.models = [session.get_service_model(name) for name in ("dynamodb", "dynamodbstreams")]
        self.connection = http.client.HTTPConnection(endpoint.URL.split("//")[1])
        self.seen = set()

    def tearDown(self):
        self.connection.close()

    def ask(self, request):
        members = {name: expand(value) for name, value in request.items() if name not in ("op", "raw")}
        operation, body = request["op"], request.get("raw", json.dumps(members))
        model = next((m for m in self.models if operation in m.operation_names), self.models[0])
        self.connection.request("POST", "/", body.encode(), endpoint.headers(f"{model.metadata['targetPrefix']}.{operation}"))
        response = self.connection.getresponse()
        answer = json.loads(response.read() or b"{}")
        if operation in model.operation_names:
            known = model.operation_model(operation)
            found = shapes.error_faults(known, answer) if response.status >= 400 else shapes.answer_faults(known, answer)
            self.seen.update((operation, fault) for fault in found)
        return answer

    def test_all(self):
        asked = 0
        for path in sorted(VECTORS.glob("*.jsonl")):
            for line in path.read_text().splitlines():
                vector = json.loads(line)
                if "request" not in vector or "op" not in vector["request"]:
                    continue
                for request in [*vector.get("setup", []), vector["request"], *(a["request"] for a in vector.get("after", []))]:
                    self.ask(request)
                    asked += 1
                for name in self.ask({"op": "ListTables"})["TableNames"]:
                    self.ask({"op": "DeleteTable", "TableName": name})
        self.assertGreater(asked, 3000)
        self.assertEqual(sorted(self.seen), [])


def expand(value):
    """{"$repeat": [text, n]} stands for a long string."""
    if isinstance(value, dict):
        if "$repeat" in value:
            return value["$repeat"][0] * value["$repeat"][1]
        return {name: expand(member) for name, member in value.items()}
    return [expand(element) for element in value] if isinstance(value, list) else value


if __name__ == "__main__":
    unittest.main()
