"""Builds the part of Kustomize that deploy/kubernetes uses; anything else in a kustomization is an error.

Neither Debian nor PyPI has kustomize itself. It merges patches by the keys that Kubernetes' types name (patchMergeKey).
"""
import copy
import pathlib

import yaml

KNOWN = {"apiVersion", "kind", "namespace", "resources", "patches", "configMapGenerator", "generatorOptions"}
MERGE_KEYS = {
    "containers": "name", "initContainers": "name", "volumes": "name", "env": "name", "volumeMounts": "mountPath", "ports": "containerPort",
    "topologySpreadConstraints": "topologyKey",
}
# Kinds that are in no namespace.
CLUSTER_KINDS = {"Namespace"}


def documents(path):
    return [document for document in yaml.safe_load_all(path.read_text()) if document is not None]


def merged(base, patch, name=""):
    """A strategic merge of a patch without directives."""
    if isinstance(patch, dict) and isinstance(base, dict):
        if any(key.startswith("$") for key in patch):
            raise ValueError(f"{name}: directives such as $patch are not known here")
        result = dict(base)
        for key, value in patch.items():
            result[key] = merged(base[key], value, key) if key in base else copy.deepcopy(value)
            if result[key] is None:
                del result[key]
        return result
    if isinstance(patch, list) and isinstance(base, list) and name in MERGE_KEYS:
        key = MERGE_KEYS[name]
        result = [copy.deepcopy(item) for item in base]
        for item in patch:
            same = [index for index, other in enumerate(result) if other[key] == item[key]]
            if same:
                result[same[0]] = merged(result[same[0]], item)
            else:
                result.append(copy.deepcopy(item))
        return result
    return copy.deepcopy(patch)


def identity(document):
    return document["apiVersion"], document["kind"], document["metadata"]["name"]


def build(directory):
    """The documents that `kubectl kustomize` gives for a directory."""
    directory = pathlib.Path(directory).resolve()
    kustomization, = documents(directory / "kustomization.yaml")
    unknown = set(kustomization) - KNOWN
    if unknown:
        raise ValueError(f"{directory}: not known here: {', '.join(sorted(unknown))}")
    found = []
    for resource in kustomization.get("resources", []):
        path = directory / resource
        found += build(path) if path.is_dir() else documents(path)
    for patch in kustomization.get("patches", []):
        if set(patch) != {"path"}:
            raise ValueError(f"{directory}: only patches with a path are known here")
        for change in documents(directory / patch["path"]):
            same = [index for index, document in enumerate(found) if identity(document) == identity(change)]
            if len(same) != 1:
                raise ValueError(f"{patch['path']} patches {len(same)} documents")
            found[same[0]] = merged(found[same[0]], change)
    generators = kustomization.get("configMapGenerator", [])
    if generators and kustomization.get("generatorOptions") != {"disableNameSuffixHash": True}:
        raise ValueError(f"{directory}: suffixes of names are not known here")
    for generator in generators:
        found.append({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": generator["name"]},
            "data": {name: (directory / name).read_text() for name in generator["files"]}})
    if len({identity(document) for document in found}) != len(found):
        raise ValueError(f"{directory}: a document is there twice")
    for document in found:
        if document["kind"] not in CLUSTER_KINDS and "namespace" in kustomization:
            document["metadata"]["namespace"] = kustomization["namespace"]
    return found
