// The store as the target of an import: makes the drafts of a list, the only JSON that is made from rows.

import { importMode } from "./imports.ts";
import { Submission } from "../../actions/intake/submission.ts";
import type { RecordType } from "../../domain/record-type.ts";
import type { RecordWrite, WriteOutcome } from "../../domain/record/record-write.ts";
import type { Target } from "./target.ts";

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
