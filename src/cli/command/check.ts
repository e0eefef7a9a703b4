// `sluice check`

import { defineCommand } from "../command.ts";

export const check = defineCommand({
  name: "check",
  summary:
    "Check the store: the engine's own integrity, the invariants of the data, and the audit chain.",
  details: "Exits with 1 if anything is found. Works beside a serving process.",
  examples: ["sluice check"],
  arguments: {},
  options: {},
  run: (context) =>
    context.withApp(async (app) => {
      const { ok, findings } = await app.store.checkIntegrity();
      const text = ok
        ? "Nothing was found; the store is sound."
        : [`${findings.length} found:`, ...findings.map((finding) => `  ${finding}`)].join("\n");
      return { json: { ok, findings }, text, exitCode: ok ? 0 : 1 };
    }),
});
