// Replies that are the same for all clients, and their encodings.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { gunzipSync } from "node:zlib";
import { chooseEncoding } from "../../../src/http/reply/representation.ts";
import type { Reply } from "../../support/http-client.ts";
import { startService } from "../../support/service.ts";

const service = await startService();
after(() => service.stop());

function ask(path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Reply> {
  return service.client.send({ method, path, headers });
}

describe("the encoding of a reply", () => {
  for (const [accepted, chosen] of [
    [undefined, "identity"],
    ["", "identity"],
    ["*", "gzip"],
    ["gzip, deflate, br, zstd", "gzip"],
    ["x-gzip", "gzip"],
    ["GZIP ; Q=0.5", "gzip"],
    ["identity;q=0.5, gzip;q=0.8", "gzip"],
    ["identity;q=0, *", "gzip"],
    ["gzip;q=0, *", "identity"],
    ["gzip;q=0.000", "identity"],
    ["identity, gzip;q=0.5", "identity"],
    ["identity;q=0", "identity"],
    ["*;q=0", "identity"],
    ["deflate, zstd", "identity"],
    ["gzip;q=x", "gzip"],
    [",;,;q=1,", "identity"],
  ] as const) {
    it(`for ${JSON.stringify(accepted)} is ${chosen}`, () => {
      assert.equal(chooseEncoding(accepted), chosen);
    });
  }

  it("is chosen in one pass, however long the header is", () => {
    assert.equal(chooseEncoding(`${"a;q=0.1, ".repeat(1_800)}gzip`), "gzip");
  });
});

const paths = ["/docs", "/docs/reference.js", "/openapi.json", "/.well-known/sluice-receipts.json"];

for (const path of paths) {
  it(`${path} is the same in every encoding, for HEAD without the body`, async () => {
    const plain = await ask(path);
    for (const encoding of ["identity", "gzip"]) {
      const headers = { "accept-encoding": encoding };
      const [get, head] = [await ask(path, headers), await ask(path, headers, "HEAD")];
      const isPlain = encoding === "identity";
      assert.ok((isPlain ? get.bytes : gunzipSync(get.bytes)).equals(plain.bytes));
      assert.equal(get.headers["content-encoding"], isPlain ? undefined : encoding);
      assert.equal(get.headers.vary, "accept-encoding");
      assert.deepEqual([head.status, head.bytes.length], [200, 0]);
      for (const name of ["content-length", "content-type", "content-encoding"]) {
        assert.equal(head.headers[name], get.headers[name], name);
      }
    }
  });
}
