// `sluice migrate`

import { describeStore } from "../../actions/upkeep/store-upkeep.ts";
import { defineCommand } from "../command.ts";
import { findMissingStore } from "../new-store.ts";
import { version } from "../../process/version.ts";

export const migrate = defineCommand({
  name: "migrate",
  summary: "Create the store, or migrate its schema to this version.",
  details:
    "Every other command, including `serve`, also migrates an existing store. On PostgreSQL, if the service uses a role that " +
    "does not own the tables, run this first with the role that does.",
  examples: ["sluice migrate"],
  // Any command that opens the store migrates it.
  rights: [],
  run: (context) => {
    const missing = findMissingStore(context);
    return context.withApp(
      async (app) => {
        const { engine, schemaVersion } = await describeStore(app);
        const created = missing === undefined ? "" : `Created the store ${missing}. `;
        return {
          json: { engine, schema_version: schemaVersion, sluice_version: version },
          text: `${created}The ${engine} store has schema version ${schemaVersion}, the one that Sluice ${version} uses.`,
        };
      },
      { create: true },
    );
  },
});
