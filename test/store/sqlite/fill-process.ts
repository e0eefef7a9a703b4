// A program that writes groups of records until they are rejected, and then reports which were
// acknowledged. Meant to be started where the file system has little room.

import { keyOf, transaction } from "../../conformance/scene.ts";
import type { FillReport } from "./opening.test.ts";
import { openTestStore } from "../../support/test-store.ts";

const store = await openTestStore(`sqlite:${process.argv[2]}`, { role: "serve" });
const acknowledged: string[] = [];
const refused: string[] = [];
const filler = [{ key: "filler", value: "x".repeat(1_000), type: "STRING" }];

for (let round = 0; refused.length === 0; round += 1) {
  const ids = Array.from({ length: 20 }, (_, index) => `t-${round}-${index}`);
  await Promise.all(
    ids.map((id) =>
      store.write(transaction(id, { additional_properties: filler })).then(
        () => acknowledged.push(id),
        () => refused.push(id),
      ),
    ),
  );
}
const first = acknowledged[0] ?? "";
const stillReads = await store.exists(keyOf("transaction", first));
const report: FillReport = { acknowledged, refused, stillReads };
process.stdout.write(JSON.stringify(report));
await store.close();
