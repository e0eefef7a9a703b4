// `sluice check`

import type { App } from "../../actions/app.ts";
import { defineCommand, flag } from "../command.ts";

export const check = defineCommand({
  name: "check",
  summary:
    "Check the store: the engine's own integrity, the invariants of the data, the chain of receipts and the audit chain.",
  details:
    "With --erasure it also looks into the files of the store for what completed deletions should have taken away; on " +
    "PostgreSQL that takes a role that may read the server's files. Exits with 1 if anything is found. Works beside a serving " +
    "process.",
  examples: ["sluice check", "sluice check --erasure"],
  arguments: {},
  options: { erasure: flag("Look also for remains of what was erased.") },
  run: (context, { erasure }) =>
    context.withApp(
      async (app) => {
        const { ok, findings } = await app.store.checkIntegrity();
        const remains = erasure ? await lookForRemains(app) : undefined;
        const notes = remains?.notes ?? [];
        const all = [...findings, ...(remains?.findings ?? [])];
        const verdict =
          all.length === 0
            ? "Nothing was found; the store is sound."
            : [`${all.length} found:`, ...all.map((finding) => `  ${finding}`)].join("\n");
        return {
          json: {
            ok: ok && all.length === 0,
            findings,
            ...(remains === undefined ? {} : { erasure: remains }),
          },
          text: [verdict, ...notes].join("\n"),
          exitCode: all.length === 0 ? 0 : 1,
        };
      },
      { existing: true },
    ),
});

/** `notes`: what could not be looked at, and what is only to be known. */
async function lookForRemains(app: App) {
  const { findings } = await app.store.checkErasure();
  const textOf = (severe: boolean) =>
    findings.filter((finding) => finding.severe === severe).map(({ text }) => text);
  const advice =
    "On PostgreSQL: VACUUM takes dead rows away; VACUUM FULL of the tables named above writes them anew without anything unused, " +
    "and locks them meanwhile. See docs/reference/what-we-erase.md.";
  const isFound = textOf(true).length > 0 && app.store.engine === "postgres";
  return { findings: textOf(true), notes: [...textOf(false), ...(isFound ? [advice] : [])] };
}
