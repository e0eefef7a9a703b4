// When the bulk thread starts.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { requireRecordType } from "../../../src/domain/record-types.ts";
import { BulkClient } from "../../../src/http/bulk/bulk-client.ts";
import { serve } from "../../../src/process/serve.ts";
import { readConfig } from "../../../src/settings/config.ts";
import { startTasks } from "../../support/bulk-in-process.ts";
import { makeCustomer } from "../../support/customer.ts";
import { makeClient } from "../../support/http-client.ts";
import { testEnvironment } from "../../support/service.ts";
import { makeTempFolder, removeFolder } from "../../support/temp-folder.ts";

function transactions(count: number): readonly object[] {
  const { example } = requireRecordType("transaction");
  return Array.from({ length: count }, (_, at) => ({ ...example, tx_id: `tx-${count}-${at}` }));
}

describe("the bulk thread", () => {
  it("is started by the first large body, whichever thread reads that, and by nothing before", async () => {
    const folder = makeTempFolder();
    let starts = 0;
    const serving = await serve(readConfig(testEnvironment(folder)), {
      openBulk: (store, log) =>
        new BulkClient({
          start: () => {
            starts += 1;
            return startTasks(store);
          },
          onWritten: () => store.writtenElsewhere(),
          onFailure: (error) => log.error(error),
        }),
    });
    const client = makeClient(serving.address);
    const { token } = await makeCustomer(serving.app, client);
    const seen: (readonly number[])[] = [];
    for (const count of [10, 100, 1_000]) {
      const ask = { method: "POST", path: "/v2/transactions/batch", token } as const;
      const { status } = await client.send({ ...ask, body: transactions(count) });
      seen.push([status, starts]);
    }
    client.close();
    await serving.stop();
    removeFolder(folder);
    assert.deepEqual(seen, [
      [200, 0],
      [200, 1],
      [200, 1],
    ]);
  });
});
