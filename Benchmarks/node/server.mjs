// The work of POST /pyrus/authorize in Node: node:http, one cluster worker a core.
import cluster from "node:cluster";
import { createSecretKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { decide } from "./security_key.mjs";

const bodyLimit = 16 * 1024;
const bounds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100];

const answer = (status, value) => ({ status, body: Buffer.from(JSON.stringify(value)) });
const malformed = (message) => answer(400, { error: "malformed", message });
const answers = {
  authorized: answer(200, { status: "authorized" }),
  denied: answer(403, { error: "forbidden", message: "denied" }),
  malformed_body: malformed("the body must be one JSON object"),
  malformed_app_id: malformed("app_id must be text of 1 to 255 UTF-16 units"),
  malformed_user_id: malformed("user_id must be text of 1 to 100 UTF-16 units"),
  malformed_security_key: malformed("security_key must be dgk1. and 84 base64url characters"),
  not_found: answer(404, { error: "not_found", message: "no such path" }),
  not_allowed: answer(405, { error: "method_not_allowed", message: "use POST" }),
  too_large: answer(413, { error: "too_large", message: "the body is over 16 KiB" }),
};

const results = Object.fromEntries(Object.keys(answers).map((name) => [name, 0]));
const durations = new Array(bounds.length + 1).fill(0);
let elapsed = 0;

function observe(started, result) {
  const duration = performance.now() - started;
  const bucket = bounds.findIndex((bound) => duration <= bound);
  results[result] += 1;
  durations[bucket < 0 ? bounds.length : bucket] += 1;
  elapsed += duration;
}

function send(response, result) {
  const { status, body } = answers[result];
  response.writeHead(status, { "Content-Type": "application/json", "Content-Length": body.length });
  response.end(body);
}

function readKeyring(configuration, directory) {
  const secret = (file) => createSecretKey(Buffer.from(readFileSync(join(directory, file), "latin1").trim(), "base64url"));
  const keys = (app) => new Map(app.keys.map((key) => [key.id, secret(key.secret.file)]));
  return new Map(configuration.apps.map((app) => [app.app_id, keys(app)]));
}

function handle(keyring, request, response) {
  const started = performance.now();
  if (request.url !== "/pyrus/authorize") return send(response, "not_found");
  if (request.method !== "POST") return send(response, "not_allowed");
  const chunks = [];
  let length = 0;
  request.on("data", (chunk) => {
    length += chunk.length;
    if (length <= bodyLimit) chunks.push(chunk);
  });
  request.on("end", () => {
    if (length > bodyLimit) return send(response, "too_large");
    const type = request.headers["content-type"];
    const isJSON = type === undefined || type.toLowerCase().startsWith("application/json");
    const result = isJSON ? decide(keyring, Buffer.concat(chunks), Math.floor(Date.now() / 1000)) : "malformed_body";
    observe(started, result);
    send(response, result);
  });
}

const path = process.argv[4];
if (process.argv[2] !== "serve" || process.argv[3] !== "--config" || path === undefined) {
  console.error("usage: server.mjs serve --config FILE");
  process.exit(2);
}
if (cluster.isPrimary) {
  for (let worker = 0; worker < availableParallelism(); worker++) cluster.fork();
} else {
  const configuration = JSON.parse(readFileSync(path, "utf8"));
  const keyring = readKeyring(configuration, dirname(path));
  const { host, port } = configuration.listen;
  createServer((request, response) => handle(keyring, request, response)).listen(port, host);
}
