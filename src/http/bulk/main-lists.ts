// Reads lists on the main thread, in turns: for 100 items, the bulk thread costs as much again as reading them.

import type { RecordWriter } from "../../actions/intake/submission.ts";
import { operationNamed } from "../routes.ts";
import type { BulkClient, ListOutcome } from "./bulk-client.ts";
import { writeList } from "./list-task.ts";
import { Turns } from "../../basics/turns.ts";
import { WorkMeter } from "./work-meter.ts";

/** `prepare` has the bulk thread started: it reads the next list if others are active by then. */
export function makeMainLists(
  writer: RecordWriter,
  prepare: () => void,
): Pick<BulkClient, "writeList"> {
  const turns = new Turns();
  return {
    writeList: async (order, body, signal): Promise<ListOutcome> => {
      prepare();
      const meter = new WorkMeter();
      try {
        const task = {
          order,
          operation: operationNamed(order.operation),
          body: Buffer.from(body.buffer, body.byteOffset, body.length),
        };
        const report = await writeList(task, { writer, turns, meter, signal });
        return { report, work: meter.take() };
      } catch (cause) {
        const error = cause instanceof Error ? cause : new Error("a list failed", { cause });
        return { error, work: meter.take() };
      }
    },
  };
}
