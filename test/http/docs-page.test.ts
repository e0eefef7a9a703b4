// The reference page at /docs: it is complete, and neither it nor its settings load anything from
// elsewhere.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { createContext, runInContext } from "node:vm";
import type { Reply } from "../support/http-client.ts";
import { startService } from "../support/service.ts";

const service = await startService();
after(() => service.stop());

async function get(path: string, headers: Record<string, string> = {}): Promise<Reply> {
  const reply = await service.client.send({ method: "GET", path, headers });
  assert.equal(reply.status, 200, reply.text.slice(0, 300));
  return reply;
}

const absolute = /(?:https?:)?\/\/[a-z0-9]/i;

describe("the reference page", () => {
  it("names no other host", async () => {
    const page = await get("/docs");
    assert.match(String(page.headers["content-type"]), /^text\/html/);
    assert.doesNotMatch(page.text, absolute);
    assert.match('<script src="https://cdn.example.com/x.js">', absolute);
    assert.match('<script src="//cdn.example.com/x.js">', absolute);
  });

  it("has everything that it refers to", async () => {
    const page = await get("/docs");
    const references = [...page.text.matchAll(/(?:src|href)="([^"]*)"/g)].map(
      ([, url]) => url ?? "",
    );
    const paths = references
      .filter((url) => !url.startsWith("data:"))
      .map((url) => new URL(url, `${service.address}/docs`).pathname);
    assert.deepEqual(paths.toSorted(), ["/docs/reference.js", "/docs/start.js", "/openapi.json"]);
    for (const path of paths) assert.ok((await get(path)).bytes.length > 0, path);
  });

  it("forbids the browser to contact any other host, and scripts in the page", async () => {
    const { headers } = await get("/docs");
    const policy = new Map(
      String(headers["content-security-policy"])
        .split("; ")
        .map((directive) => directive.split(" "))
        .map(([name, ...sources]) => [name, sources] as const),
    );
    assert.deepEqual(policy.get("default-src"), ["'self'"]);
    assert.deepEqual(policy.get("script-src"), ["'self'"]);
    const allowed = new Set([...policy.values()].flat());
    assert.deepEqual([...allowed].toSorted(), ["'none'", "'self'", "'unsafe-inline'", "data:"]);
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.equal(headers["referrer-policy"], "no-referrer");
  });
});

describe("the script of the reference page", () => {
  it("is the complete installed one", async () => {
    const { text, headers } = await get("/docs/reference.js");
    assert.match(String(headers["content-type"]), /^text\/javascript/);
    assert.ok(text.length > 1_000_000, `${text.length} characters`);
    assert.ok(text.includes("createApiReference"));
  });
});

async function settingsAt(href: string): Promise<Record<string, unknown>> {
  const { text } = await get("/docs/start.js");
  assert.doesNotMatch(text, absolute);
  const calls: unknown[][] = [];
  const Scalar = { createApiReference: (...given: unknown[]) => calls.push(given) };
  runInContext(text, createContext({ Scalar, URL, location: { href } }));
  const [call] = calls;
  assert.equal(calls.length, 1);
  assert.equal(call?.[0], "#app");
  // Values of another context have other prototypes.
  return JSON.parse(JSON.stringify(call[1])) as Record<string, unknown>;
}

describe("the settings of the reference page", () => {
  it("turn off everything that Scalar would request from others", async () => {
    const settings = await settingsAt("http://127.0.0.1:8080/docs");
    assert.equal(settings["withDefaultFonts"], false);
    assert.equal(settings["telemetry"], false);
    assert.equal(settings["proxyUrl"], undefined);
    assert.equal(settings["showDeveloperTools"], "never");
    assert.deepEqual(settings["agent"], { disabled: true });
    assert.deepEqual(settings["mcp"], { disabled: true });
  });

  it("point to the document next to the page, also under a path of a proxy", async () => {
    const direct = await settingsAt("http://127.0.0.1:8080/docs#tag/transaction");
    assert.equal(direct["url"], "http://127.0.0.1:8080/openapi.json");
    assert.deepEqual(direct["servers"], [{ url: "http://127.0.0.1:8080" }]);
    const proxied = await settingsAt("https://example.com/intake/docs");
    assert.equal(proxied["url"], "https://example.com/intake/openapi.json");
    assert.deepEqual(proxied["servers"], [{ url: "https://example.com/intake" }]);
  });
});
