"""Answers held against the service's own model, which botocore ships: the names and types of members.

An SDK drops what it does not know and guesses what has another type, so that its user would not see
a misspelt member.
"""
import json

# Members of today's answers that botocore 1.29 does not know yet.
NEWER = {
    "BatchStatementError.Item",
    "ConditionalCheckFailedException.Item",
    "GlobalSecondaryIndexDescription.OnDemandThroughput",
    "GlobalSecondaryIndexDescription.WarmThroughput",
    "TableDescription.DeletionProtectionEnabled",
    "TableDescription.OnDemandThroughput",
    "TableDescription.WarmThroughput",
}
SCALARS = {
    "string": str,
    "boolean": bool,
    "integer": int,
    "long": int,
    "double": (int, float),
    "float": (int, float),
    "timestamp": (int, float),
    "blob": str,
}


def faults(shape, value, path=""):
    """What of the value the shape does not allow, as texts."""
    kind = shape.type_name
    if kind in SCALARS:
        if not isinstance(value, SCALARS[kind]) or (kind != "boolean" and isinstance(value, bool)):
            return [f"{path}: {value!r} is no {kind}"]
        enum = getattr(shape, "enum", None)
        return [f"{path}: {value!r} is none of {enum}"] if enum and value not in enum else []
    if kind == "list":
        if not isinstance(value, list):
            return [f"{path}: {value!r} is no list"]
        return [fault for i, v in enumerate(value) for fault in faults(shape.member, v, f"{path}[{i}]")]
    if not isinstance(value, dict):
        return [f"{path}: {value!r} is no {kind}"]
    if kind == "map":
        return [fault for k, v in value.items() for fault in faults(shape.value, v, f"{path}.{k}")]
    unknown = [name for name in value if name not in shape.members and f"{shape.name}.{name}" not in NEWER]
    found = [f"{path}: no member {name}" for name in unknown]
    found += [f"{path}: without {name}" for name in shape.required_members if name not in value]
    for name, member in shape.members.items():
        if name in value:
            found += faults(member, value[name], f"{path}.{name}")
    return found


def answer_faults(operation, answer):
    return faults(operation.output_shape, answer) if operation.output_shape is not None else []


# Errors that any operation may give; the model does not list them.
COMMON = {
    "com.amazon.coral.validate#ValidationException",
    "com.amazon.coral.service#SerializationException",
    "com.amazon.coral.service#UnknownOperationException",
}
OURS = "com.amazonaws.dynamodb.v20120810#"


def error_faults(operation, answer):
    kind = answer.get("__type", "")
    if kind in COMMON:
        return []
    shape = next((e for e in operation.error_shapes if OURS + e.name == kind), None)
    if shape is None:
        return [f"no error {kind}"]
    # the message is spelt with a capital for some types, whatever the model says
    members = {name: value for name, value in answer.items() if name not in ("__type", "message", "Message")}
    return faults(shape, members, kind)


def watch(client, seen):
    """Checks each answer of the client; puts (operation, fault) into the list for those that differ."""

    def look(event_name, response_dict, **_):
        operation = client.meta.service_model.operation_model(event_name.split(".")[-1])
        if response_dict is not None:
            answer = json.loads(response_dict["body"] or b"{}")
            check = error_faults if response_dict["status_code"] >= 400 else answer_faults
            seen.extend((operation.name, fault) for fault in check(operation, answer))

    client.meta.events.register("response-received", look)
