// The local store as the target of an import, through the same action as HTTP requests.

import { markRequest } from "../../actions/intake/idempotency.ts";
import { importMode } from "../../actions/intake/import-records.ts";
import { writeRecords } from "../../actions/intake/write-records.ts";
import type { App } from "../../actions/app.ts";
import type { Target } from "./target.ts";

export function storeTarget(app: App, organizationId: string): Target {
  return {
    name: "the local store",
    send: async (list) => {
      const mode = importMode(list.type, list.update);
      const report = await writeRecords(app, {
        organizationId,
        type: list.type,
        mode,
        lenient: true,
        single: false,
        items: list.payloads,
        idempotency: markRequest(organizationId, {
          idempotencyKey: list.key,
          operation: `import ${mode} ${list.type.resourceType}`,
          writeOptions: "lenient",
          body: list.texts.join("\n"),
        }),
      });
      return report.results ?? [];
    },
  };
}
