// The store as the target of an import: makes the drafts of a list, the only JSON that is made from rows.

import { Submission } from "../../actions/intake/submission.ts";
import type { RecordType } from "../../domain/record-type.ts";
import type { RecordWrite, WriteMode, WriteOutcome } from "../../domain/record/record-write.ts";
import type { Target } from "./chunk.ts";

export interface ImportWrite {
  readonly write: RecordWrite;
  readonly key: string;
}

interface StoreTargetOptions {
  readonly name: string;
  readonly organizationId: string;
  readonly type: RecordType;
  readonly now: () => number;
  readonly timestampMin: string;
  readonly write: (write: ImportWrite) => Promise<WriteOutcome>;
}

export function storeTarget(options: StoreTargetOptions): Target {
  const { name, organizationId, type, now, timestampMin, write } = options;
  return {
    name,
    begin: (update) => {
      const mode = importMode(type, update);
      const about = { organizationId, type, mode, lenient: true, single: false, timestampMin };
      const submission = new Submission({ ...about, receivedAt: now() });
      return {
        add: (payload) => submission.add(payload),
        send: async (keyOf) => {
          let parts = 0;
          const report = await submission.store({
            writeRecords: (part) => {
              const texts = part.drafts.map(({ payload }) => payload);
              return write({ write: part, key: keyOf([(parts += 1), ...texts].join("\n")) });
            },
          });
          return report.results ?? [];
        },
      };
    },
  };
}

/** Uses the same rule as the API: for a type with a path for lists, a list may contain records that exist. */
function importMode({ batchPath }: RecordType, update: boolean): WriteMode {
  if (update) return "update";
  return batchPath === undefined ? "add" : "append";
}
