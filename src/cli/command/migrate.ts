// `sluice migrate`

import { defineCommand } from "../command.ts";

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
        json: { engine: app.store.engine, up_to_date: true },
        text: `The ${app.store.engine} store is up to date.`,
      };
    }),
});
