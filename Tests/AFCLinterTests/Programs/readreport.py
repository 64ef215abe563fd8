"""Reads a report of afcache lint with another program's reader, and prints what it says, one line a finding.

usage: readreport.py sarif|junit|gitlab|json FILE

SARIF is validated by its schema (Fixtures/schemas/sarif), and read with sarif_om, whose classes were generated from it.
"""
import json
import os
import re
import sys

import attr
import jsonschema
import junitparser
import sarif_om

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
SCHEMA = os.path.join(ROOT, "Fixtures/schemas/sarif/sarif-2.1.0.json")
CLASSES = {
    "runs": "Run", "tool": "Tool", "driver": "ToolComponent", "rules": "ReportingDescriptor", "results": "Result",
    "locations": "Location", "physicalLocation": "PhysicalLocation", "artifactLocation": "ArtifactLocation",
    "region": "Region", "logicalLocations": "LogicalLocation", "invocations": "Invocation",
    "toolExecutionNotifications": "Notification", "message": "Message", "description": "Message",
    "shortDescription": "MultiformatMessageString", "fullDescription": "MultiformatMessageString",
    "help": "MultiformatMessageString", "defaultConfiguration": "ReportingConfiguration",
    "originalUriBaseIds": {"*": "ArtifactLocation"},
}


def model(name, value):
    """Makes an object of sarif_om of a JSON object."""
    kind = getattr(sarif_om, name)
    known = {field.metadata["schema_property_name"]: field.name for field in attr.fields(kind)}
    arguments = {}
    for key, item in value.items():
        if key not in known:
            raise SystemExit(f"{name} has no property {key}")
        inner = CLASSES.get(key)
        if isinstance(inner, dict):
            item = {k: model(inner["*"], v) for k, v in item.items()}
        elif inner and isinstance(item, list):
            item = [model(inner, v) for v in item]
        elif inner and isinstance(item, dict):
            item = model(inner, item)
        elif isinstance(item, dict) and key not in ("properties", "partialFingerprints"):
            raise SystemExit(f"{name}.{key} is an object")
        arguments[known[key]] = item
    return kind(**arguments)


def sarif(path):
    document = json.load(open(path, encoding="utf-8"))
    with open(SCHEMA, encoding="utf-8") as file:
        schema = json.load(file)
    validator = jsonschema.validators.validator_for(schema)
    validator(schema, format_checker=jsonschema.FormatChecker()).validate(document)
    document.pop("$schema")
    log = model("SarifLog", document)
    assert log.version == "2.1.0" and len(log.runs) == 1
    run = log.runs[0]
    assert run.column_kind == "unicodeCodePoints"
    rules = run.tool.driver.rules
    assert len({rule.id for rule in rules}) == len(rules)
    for rule in rules:
        assert rule.default_configuration.level in ("note", "warning", "error")
        for text in (rule.short_description, rule.full_description, rule.help):
            assert text.text.strip()
    seen = set()
    for result in run.results:
        assert rules[result.rule_index].id == result.rule_id
        location, = result.locations
        place = location.physical_location
        region = place.region
        assert re.fullmatch(r"[A-Za-z0-9._~/%-]+", place.artifact_location.uri)
        assert place.artifact_location.uri_base_id in run.original_uri_base_ids
        assert region.start_line >= 1
        print_id = result.partial_fingerprints["primaryLocationLineHash"]
        assert re.fullmatch(r"[0-9a-f]{32}:[0-9]+", print_id)
        assert (place.artifact_location.uri, print_id) not in seen
        seen.add((place.artifact_location.uri, print_id))
        member = location.logical_locations[0].fully_qualified_name if location.logical_locations else "-"
        print(result.level, result.rule_id, place.artifact_location.uri, region.start_line, region.start_column or "-",
              region.end_column or "-", member, result.occurrence_count or 1)
    invocation, = run.invocations
    print("exit", invocation.exit_code, invocation.execution_successful)
    for notification in invocation.tool_execution_notifications or []:
        print(notification.level, notification.message.text)


def junit(path):
    for suite in junitparser.JUnitXml.fromfile(path):
        print("suite", suite.name, suite.tests, suite.failures)
        assert suite.tests == len(list(suite))
        for case in suite:
            assert case.classname == suite.name
            for result in case.result:
                print(" failed", case.name, result.type, result.message)
            if not case.result:
                print(" passed", case.name, "with output" if case.system_out else "")


# https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
GITLAB = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "additionalProperties": False,
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "minLength": 1},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "properties": {
                    "path": {"type": "string", "pattern": r"^[^./]"},
                    "lines": {
                        "type": "object",
                        "required": ["begin"],
                        "properties": {"begin": {"type": "integer", "minimum": 1}},
                    },
                },
            },
        },
    },
}


def gitlab(path):
    report = json.load(open(path, encoding="utf-8"))
    jsonschema.validate(report, GITLAB)
    assert len({issue["fingerprint"] for issue in report}) == len(report)
    for issue in report:
        print(issue["severity"], issue["check_name"], issue["location"]["path"], issue["location"]["lines"]["begin"])


# docs/reference/lint.md
OWN = {
    "type": "object",
    "required": ["version", "files"],
    "properties": {
        "version": {"const": 1},
        "files": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["file", "entries", "loadable", "signatures", "digest", "findings"],
                "additionalProperties": False,
                "properties": {
                    "file": {"type": "string"},
                    "entries": {"type": "integer", "minimum": 0},
                    "loadable": {"type": "boolean"},
                    "signatures": {"type": ["array", "null"]},
                    "digest": {"type": ["string", "null"]},
                    "findings": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["rule", "severity", "message"],
                            "additionalProperties": False,
                            "properties": {
                                "rule": {"type": "string"},
                                "severity": {"enum": ["error", "warning", "info"]},
                                "message": {"type": "string"},
                                "member": {"type": "string"},
                                "line": {"type": "integer", "minimum": 1},
                                "column": {"type": "integer", "minimum": 1},
                                "endColumn": {"type": "integer", "minimum": 2},
                                "others": {"type": "integer", "minimum": 1},
                            },
                        },
                    },
                },
            },
        },
    },
}


def own(path):
    report = json.load(open(path, encoding="utf-8"))
    jsonschema.validate(report, OWN)
    for file in report["files"]:
        for finding in file["findings"]:
            print(finding["severity"], finding["rule"], os.path.basename(file["file"]), finding.get("line", "-"),
                  finding.get("column", "-"), finding.get("others", 0))


{"sarif": sarif, "junit": junit, "gitlab": gitlab, "json": own}[sys.argv[1]](sys.argv[2])
