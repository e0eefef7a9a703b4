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
      return {
        json: { engine: app.store.engine, sluice_version: version },
        text: `The ${app.store.engine} store has the schema of Sluice ${version}.`,
      };
    }),
});
