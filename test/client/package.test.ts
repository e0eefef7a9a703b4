// The package as a user installs it: packed, installed into an empty folder, its content and size, its types, and that
// each runtime that is installed runs it. The runtimes that the client supports, as far as they are installed.

import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { before, describe, it } from "node:test";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { blocksOf } from "../repository/rule/pages.ts";
import { readFile } from "../repository/tree.ts";
import { compileProgram, installClient, javascriptOf, type PackedClient } from "./built-client.ts";
import { useSite } from "./real-site.ts";

interface Runtime {
  readonly name: string;
  /** The command that runs a program, with its first arguments; undefined where it is not installed. */
  readonly command: readonly [string, ...string[]] | undefined;
}

const runtimes: readonly Runtime[] = [
  { name: "the Node of the checkout", command: [process.execPath] },
  { name: "Node 20", command: findNode(20) },
  { name: "Node 22", command: findNode(22) },
  { name: "Bun", command: findProgram("bun", "run") },
  { name: "Deno", command: findProgram("deno", "run", "--quiet", "--allow-net") },
];

/** In the PATH, where the first of several is often that of the checkout. */
function findNode(major: number): readonly [string] | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const places = [...new Set(folders)].map((folder) => join(folder, "node"));
  const found = places.find((place) => versionOf(place).startsWith(`v${major}.`));
  return found === undefined ? undefined : [found];
}

function findProgram(
  name: string,
  ...words: readonly string[]
): readonly [string, ...string[]] | undefined {
  return versionOf(name) === "" ? undefined : [name, ...words];
}

/** Empty where the program does not run. */
function versionOf(program: string): string {
  const { status, stdout } = spawnSync(program, ["--version"], { encoding: "utf8" });
  return status === 0 ? stdout : "";
}

const run = promisify(execFile);

/** Prints what it finds as JSON. */
const program = `
import { Sluice, SluiceError } from "@sluice/client";

const [baseUrl, apiKey, organizationId, prefix] = process.argv.slice(2);
const sluice = new Sluice({ baseUrl, apiKey, organizationId });
const make = (nth) => ({ tx_id: prefix + nth, type: "DEPOSIT", method: "CARD", amount: nth, currency: "EUR",
  status: "CREATED", sender_id: "p", sender_country: "DE", timestamp: "2026-07-01T00:00:00Z" });
const added = await sluice.transactions.add(make(0));
const updated = await sluice.transactions.update({ tx_id: prefix + 0, amount: null, timestamp: new Date("2026-07-02T02:00+02:00") });
const { last_seen } = await sluice.transactions.exists(prefix + 0);
const code = await sluice.transactions.add(make(0)).catch((error) => error instanceof SluiceError && error.code);
async function* source() { for (let nth = 1; nth <= 2500; nth += 1) yield nth === 7 ? { tx_id: prefix + 7 } : make(nth); }
const upload = sluice.transactions.addAll(source());
const refused = [];
for await (const { index } of upload) refused.push(index);
const { deletion_request_id: id } = await sluice.transactions.delete(prefix + 0, "a test");
const { status } = await sluice.deletions.wait(id);
const signal = AbortSignal.abort("enough");
const reason = await sluice.transactions.exists(prefix + 1, { signal }).catch((caught) => caught);
const gone = await sluice.transactions.exists(prefix + 0);
console.log(JSON.stringify({ counts: [added.write_count, updated.write_count], last_seen, code, tally: upload.tally, refused,
  status, reason, gone: gone === undefined }));
`;

const typed = `
import { Sluice, SluiceError, errorCodes, type Transaction } from "@sluice/client";

const sluice = new Sluice({ baseUrl: "https://intake.example.com", apiKey: "key", organizationId: "demo" });
const transaction: Transaction = { tx_id: "tx-1", type: "DEPOSIT", method: "SEPA", amount: 1250.5, currency: "EUR",
  status: "PENDING", sender_id: "person-81", sender_country: "DE", timestamp: new Date() };
const added: Promise<{ readonly write_count: number }> = sluice.transactions.add(transaction);
const exists = (error: unknown) => error instanceof SluiceError && error.code === errorCodes.record_exists;
`;
const wronglyTyped = "export const wrong: number = Sluice.name;\n";

describe("the package of the client", () => {
  let built: PackedClient;
  before(async () => {
    built = await installClient();
  });
  const site = useSite();

  it("declares its name and requirements, and nothing else", () => {
    const manifest = JSON.parse(readFile("client/package.json").text) as Record<string, unknown>;
    const { name, version, type, license, engines, sideEffects, files } = manifest;
    const { version: own } = JSON.parse(readFile("package.json").text) as { version: string };
    assert.deepEqual([name, type, license], ["@sluice/client", "module", "Apache-2.0"]);
    assert.deepEqual([version, engines, sideEffects], [own, { node: ">=20" }, false]);
    assert.deepEqual(files, ["dist", "README.md", "LICENSE"]);
    const needed = Object.keys(manifest).filter((key) => /dependencies$/i.test(key));
    assert.deepEqual(needed, []);
    assert.equal(readFile("client/LICENSE").text, readFile("LICENSE").text);
  });

  it("holds what was built, with its types, and nothing else", () => {
    const expected =
      /^(?:dist\/(?:generated\/)?[a-z-]+\.(?:js|d\.ts)|package\.json|README\.md|LICENSE)$/;
    assert.deepEqual(
      built.paths.filter((path) => !expected.test(path)),
      [],
    );
    assert.deepEqual(readdirSync(join(built.folder, "node_modules")).sort(), [
      ".package-lock.json",
      "@sluice",
    ]);
  });

  it("exports the built files", () => {
    const manifest = JSON.parse(readFileSync(join(built.package, "package.json"), "utf8")) as {
      main: string;
      types: string;
      exports: { ".": Record<string, string> };
    };
    const { main, types } = manifest;
    // The first two are for compilers that do not know the third.
    assert.deepEqual(manifest.exports["."], { types, default: main });
    for (const path of [main, types]) assert.ok(existsSync(join(built.package, path)), path);
  });

  const resolutions = [
    { module: "nodenext", moduleResolution: "nodenext" },
    { module: "preserve", moduleResolution: "bundler" },
    { module: "commonjs", moduleResolution: "bundler" },
  ];
  for (const resolution of resolutions) {
    it(`has types for programs with ${resolution.module} and ${resolution.moduleResolution}`, async () => {
      const settings = { ...resolution, types: [], lib: ["es2022", "dom"] };
      const found = await compileProgram(built, typed + wronglyTyped, settings);
      assert.match(found, /TS2322/);
      assert.equal(found.match(/error/g)?.length, 1, found);
    });
  }

  it("imports nothing but its own files", () => {
    const imported = javascriptOf(built).flatMap((text) =>
      [...text.matchAll(/\b(?:from|import)\s*\(?\s*["']([^"']+)["']/g)].map(
        ([, from = ""]) => from,
      ),
    );
    assert.ok(imported.length > 20);
    assert.deepEqual(
      imported.filter((from) => !/^\.\.?\/[\w/-]+\.js$/.test(from)),
      [],
    );
  });

  it("is as large as its README says, within a tenth", () => {
    const { text } = readFile("client/README.md");
    const stated = /(\d+) KB of JavaScript, (\d+) KB compressed/.exec(text);
    const all = javascriptOf(built).join("");
    const sizes = [Buffer.byteLength(all), gzipSync(all).length];
    for (const [index, bytes] of sizes.entries()) {
      const kilobytes = Number(stated?.[index + 1]);
      assert.ok(
        Math.abs(kilobytes - bytes / 1_000) <= bytes / 10_000,
        `it has ${sizes.join(", ")}`,
      );
    }
  });

  for (const [index, { name, command = ["none"] }] of runtimes.entries()) {
    const skip = command[0] === "none" ? `${name} is not installed` : false;
    it(`runs on ${name}`, { skip }, async () => {
      const path = join(built.folder, "program.mjs");
      writeFileSync(path, program);
      const { customer, server } = site();
      const [runtime, ...first] = command;
      const { apiKey, organizationId } = customer;
      const words = [...first, path, server.address, apiKey, organizationId, `run-${index}-`];
      const { stdout } = await run(runtime, words, { cwd: built.folder });
      assert.deepEqual(JSON.parse(stdout), {
        counts: [1, 1],
        last_seen: "2026-07-02T00:00:00Z",
        code: 40901,
        tally: { received: 2_500, written: 2_499, unchanged: 0, refused: 1 },
        refused: [6],
        status: "completed",
        reason: "enough",
        gone: true,
      });
    });
  }

  it("can't be used by pages of other origins, as its README says: no reply allows it", async () => {
    const origin = { origin: "https://page.sluice.invalid" };
    const asked = { ...origin, "access-control-request-method": "POST" };
    for (const [method, headers] of [["GET", origin] as const, ["OPTIONS", asked] as const]) {
      for (const path of ["/v2/transaction", "/health/live"]) {
        const reply = await fetch(`${site().server.address}${path}`, { method, headers });
        const names = [...reply.headers.keys()].filter((name) => name.startsWith("access-control"));
        assert.deepEqual(names, [], `${method} ${path}`);
      }
    }
  });

  // Another test runs the program in the client's own README, without packing it.
  it("works as README.md shows", async () => {
    const { customer, server } = site();
    const shown = blocksOf(readFile("README.md").text, "ts")[0] ?? "";
    const path = join(built.folder, "shown.ts");
    writeFileSync(
      path,
      shown
        .replace("http://127.0.0.1:8080", server.address)
        .replace('organizationId: "demo"', `organizationId: "${customer.organizationId}"`),
    );
    const env = { ...process.env, SLUICE_API_KEY: customer.apiKey };
    const { stdout } = await run(process.execPath, [path], { env });
    assert.equal(stdout, "");
  });
});
