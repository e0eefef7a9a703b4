// The collection of requests, sent from top to bottom as Postman would against a real server: each request has the credential
// and the variables that it needs, and succeeds.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  buildCollection,
  type CollectionItem,
  renderCollection,
} from "../../docs/generate/api-collection.ts";
import { startScene } from "../contract/scene.ts";
import { readFile } from "../repository/tree.ts";
import { makeCustomer } from "../support/customer.ts";

const path = "clients/postman/sluice.postman_collection.json";

type Variables = Record<string, string>;

function filled(text: string, variables: Variables): string {
  return text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = variables[name];
    if (value === undefined || value === "") throw new Error(`nothing has set ${name} by then`);
    return value;
  });
}

async function send({ request }: CollectionItem, variables: Variables): Promise<Response> {
  const headers = new Headers();
  if (request.auth === undefined) {
    headers.set("authorization", filled("Bearer {{accessToken}}", variables));
  }
  for (const { key, value, disabled } of request.header) {
    if (disabled !== true) headers.set(key, filled(value, variables));
  }
  const body = request.body === undefined ? null : filled(request.body.raw, variables);
  const url = filled(request.url.raw, variables);
  return await fetch(url, { method: request.method, headers, body });
}

/** What the scripts of the collection do. */
async function keep(item: CollectionItem, response: Response, variables: Variables): Promise<void> {
  const scripts = (item.event ?? []).flatMap(({ script }) => script.exec).join();
  const kept = /set\("(\w+)", pm\.response\.json\(\)\.(\w+)\)/.exec(scripts);
  const [, name = "", field = ""] = kept ?? [];
  if (kept === null || response.status !== 200) return;
  const reply = (await response.json()) as Variables;
  variables[name] = reply[field] ?? "";
}

describe("the collection of requests", () => {
  it("succeeds with every request against a real server", async (context) => {
    const scene = await startScene();
    context.after(() => scene.stop());
    const { service } = scene;
    const { apiKey, organizationId } = await makeCustomer(service.app, service.client);
    const variables: Variables = { baseUrl: service.address, apiKey, organizationId };
    const folders = buildCollection().item;
    assert.ok(folders.length > 10);
    for (const item of folders.flatMap((folder) => folder.item)) {
      const response = await send(item, variables);
      assert.ok(response.ok, `${item.name}: ${response.status} ${await describeBody(response)}`);
      await keep(item, response, variables);
    }
  });

  it("holds no credential, and is the file that is there", () => {
    const { text } = readFile(path);
    assert.equal(text, renderCollection());
    const stored = JSON.parse(text) as { variable: { key: string; value: string }[] };
    const set = stored.variable.filter(({ value }) => value !== "").map(({ key }) => key);
    assert.deepEqual(set, ["baseUrl"]);
  });
});

async function describeBody(response: Response): Promise<string> {
  return response.ok ? "" : await response.text();
}
