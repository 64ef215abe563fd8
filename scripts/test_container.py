"""Checks the examples for containers by the schemas of their formats: compose.yaml by that of the Compose specification,
kubernetes.yaml by those of Kubernetes.

usage: scripts/test_container.py SCHEMA

SCHEMA is compose_spec.json of docker-compose 1.29.2. Needs kubernetes-validate, jsonschema and PyYAML; scripts/test-image
installs them.
"""
import json
import pathlib
import re
import sys

import jsonschema
import kubernetes_validate
import yaml

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "support/container"
# The versions of Kubernetes that are maintained when this is written, and an older one.
VERSIONS = ("1.29", "1.33")


def interpolated(text):
    """Returns the text with the default values of variables, as Compose reads it without any."""
    return re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", text)


def check_compose(schema):
    text = (FOLDER / "compose.yaml").read_text()
    document = yaml.safe_load(interpolated(text))
    jsonschema.Draft201909Validator(schema).validate(document)
    services = document["services"]
    # The schema doesn't know which names belong together.
    for name, service in services.items():
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            if not source.startswith(".") and source not in document["volumes"]:
                sys.exit(f"compose.yaml: {name} has the volume '{source}', which isn't declared")
        for other in service.get("depends_on", {}):
            if not set(service["profiles"]) <= set(services[other]["profiles"]):
                sys.exit(f"compose.yaml: {name} depends on {other}, which another profile starts")
    broken = dict(document, services={"a": {"imagee": "x"}})
    try:
        jsonschema.Draft201909Validator(schema).validate(broken)
    except jsonschema.ValidationError:
        return sorted(services)
    sys.exit("the schema of Compose accepts a service that isn't one")


def check_kubernetes():
    documents = list(yaml.safe_load_all((FOLDER / "kubernetes.yaml").read_text()))
    for version in VERSIONS:
        for document in documents:
            kubernetes_validate.validate(document, version, strict=True)
    deployment, service = documents[0], documents[1]
    if service["spec"]["selector"] != deployment["spec"]["template"]["metadata"]["labels"]:
        sys.exit("kubernetes.yaml: the Service doesn't select the Deployment's pods")
    return [document["kind"] for document in documents]


if len(sys.argv) != 2:
    sys.exit(__doc__)
print("compose.yaml is valid:", ", ".join(check_compose(json.loads(pathlib.Path(sys.argv[1]).read_text()))))
print("kubernetes.yaml is valid:", ", ".join(check_kubernetes()))
