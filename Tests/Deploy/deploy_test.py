"""Checks deploy/kubernetes and the compose files; Scripts/check-deploy runs it."""
import copy
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import kubernetes_validate
import yaml
from compose_spec import PyCompose

from kustomization import build

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DESKGATE = ROOT / ".build/debug/deskgate"
OVERLAYS = ["deploy/kubernetes/overlays/sqlite", "deploy/kubernetes/overlays/postgres"]
COMPOSE = ["deploy/compose/compose.yaml", "deploy/replicas/compose.yaml"]
# The oldest that knows every field that is used, and the newest that the package knows.
VERSIONS = ["1.29", kubernetes_validate.latest_version()]
# After shutdown.drain_seconds the service has five seconds to end.
MARGIN_SECONDS = 5
problems = []


def expect(holds, where, text):
    if not holds:
        problems.append(f"{where}: {text}")


def run(*command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)


def kind(documents, name):
    return [document for document in documents if document["kind"] == name]


def only(documents, name):
    found, = kind(documents, name)
    return found


def schema_problems(documents):
    """What Kubernetes' own schemas find wrong, unknown fields included."""
    found = []
    for document in documents:
        for version in VERSIONS:
            try:
                kubernetes_validate.validate(document, version, strict=True)
            except kubernetes_validate.ValidationError as error:
                found.append(f"{document['kind']} {document['metadata']['name']} ({version}): {error.message} at {list(error.path)}")
    return found


def check_schemas(overlay, documents):
    for problem in schema_problems(documents):
        expect(False, overlay, problem)
    # The schemas are able to refuse.
    for member in ("stray", "image"):
        wrong = copy.deepcopy(only(documents, "Deployment"))
        wrong["spec"]["template"]["spec"]["containers"][0][member] = 1
        expect(schema_problems([wrong]), overlay, f"a Deployment with {member} 1 is not refused")


def check_pod(overlay, documents):
    """The pod is restricted (Pod Security Standards), and everything that it and others name is there."""
    deployment = only(documents, "Deployment")
    template = deployment["spec"]["template"]
    pod, (container,) = template["spec"], template["spec"]["containers"]
    dockerfile = (ROOT / "Dockerfile").read_text()
    user = int(re.search(r"^USER (\d+):\1$", dockerfile, re.MULTILINE)[1])
    context = pod["securityContext"]
    identities = {context["runAsUser"], context["runAsGroup"], context["fsGroup"]}
    expect(context["runAsNonRoot"] and identities == {user}, overlay, "runs as another user than the image")
    expect(context["seccompProfile"] == {"type": "RuntimeDefault"}, overlay, "has no seccomp profile")
    expect(container["securityContext"] == {
        "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}}, overlay, "is not restricted")
    expect(not pod["automountServiceAccountToken"], overlay, "has a token of the cluster")
    expect(container["resources"]["requests"] and container["resources"]["limits"]["memory"], overlay, "has no limits")
    volumes, mounts = {volume["name"]: volume for volume in pod["volumes"]}, container["volumeMounts"]
    expect({mount["name"] for mount in mounts} == set(volumes), overlay, "mounts other volumes than it has")
    expect(not any("subPath" in mount for mount in mounts), overlay, "mounts a file that is never updated (subPath)")
    expect(any(mount["mountPath"] == "/var/lib/deskgate" for mount in mounts), overlay, "the image's volume is not mounted")
    names = {(document["kind"], document["metadata"]["name"]) for document in documents}
    for volume in volumes.values():
        for source, member, target in [("configMap", "name", "ConfigMap"), ("persistentVolumeClaim", "claimName", "PersistentVolumeClaim")]:
            if source in volume:
                expect((target, volume[source][member]) in names, overlay, f"there is no {target} {volume[source][member]}")
    ports = {port["name"] for port in container["ports"]}
    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        check = container[probe]["httpGet"]
        expect(check["port"] in ports and f'"{check["path"]}"' in json.dumps(openapi()), overlay, f"{probe} asks what is not served")
    labels = template["metadata"]["labels"]
    for service in kind(documents, "Service"):
        expect(service["spec"]["selector"].items() <= labels.items(), overlay, "a Service selects nothing")
        expect({port["targetPort"] for port in service["spec"]["ports"]} <= ports, overlay, "a Service leads to no port")
    return deployment, pod, container


def openapi():
    return json.loads((ROOT / "docs/openapi.json").read_text())


def check_reachability(overlay, documents):
    """The Ingress leads to the public port alone, and the policy lets only monitoring reach the admin port."""
    admin = {service["metadata"]["name"] for service in kind(documents, "Service") if any(port["name"] == "admin" for port in service["spec"]["ports"])}
    services = {service["metadata"]["name"] for service in kind(documents, "Service")}
    # Those of the help desk; the probes are not for the public.
    served = {path for path, item in openapi()["paths"].items() if '["public"]' in json.dumps(item) and path not in ("/livez", "/readyz")}
    passed = only(documents, "Ingress")["spec"]["rules"][0]["http"]["paths"]
    for path in passed:
        name = path["backend"]["service"]["name"]
        expect(name in services - admin, overlay, f"{path['path']} leads to {name}")
        is_prefix = path["pathType"] == "Prefix" and any(route.startswith(path["path"] + "/") for route in served)
        expect(path["path"] in served or is_prefix, overlay, f"{path['path']} is not for the public")
    for path in served:
        below = [rule for rule in passed if rule["path"] == path or rule["pathType"] == "Prefix" and path.startswith(rule["path"] + "/")]
        expect(below, overlay, f"the Ingress does not pass {path} on")
    rules = only(documents, "NetworkPolicy")["spec"]["ingress"]
    for rule in rules:
        peers = [peer["namespaceSelector"]["matchLabels"]["kubernetes.io/metadata.name"] for peer in rule["from"]]
        wanted = {"public": ["ingress-nginx"], "admin": ["monitoring"]}
        for port in rule["ports"]:
            expect(peers == wanted[port["port"]], overlay, f"{peers} may reach {port['port']}")
    expect({port["port"] for rule in rules for port in rule["ports"]} == {"public", "admin"}, overlay, "a port is closed to everybody")


def check_configuration(overlay, documents, pod, container):
    """The configuration is a right one, its ports and times fit the pod, and its secrets are those that docs/DEPLOYING.md makes."""
    text = only(documents, "ConfigMap")["data"]["config.json"]
    config = json.loads(text)
    sleep = int(container["lifecycle"]["preStop"]["exec"]["command"][1])
    needed = sleep + config["shutdown"]["drain_seconds"] + MARGIN_SECONDS
    expect(pod["terminationGracePeriodSeconds"] >= needed, overlay, f"terminationGracePeriodSeconds must be at least {needed}")
    listened = {config["listen"]["port"], config["admin"]["port"]}
    expect({port["containerPort"] for port in container["ports"]} == listened, overlay, "listens on other ports")
    expect(config["reload"]["on_change"], overlay, "does not take changed files over")
    mounts = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
    secrets = {pathlib.Path(found).name for found in re.findall(rf'"{mounts["secrets"]}/([^"]+)"', text)}
    told = set(re.findall(r"--from-file=([\w.-]+)=", (ROOT / "docs/DEPLOYING.md").read_text()))
    expect(secrets <= told, overlay, f"docs/DEPLOYING.md does not make {sorted(secrets - told)}")
    with tempfile.TemporaryDirectory() as name:
        place = pathlib.Path(name)
        for secret in secrets - {"database-url"}:
            subprocess.run([DESKGATE, "secret", "new", "--out", place / secret], check=True, stdout=subprocess.DEVNULL)
        # No database is here, so the answer about it is that it cannot be reached.
        (place / "database-url").write_text(f"postgres://deskgate@/deskgate?host={place}")
        (place / "database-url").chmod(0o600)
        (place / "config.json").write_text(text.replace(mounts["secrets"], name).replace("/var/lib/deskgate", name))
        (place / "config.json").chmod(0o600)
        done = run(DESKGATE, "check", "--config", place / "config.json")
        lines = [line for line in done.stdout.splitlines() if ".json: $." in line]
        expected = ["$.store.url"] if config["store"]["type"] == "postgres" else []
        wrong = [line for line in lines if not any(f" {path}:" in line for path in expected + ["$.admin.tls"])]
        expect(not wrong and (done.returncode == 0 or expected), overlay, f"deskgate check says: {done.stdout}")


def check_overlay(overlay):
    documents = build(ROOT / overlay)
    check_schemas(overlay, documents)
    deployment, pod, container = check_pod(overlay, documents)
    check_reachability(overlay, documents)
    check_configuration(overlay, documents, pod, container)
    names = {document["kind"] for document in documents}
    if kind(documents, "PersistentVolumeClaim"):
        expect(deployment["spec"]["replicas"] == 1 and deployment["spec"]["strategy"]["type"] == "Recreate", overlay, "two processes may use the file")
        expect(not names & {"HorizontalPodAutoscaler", "PodDisruptionBudget"}, overlay, "one replica can neither be scaled nor kept from being drained")
    else:
        expect("replicas" not in deployment["spec"], overlay, "the autoscaler and the Deployment both say how many replicas there are")
        target = only(documents, "HorizontalPodAutoscaler")["spec"]["scaleTargetRef"]
        expect((target["kind"], target["name"]) == ("Deployment", deployment["metadata"]["name"]), overlay, "the autoscaler scales nothing")
        selector = only(documents, "PodDisruptionBudget")["spec"]["selector"]
        expect(selector == deployment["spec"]["selector"], overlay, "the disruption budget is about other pods")
    print(f"{overlay}: {len(documents)} documents")


def check_image():
    """The image runs as a fixed user, has a health check, and is built on chosen versions."""
    text = (ROOT / "Dockerfile").read_text()
    bases = dict(re.findall(r"^ARG (\w+)=(\S+)$", text, re.MULTILINE))
    for base in re.findall(r"^FROM \$\{(\w+)\}", text, re.MULTILINE):
        expect(re.search(r":\d+\.\d+|@sha256:", bases.get(base, "")), "Dockerfile", f"{base} is not pinned")
    expect(len(re.findall(r"^FROM ", text, re.MULTILINE)) == len(bases) == 2, "Dockerfile", "a base cannot be chosen")
    expect(re.search(r'^HEALTHCHECK .* CMD \["deskgate", "health"\]$', text, re.MULTILINE), "Dockerfile", "has no health check")
    expect(re.search(r"^USER [1-9]\d*:[1-9]\d*$", text, re.MULTILINE), "Dockerfile", "runs as no fixed user")


def check_compose(path):
    """The file follows the Compose specification, and each file of the repository that it mounts is there."""
    text = (ROOT / path).read_text()
    compose = yaml.safe_load(re.sub(r"\$\{OWNER[^}]*\}", "1000:1000", text))
    try:
        PyCompose.from_json(json.dumps(compose)).validate()
    except ValueError as error:
        expect(False, path, str(error))
    try:
        PyCompose.from_json(json.dumps({"services": {"a": {"image": "b", "secrets": ["none"]}}})).validate()
        expect(False, path, "a wrong file is not refused")
    except ValueError:
        pass
    directory = (ROOT / path).parent
    for name, service in compose["services"].items():
        expect(not str(service.get("image", "")).endswith(":latest"), path, f"{name} is not pinned")
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            if source.startswith(".") and not source.startswith("./site"):
                expect((directory / source).exists(), path, f"{source} does not exist")
        for port in service.get("ports", []):
            expect(port.startswith("127.0.0.1:") and not port.endswith(":9090"), path, f"{name} publishes {port}")
    return compose


def check_prometheus(path):
    """The configuration of compose.yaml's Prometheus is a right one, with the rules beside it as they are mounted."""
    with tempfile.TemporaryDirectory() as name:
        for source in ("deploy/compose/prometheus.yml", "deploy/prometheus/deskgate.rules.yml"):
            shutil.copy(ROOT / source, name)
        promtool = shutil.which("promtool") or ROOT / ".build/tools/promtool"
        done = run(promtool, "check", "config", "--syntax-only", f"{name}/prometheus.yml")
        expect(done.returncode == 0, path, done.stdout)


def check_secrecy(path, compose, site):
    """Only the owner of the site reads anything in it, so each container that mounts a part runs as the owner, or starts as root."""
    expect(site.stat().st_mode & 0o777 == 0o700, path, f"prepare lets other users into {site.name}")
    for place in site.rglob("*"):
        mode = place.stat().st_mode & 0o777
        expect(mode & 0o007 == 0, path, f"prepare makes {place.relative_to(site.parent)} with mode {mode:o}, so other users may read it")
    for name, service in compose["services"].items():
        mounts = any(volume.startswith("./site") for volume in service.get("volumes", []))
        if name != "database" and ("secrets" in service or mounts):
            expect(service.get("user") == "1000:1000", path, f"{name} does not run as the owner of site")


def check_site(path, compose):
    """`prepare` makes what the file mounts, and a right configuration; every service is contained, bounded and watched."""
    for name, service in compose["services"].items():
        for member in ("healthcheck", "restart", "read_only", "cap_drop", "security_opt"):
            expect(service.get(member), path, f"{name} has no {member}")
        expect({"cpus", "memory"} <= set(service["deploy"]["resources"]["limits"]), path, f"{name} has no limits")
    with tempfile.TemporaryDirectory() as name:
        site = pathlib.Path(name) / "site"
        run((ROOT / path).parent / "prepare", site, env={**os.environ, "DESKGATE": str(DESKGATE)}, check=True)
        sources = [volume.split(":")[0] for service in compose["services"].values() for volume in service.get("volumes", [])]
        sources += [secret["file"] for secret in compose["secrets"].values()]
        for source in sources:
            if source.startswith("./site"):
                expect((site.parent / source).exists(), path, f"prepare does not make {source}")
        check_secrecy(path, compose, site)
        config = site / "deskgate/config.json"
        drain = json.loads(config.read_text()).get("shutdown", {}).get("drain_seconds", 20)
        expect(compose["services"]["deskgate"]["stop_grace_period"] == f"{drain + MARGIN_SECONDS}s", path, "deskgate is stopped too early or too late")
        done = run(DESKGATE, "check", "--config", config)
        lines = [line for line in done.stdout.splitlines() if ".json: $." in line]
        wrong = [line for line in lines if " $.store.url:" not in line and " $.admin.tls:" not in line]
        expect(lines and not wrong, path, f"deskgate check says: {done.stdout}")


def main():
    check_image()
    for overlay in OVERLAYS:
        check_overlay(overlay)
    for path in COMPOSE:
        compose = check_compose(path)
        print(f"{path}: {len(compose['services'])} services")
        if "prometheus" in compose["services"]:
            check_prometheus(path)
            check_site(path, compose)
    sys.exit("\n".join(problems) or 0)


main()
