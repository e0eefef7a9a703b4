// Reading the feed of changes of a scene over HTTP.

import assert from "node:assert/strict";
import type { Scope } from "../../../src/domain/scope.ts";
import { type Customer, fetchToken } from "../../support/customer.ts";
import type { Reply } from "../../support/http-client.ts";
import { waitFor } from "../../support/wait-for.ts";
import { idOf, listPathOf, type Scene, typeNamed } from "../../contract/scene.ts";

interface Event {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly time: string;
  readonly source: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

export type Query = Readonly<Record<string, string>>;

export const transaction = typeNamed("transaction");

export function eventsOf(reply: Reply): readonly Event[] {
  assert.equal(reply.status, 200, reply.text);
  return JSON.parse(reply.text) as readonly Event[];
}

export function nextOf({ headers }: Reply): string {
  return String(headers["stream-next-offset"]);
}

/** What a request begins with is known only to the service, so what it waits for happens until it has been answered. */
export async function repeatUntil<Result>(
  result: Promise<Result>,
  act: () => unknown,
): Promise<Result> {
  let found: { readonly result: Result } | undefined;
  void result.then((value) => (found = { result: value }));
  return waitFor("an answer", async () => {
    await act();
    return found?.result;
  });
}

export function feedOf(scene: Scene) {
  const { service } = scene;

  function get(customer: { readonly token: string }, query: Query = {}): Promise<Reply> {
    return service.client.send({
      method: "GET",
      path: "/v2/changes",
      query,
      token: customer.token,
    });
  }

  /** Everything from an offset on, page by page. */
  async function readAll(customer: { readonly token: string }, query: Query = {}) {
    const events: Event[] = [];
    for (let { offset = "-1" } = query; ;) {
      const reply = await get(customer, { ...query, offset });
      events.push(...eventsOf(reply));
      assert.ok(offset === "-1" || nextOf(reply) >= offset, "offsets sort as text");
      offset = nextOf(reply);
      if (reply.headers["stream-up-to-date"] === "true") return { events, offset };
    }
  }

  async function withScopes(customer: Customer, ...scopes: readonly Scope[]) {
    return { token: await fetchToken(service.client, customer, { scopes }) };
  }

  async function erase(customer: Customer, id: string): Promise<void> {
    const body = { tx_id: id, reason: "a test" };
    const asked = await scene.ask(customer, { method: "DELETE", path: "/v2/transaction", body });
    await scene.completed(customer, asked.body.deletion_request_id ?? "");
  }

  async function addMany(customer: Customer, count: number): Promise<readonly string[]> {
    const body = Array.from({ length: count }, () => scene.records.record(transaction));
    const path = listPathOf(transaction);
    const reply = await scene.ask(customer, { method: "POST", path, body });
    assert.equal(reply.status, 200, reply.text);
    return body.map((record) => idOf(transaction, record));
  }

  return { get, readAll, withScopes, erase, addMany };
}
