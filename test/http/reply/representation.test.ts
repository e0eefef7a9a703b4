// Replies that are the same for all clients: encodings, ETags and conditional requests.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { gunzipSync } from "node:zlib";
import { publicRoutes } from "../../../src/process/operations.ts";
import { chooseEncoding } from "../../../src/http/reply/representation.ts";
import type { Reply } from "../../support/http-client.ts";
import { startService } from "../../support/service.ts";

const service = await startService();
after(() => service.stop());

function ask(path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Reply> {
  return service.client.send({ method, path, headers });
}

const paths = publicRoutes
  .filter(({ document }) => document === undefined || document.cached === true)
  .map(({ path }) => path);

describe("the encoding of a reply", () => {
  for (const [accepted, chosen] of [
    [undefined, "identity"],
    ["", "identity"],
    ["*", "gzip"],
    ["gzip, deflate, br, zstd", "gzip"],
    ["gzip", "gzip"],
    ["x-gzip", "gzip"],
    ["GZIP ; Q=0.5", "gzip"],
    ["br, gzip;q=0.8", "gzip"],
    ["br;q=0, *", "gzip"],
    ["gzip;q=0, *", "identity"],
    ["gzip;q=0.000, br", "identity"],
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

for (const path of paths) {
  describe(path, () => {
    it("is the same in every encoding, and each has its own ETag", async () => {
      const plain = await ask(path);
      const gzip = await ask(path, { "accept-encoding": "gzip" });
      assert.ok(gunzipSync(gzip.bytes).equals(plain.bytes));
      const replies = [plain, gzip];
      assert.deepEqual(
        replies.map(({ headers }) => [headers["content-encoding"], headers.vary]),
        [undefined, "gzip"].map((encoding) => [encoding, "accept-encoding"]),
      );
      const etags = replies.map(({ headers }) => headers.etag);
      assert.equal(new Set(etags).size, 2);
      for (const etag of etags) assert.match(etag ?? "", /^"[\w-]+"$/);
    });

    it("is not sent again to a client that has it", async () => {
      const { headers } = await ask(path, { "accept-encoding": "gzip" });
      const etag = headers.etag ?? "";
      for (const sent of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
        const reply = await ask(path, { "accept-encoding": "gzip", "if-none-match": sent });
        assert.deepEqual([reply.status, reply.bytes.length], [304, 0], sent);
        assert.equal(reply.headers.etag, etag);
        assert.equal(reply.headers.vary, "accept-encoding");
        assert.equal(reply.headers["cache-control"], headers["cache-control"]);
        assert.equal(reply.headers["content-length"], undefined);
        assert.ok(reply.headers["x-request-id"] !== undefined);
      }
      for (const sent of ['"other"', etag.slice(1, -1), ""]) {
        const reply = await ask(path, { "accept-encoding": "gzip", "if-none-match": sent });
        assert.equal(reply.status, 200, sent);
      }
      const plain = await ask(path, { "if-none-match": etag });
      assert.equal(plain.status, 200, "the ETag of another encoding");
    });

    it("has the same headers for HEAD, without the body", async () => {
      for (const encoding of ["identity", "gzip"]) {
        const headers = { "accept-encoding": encoding };
        const [get, head] = [await ask(path, headers), await ask(path, headers, "HEAD")];
        assert.deepEqual([head.status, head.bytes.length], [200, 0]);
        for (const name of ["content-length", "content-type", "content-encoding", "etag"]) {
          assert.equal(head.headers[name], get.headers[name], name);
        }
      }
    });
  });
}
