// Shows, from outside the process, that no write is acknowledged before it is synced: runs a server
// under strace, sends requests one at a time, and finds for each in the list of system calls:
// request read, WAL written, WAL synced, reply written, in this order. Needs Linux and strace, and
// is not part of `npm test`: node test/crash/sync-evidence.ts

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type Customer, makeCustomer } from "../support/customer.ts";
import { type Ask, type Client, makeClient } from "../support/http-client.ts";
import { operate } from "../support/server.ts";
import { removeFolder } from "../support/temp-folder.ts";

const bin = fileURLToPath(new URL("../../bin/sluice.js", import.meta.url));
const calls = "read,recvfrom,recvmsg,write,writev,sendto,sendmsg,pwrite64,pwritev,fsync,fdatasync";

const folder = mkdtempSync(join(tmpdir(), "sluice-sync-"));
const tracePath = join(folder, "trace");
const environment = {
  PORT: "0",
  NODE_ENV: "production",
  DATABASE_URL: `sqlite:${folder}/sluice.db`,
  DATA_DIR: folder,
  RATE_LIMIT_PER_SECOND: "0",
  LOG_LEVEL: "error",
};
try {
  const sent = await traceRequests();
  process.exitCode = report(sent, readFileSync(tracePath, "utf8").split("\n")) ? 0 : 1;
} finally {
  removeFolder(folder);
}

async function traceRequests(): Promise<readonly string[]> {
  const tracing = ["-f", "-qq", "-y", "-s", "4096", "-e", `trace=${calls}`, "-o", tracePath];
  const child = spawn("strace", [...tracing, process.execPath, bin, "serve"], {
    env: { PATH: process.env["PATH"] ?? "", ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const client = makeClient(await addressOf(createInterface({ input: child.stdout })));
  const customer = await operate(environment, (app) => makeCustomer(app, client));
  const sent = await sendAll(client, customer);
  client.close();
  process.kill(serverPid(), "SIGTERM");
  await ended;
  return sent;
}

async function addressOf(lines: AsyncIterable<string>): Promise<string> {
  for await (const line of lines) {
    const address = /^Listening on (http:\S+)$/.exec(line)?.[1];
    if (address !== undefined) return address;
  }
  throw new Error("the server ended before it listened");
}

/** The first process in the trace. */
function serverPid(): number {
  return Number(/^\d+/.exec(readFileSync(tracePath, "utf8"))?.[0]);
}

async function sendAll(client: Client, customer: Customer): Promise<readonly string[]> {
  const names: string[] = [];
  for (const [kind, ask] of asks(customer.organizationId)) {
    const name = `evidence-${names.length}-${kind}`;
    const authorization = kind === "token" ? customer.apiKey : `Bearer ${customer.token}`;
    const headers = { ...ask.headers, authorization, "x-request-id": name };
    const reply = await client.send({ ...ask, headers });
    if (reply.status >= 300) throw new Error(`${name}: ${reply.status} ${reply.text}`);
    names.push(name);
  }
  return names;
}

function asks(organizationId: string): readonly (readonly [string, Ask])[] {
  const timestamp = "2026-01-31T09:30:00Z";
  const person = (id: string) => ({
    person_id: id,
    is_test_user: true,
    is_retail_customer: true,
    timestamp,
  });
  const path = "/v2/person";
  const rounds = Array.from({ length: 10 }, (_, round): (readonly [string, Ask])[] => [
    ["add", { method: "POST", path, body: person(`one-${round}`) }],
    ["list", { method: "POST", path, body: [person(`two-${round}`), person(`three-${round}`)] }],
    ["stream", streamAsk(path, [person(`four-${round}`), person(`five-${round}`)])],
    [
      "update",
      { method: "PUT", path, body: { person_id: `one-${round}`, timestamp, name: "Ada" } },
    ],
    ["delete", { method: "DELETE", path, body: { person_id: `one-${round}`, reason: "evidence" } }],
    ["token", tokenAsk(organizationId)],
  ]);
  return rounds.flat();
}

function streamAsk(path: string, records: readonly object[]): Ask {
  const body = records.map((record) => JSON.stringify(record)).join("\n");
  return { method: "POST", path, body, headers: { "content-type": "application/x-ndjson" } };
}

function tokenAsk(organizationId: string): Ask {
  const scopes = { organization_id: organizationId, scopes: ["person:write"] };
  return { method: "POST", path: "/auth/token", body: { expiry_seconds: 300, scopes } };
}

/** Prints what was seen; true if every request was synced before its reply. */
function report(names: readonly string[], trace: readonly string[]): boolean {
  const faults = names.flatMap((name) => {
    const fault = faultOf(name, trace);
    return fault === undefined ? [] : [`${name}: ${fault}`];
  });
  for (const fault of faults) process.stdout.write(`${fault}\n`);
  process.stdout.write(
    `${names.length - faults.length} of ${names.length} writes were synced between the request and its reply\n`,
  );
  return faults.length === 0;
}

function faultOf(name: string, trace: readonly string[]): string | undefined {
  const received = trace.findIndex((line) => isSocketRead(line) && line.includes(name));
  // A stream's reply begins before its records are written; the summary is what counts.
  const replied = name.endsWith("stream")
    ? trace.findIndex((line, index) => index > received && /write.*write_count/.test(line))
    : trace.findIndex((line, index) => index > received && line.includes(`x-request-id: ${name}`));
  if (received === -1 || replied === -1) return "the request or its reply is not in the trace";
  const between = trace.slice(received, replied);
  const written = between.findLastIndex((line) => /pwrite\w*\(\d+<[^>]*-wal>/.test(line));
  if (written === -1) return "nothing was written to the WAL";
  return isSynced(between.slice(written + 1)) ? undefined : "the WAL was not synced";
}

/** In one line, or begun in one line and ended in a later one of the same thread. */
function isSynced(lines: readonly string[]): boolean {
  const begun = new Set<string>();
  for (const line of lines) {
    const thread = /^\d+/.exec(line)?.[0] ?? "";
    if (/ (fsync|fdatasync)\(\d+<[^>]*-wal>\) += 0/.test(line)) return true;
    if (/ (fsync|fdatasync)\(\d+<[^>]*-wal> <unfinished/.test(line)) begun.add(thread);
    if (begun.has(thread) && / (fsync|fdatasync) resumed>\) += 0/.test(line)) return true;
  }
  return false;
}

function isSocketRead(line: string): boolean {
  return /(read|recvfrom|recvmsg)(\(| resumed)/.test(line);
}
