// The floor's store on SQLite: durable writes with group commit in a thread, to the same two tables as the product.

import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { createTables, openDatabase, organizationId, resourceType } from "./floor-schema.ts";
import type { Existence, FloorOutcome, FloorStore } from "./floor-store.ts";
import type { FloorWrite } from "./floor-writer.ts";

export async function openFloor(path: string): Promise<FloorStore> {
  const database = openDatabase(path);
  createTables(database);
  const find = database.prepare(
    `SELECT first_seen, last_seen FROM record
     WHERE organization_id = '${organizationId}' AND resource_type = '${resourceType}' AND resource_id = ?`,
  );
  const writer = new Worker(new URL("floor-writer.ts", import.meta.url), { workerData: path });
  await once(writer, "online");

  // Writes that arrive in one event-loop tick are posted together; the writer commits all that have arrived by then.
  let arrived: FloorWrite[] = [];
  const waiting: ((outcome: FloorOutcome) => void)[] = [];
  writer.on("message", (outcomes: readonly FloorOutcome[]) => {
    const answers = waiting.splice(0, outcomes.length);
    for (const [index, answer] of answers.entries()) answer(outcomes[index] === true);
  });
  function sendArrived(): void {
    writer.postMessage(arrived, []);
    arrived = [];
  }

  return {
    write: (mode, items) => {
      const fields: string[] = [];
      for (const item of items) {
        fields.push(String(item["tx_id"]), String(item["timestamp"]), JSON.stringify(item));
      }
      if (arrived.push({ mode, fields }) === 1) setImmediate(sendArrived);
      return new Promise((resolve) => waiting.push(resolve));
    },
    find: (id) => find.get(id) as Existence | undefined,
    close: async () => {
      writer.postMessage("stop", []);
      await once(writer, "exit");
      database.close();
    },
  };
}
