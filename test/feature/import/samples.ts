// What shared tests have to know about imports.

import { beginImport } from "../../../src/feature/import/imports.ts";
import { importRuns } from "../../../src/feature/import/store/part.ts";
import type { Samples } from "../sample.ts";
import { testImports } from "./store/imports.ts";

const none = { rows: 1, written: 1, unchanged: 0, refused: 0 };

export const samples: Samples = {
  commands: {
    import: { incomparable: "is a write, which the requests of the scenarios compare" },
  },
  withoutRight: {
    "import/imports beginImport": "checks the right inside",
  },
  store: {
    fill: async (store, organizationId, { act, types: [resourceType = "person"] }) => {
      const by = { source: "command", startedAt: act.now, startedBy: act.actor } as const;
      const run = { organizationId, importId: "imp_1", resourceType, ...by };
      await store.of(importRuns).beginImport(run);
    },
    use: async (store, organizationId, { now: updatedAt }) => {
      const methods = store.of(importRuns);
      await methods.reportImport({ organizationId, importId: "imp_1", updatedAt, ...none });
      await methods.listImports(9);
      await methods.purgeImports(updatedAt);
    },
    numbers: {},
  },
  conformance: [testImports],
  rights: {
    "records.import": (app) =>
      beginImport(app, { organizationId: "none", resourceType: "person", update: false }),
  },
};
