// `sluice migrate`

import { describeStore } from "../../actions/maintain-store.ts";
import { defineCommand } from "../command.ts";
import { findMissingStore } from "../new-store.ts";
import { version } from "../version.ts";

export const migrate = defineCommand({
  name: "migrate",
  summary: "Create the store, or bring its schema to this version.",
  details:
    "Every other command, including `serve`, also brings an existing store to this version. On PostgreSQL, run this first " +
    "with the role that owns the tables if the service has another one.",
  examples: ["sluice migrate"],
  arguments: {},
  options: {},
  run: (context) => {
    const missing = findMissingStore(context);
    return context.withApp(
      async (app) => {
        const { engine, schemaVersion } = await describeStore(app);
        const created = missing === undefined ? "" : `Created the store ${missing}. `;
        return {
          json: { engine, schema_version: schemaVersion, sluice_version: version },
          text: `${created}The ${engine} store has schema version ${schemaVersion}, as Sluice ${version} needs it.`,
        };
      },
      { existing: false },
    );
  },
});
