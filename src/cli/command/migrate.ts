// `sluice migrate`

import { defineCommand } from "../command.ts";
import { version } from "../version.ts";

export const migrate = defineCommand({
  name: "migrate",
  summary:
    "Bring the store to the schema of this version. Every command does so by itself, also `serve`.",
  examples: ["sluice migrate"],
  arguments: {},
  options: {},
  run: (context) =>
    context.withApp(async (app) => {
      await app.store.ping();
      const { engine, schemaVersion } = app.store;
      return {
        json: { engine, schema_version: schemaVersion, sluice_version: version },
        text: `The ${engine} store has schema version ${schemaVersion}, that of Sluice ${version}.`,
      };
    }),
});
