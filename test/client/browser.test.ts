// The package in a browser, without a window: a page loads the installed files and uses the service at its own origin,
// through a proxy, as the guide says. Skipped where no Chromium is installed.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { text } from "node:stream/consumers";
import { makeTempFolder } from "../support/temp-folder.ts";
import { installClient, type PackedClient } from "./built-client.ts";
import { useSite } from "./real-site.ts";

const names = ["chromium", "chromium-browser", "google-chrome", "chrome"];
const browser = names.find((name) => spawnSync(name, ["--version"]).status === 0);
const skip = browser === undefined ? `needs one of ${names.join(", ")}` : false;

/** Sends what it finds, as JSON, to /result. */
const page = `<!doctype html><script type="importmap">{"imports":{"@sluice/client":"/client/dist/sluice.js"}}</script>
<script type="module">
const found = await (async () => {
  const { Sluice } = await import("@sluice/client");
  const getToken = async () => (await fetch("/my/token")).json();
  const sluice = new Sluice({ baseUrl: location.origin, getToken });
  const make = (nth) => ({ tx_id: "page-" + nth, type: "DEPOSIT", method: "CARD", amount: nth, currency: "EUR",
    status: "CREATED", sender_id: "p", sender_country: "DE", timestamp: new Date(Date.UTC(2026, 6, 1)) });
  const { write_count } = await sluice.transactions.add(make(0));
  const refused = await sluice.transactions.add(make(0)).catch((error) => error);
  const upload = sluice.transactions.addAll([make(1), { tx_id: "page-2" }, make(3)]);
  for await (const { index } of upload) if (index !== 1) throw new Error("refused " + index);
  const { last_seen } = await sluice.transactions.exists("page-3");
  const { deletion_request_id } = await sluice.transactions.delete("page-0", "a test");
  const { status } = await sluice.deletions.wait(deletion_request_id);
  return { write_count, code: refused.code, tally: upload.tally, last_seen, status };
})().catch((error) => ({ failed: String(error) }));
await fetch("/result", { method: "POST", body: JSON.stringify(found) });
</script>`;

describe("the package of the client in a browser", { skip }, () => {
  let installed: PackedClient;
  before(async () => {
    installed = await installClient();
  });
  const site = useSite();
  const result = Promise.withResolvers<unknown>();

  const server = createServer((asked, reply) => {
    serve(asked, reply).catch((error: unknown) => reply.destroy(error as Error));
  });
  before(async () => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  async function serve(asked: IncomingMessage, reply: ServerResponse): Promise<void> {
    const { url = "/" } = asked;
    if (url === "/") return void reply.setHeader("content-type", "text/html").end(page);
    if (url.startsWith("/client/")) {
      const file = readFileSync(join(installed.package, url.replace("/client/", "")));
      return void reply.setHeader("content-type", "text/javascript").end(file);
    }
    if (url === "/my/token") {
      const { token } = site().customer;
      return void reply.end(
        JSON.stringify({ token, expiry: Math.floor(Date.now() / 1_000) + 3_600 }),
      );
    }
    if (url === "/result") {
      result.resolve(JSON.parse(await text(asked)));
      return void reply.end();
    }
    passOn(asked, reply, site().server.address);
  }

  it("adds, uploads, checks and deletes records", async () => {
    const { port } = server.address() as AddressInfo;
    const words = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"];
    const profile = `--user-data-dir=${makeTempFolder()}`;
    const address = `http://127.0.0.1:${port}/`;
    const running = spawn(browser ?? "", [...words, profile, address], { stdio: "ignore" });
    try {
      const ended = once(running, "exit").then(() => "the browser ended");
      assert.deepEqual(await Promise.race([result.promise, ended]), {
        write_count: 1,
        code: 40901,
        tally: { received: 3, written: 2, unchanged: 0, refused: 1 },
        last_seen: "2026-07-01T00:00:00Z",
        status: "completed",
      });
    } finally {
      running.kill("SIGKILL");
    }
  });
});

function passOn(asked: IncomingMessage, reply: ServerResponse, address: string): void {
  const { method, headers, url } = asked;
  const onward = request(new URL(url ?? "/", address), { method, headers }, (answer) => {
    reply.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(reply);
  });
  onward.once("error", (error) => reply.destroy(error));
  asked.pipe(onward);
}
