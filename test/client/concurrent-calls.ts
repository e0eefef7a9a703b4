// Concurrent calls of the client, sent as lists, get the answers that a model gives to the same calls one after
// another, and have the same effects.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import type { Sluice, Transaction, WriteResult } from "../../client/src/sluice.ts";
import { SluiceError } from "../../client/src/sluice.ts";
import { errorCatalogue } from "../../src/domain/error.ts";
import { Model } from "../conformance/model.ts";
import { typeNamed } from "../conformance/scene.ts";
import { type Engine, useSite } from "./engine.ts";
import { atRandom, throughProxy } from "./through-proxy.ts";
import { makeRandom } from "../support/random.ts";

const callers = 64;
const runs = 12;
const calls = fc.array(
  fc.record({
    update: fc.boolean(),
    id: fc.integer({ min: 0, max: 5 }),
    amount: fc.constantFrom(1, 2, "none"),
  }),
  { minLength: callers, maxLength: 4 * callers },
);
type Call = Readonly<{ update: boolean; id: number; amount: number | string }>;

const { example } = typeNamed("transaction");

interface Calls {
  readonly all: readonly Call[];
  /** Of the ids. */
  readonly prefix: string;
}

/** Each caller makes its calls one after another; the model answers each when it is made. */
async function runCallers(client: Sluice, model: Model, { all, prefix }: Calls): Promise<void> {
  let next = 0;
  const call = async ({ update, id, amount }: Call): Promise<void> => {
    const record = { ...example, tx_id: `${prefix}-${id}`, amount } as unknown as Transaction;
    const isInvalid = typeof amount !== "number";
    const mode = update ? "update" : "add";
    const wanted = isInvalid
      ? "validation_failed"
      : model.write("transaction", [{ ...record }], { mode, lenient: false }).drafts[0];
    const sent = update ? client.transactions.update(record) : client.transactions.add(record);
    requireVerdict(await sent.catch((error: unknown) => error), wanted ?? "internal");
  };
  const caller = async (): Promise<void> => {
    for (let mine = all[next++]; mine !== undefined; mine = all[next++]) await call(mine);
  };
  await Promise.all(Array.from({ length: callers }, caller));
}

function requireVerdict(got: unknown, wanted: string): void {
  if (wanted === "created" || wanted === "updated") {
    const { write_count, message } = got as WriteResult;
    const done = wanted === "created" ? "added" : "updated";
    assert.deepEqual([write_count, message], [1, `1 transaction was ${done}.`]);
    return;
  }
  assert.ok(got instanceof SluiceError, `${wanted}: ${String(got)}`);
  const { code } = errorCatalogue[wanted as keyof typeof errorCatalogue];
  assert.deepEqual([got.code, got.status], [code, Math.floor(code / 100)]);
  assert.equal(got.errors.length, 1);
  assert.match(got.idempotencyKey ?? "", /^[0-9a-f]{32}(\.\d+)?$/);
}

export function testConcurrentCalls(engine: Engine): void {
  describe(`${engine.name}: concurrent calls`, () => {
    const site = useSite(engine);

    async function requireStored(model: Model): Promise<void> {
      const { server, customer } = site();
      await server.operate(async (app) => {
        for (const [name, changes] of model.records) {
          const [resourceType = "", resourceId = ""] = name.split("/");
          const key = { organizationId: customer.organizationId, resourceType, resourceId };
          const history = await app.store.readHistory(key);
          const stored = history?.changes.map(({ payload }) => JSON.parse(payload).amount);
          assert.deepEqual(
            stored,
            changes.map(({ amount }) => amount),
            name,
          );
        }
      });
    }

    it("get the answers of the same calls one after another", async () => {
      let run = 0;
      const client = site().client();
      await fc.assert(
        fc.asyncProperty(calls, async (all) => {
          const model = new Model();
          run += 1;
          await runCallers(client, model, { all, prefix: `plain-${run}` });
          await requireStored(model);
        }),
        { numRuns: runs, seed: 20_260_801, endOnFailure: true },
      );
    });

    it("get them too where requests and replies are lost, doubled and delayed", async () => {
      const model = new Model();
      const [all = []] = fc.sample(calls, { numRuns: 1, seed: 7 });
      const seen = await throughProxy(site(), atRandom(makeRandom(72)), (client) =>
        runCallers(client, model, { all, prefix: "faulty" }),
      );
      await requireStored(model);
      assert.ok(seen.some(({ fault, path }) => fault === "drop reply" && path.endsWith("/batch")));
    });
  });
}
