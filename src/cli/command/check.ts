// `sluice check`

import type { App } from "../../actions/app.ts";
import { describeStore } from "../../actions/maintain-store.ts";
import { checkErasure, checkStore } from "../../actions/check/check-store.ts";
import { readConfig } from "../../config.ts";
import { findUnknownFiles } from "../../data-folder.ts";
import { type Context, defineCommand, flag } from "../command.ts";

export const check = defineCommand({
  name: "check",
  summary:
    "Check the store: its integrity, the audit trail, receipts, deletions and holds against each other and against the ledger.",
  details:
    "Also names every file in the data folder that is none of Sluice's. With --erasure it looks into the files of the store for " +
    "what completed deletions should have taken away; on PostgreSQL that takes a role that may read the server's files. Exits " +
    "with 1 if anything is found. Works beside a serving process. What it can't find is in SECURITY.md.",
  examples: ["sluice check", "sluice check --erasure"],
  arguments: {},
  options: { erasure: flag("Look also for remains of what was erased.") },
  run: (context, { erasure }) =>
    context.withApp(
      async (app) => {
        const { findings: found, notes: known } = await checkStore(app);
        const findings = [...found, ...describeUnknownFiles(context)];
        const remains = erasure ? await findRemains(app) : undefined;
        const notes = [...known, ...(remains?.notes ?? [])];
        const all = [...findings, ...(remains?.findings ?? [])];
        const verdict =
          all.length === 0
            ? "Nothing was found; the store is consistent."
            : [`${all.length} found:`, ...all.map((finding) => `  ${finding}`)].join("\n");
        return {
          json: {
            ok: all.length === 0,
            findings,
            ...(known.length === 0 ? {} : { notes: known }),
            ...(remains === undefined ? {} : { erasure: remains }),
          },
          text: [verdict, ...notes].join("\n"),
          exitCode: all.length === 0 ? 0 : 1,
        };
      },
      { existing: true },
    ),
});

const filesShown = 20;

function describeUnknownFiles({ environment }: Context): readonly string[] {
  const files = findUnknownFiles(readConfig(environment));
  const shown = files
    .slice(0, filesShown)
    .map(
      (path) =>
        `${path} is none of Sluice's files; if it holds data, no deletion reaches it. Move it elsewhere or remove it.`,
    );
  const more = files.length - shown.length;
  return more === 0 ? shown : [...shown, `${more} more files there are none of Sluice's.`];
}

/** `notes`: what could not be looked at, and what is only to be known. */
async function findRemains(app: App) {
  const { findings } = await checkErasure(app);
  const textOf = (severe: boolean) =>
    findings.filter((finding) => finding.severe === severe).map(({ text }) => text);
  const advice =
    "On PostgreSQL: VACUUM takes dead rows away; VACUUM FULL of the tables named above writes them anew without anything unused, " +
    "and locks them meanwhile. See docs/reference/what-we-erase.md.";
  const { engine } = await describeStore(app);
  const isFound = textOf(true).length > 0 && engine === "postgres";
  return { findings: textOf(true), notes: [...textOf(false), ...(isFound ? [advice] : [])] };
}
