// Reads lists on the main thread, in turns: for 100 items, the bulk thread costs as much again as reading them.

import type { RecordWriter } from "../../actions/intake/submission.ts";
import type { BulkClient } from "./bulk-client.ts";
import { outcomeOf, writeList } from "./list-task.ts";
import { Turns } from "../../basics/turns.ts";
import { WorkMeter } from "./work-meter.ts";

/** `prepare` has the bulk thread started: it reads the next list if others are active by then. */
export function makeMainLists(
  writer: RecordWriter,
  prepare: () => void,
): Pick<BulkClient, "writeList"> {
  const turns = new Turns();
  return {
    writeList: (order, body, signal) => {
      prepare();
      const meter = new WorkMeter();
      return outcomeOf(meter, () => writeList(order, body, { writer, turns, meter, signal }));
    },
  };
}
