// The store as the target of an import: makes the drafts of a list, which are the only JSON that rows become, and passes them
// to what writes them.

import { importMode } from "../../actions/intake/imports.ts";
import { Submission } from "../../actions/intake/submission.ts";
import type { RecordWrite, WriteOutcome } from "../../domain/record/record-write.ts";
import type { Target } from "./target.ts";

/** The drafts of a list, or of a part of it, with the key by which a repetition is recognised. */
export interface ImportWrite {
  readonly write: RecordWrite;
  readonly key: string;
}

interface StoreTargetOptions {
  readonly name: string;
  readonly organizationId: string;
  readonly now: () => number;
  readonly write: (write: ImportWrite) => Promise<WriteOutcome>;
}

export function storeTarget({ name, organizationId, now, write }: StoreTargetOptions): Target {
  return {
    name,
    send: async ({ type, update, payloads, keyOf }) => {
      const mode = importMode(type, update);
      const options = { organizationId, type, mode, lenient: true, single: false };
      const submission = new Submission({ ...options, receivedAt: now() });
      for (const payload of payloads) submission.add(payload);
      let parts = 0;
      const report = await submission.store({
        writeRecords: (part) => {
          const texts = part.drafts.map(({ payload }) => payload);
          return write({ write: part, key: keyOf([String((parts += 1)), ...texts]) });
        },
      });
      return report.results ?? [];
    },
  };
}
