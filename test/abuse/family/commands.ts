// An operator's commands on the store that is being served: export, backup, check, one after
// another.

import { join } from "node:path";
import { runProgram } from "../../cli/program.ts";
import { makeTempFolder, removeFolder } from "../../support/temp-folder.ts";
import type { Abuse } from "../abuse.ts";

function command(
  name: string,
  words: (context: { folder: string; organizationId: string }) => readonly string[],
): Abuse {
  return {
    name: `command-${name}`,
    what: `sluice ${name} in parallel with the server, repeatedly`,
    prepare: (context) => {
      const { target, tally } = context;
      const findings: string[] = [];
      return {
        run: async () => {
          do {
            const folder = makeTempFolder();
            tally.sent += 1;
            const { organizationId, environment } = target;
            const { code, err } = await runProgram(words({ folder, organizationId }), environment);
            if (code !== 0) findings.push(`sluice ${name} ended with ${code}: ${err.slice(-500)}`);
            removeFolder(folder);
          } while (context.mayGoOn());
        },
        check: () => Promise.resolve(findings),
      };
    },
  };
}

export const commands: readonly Abuse[] = [
  command("export", ({ folder, organizationId }) => [
    "export",
    "transaction",
    `--organization=${organizationId}`,
    `--output=${join(folder, "out.ndjson")}`,
  ]),
  {
    ...command("backup", ({ folder }) => ["backup", join(folder, "backup.db")]),
    engine: "sqlite",
  },
  command("check", () => ["check"]),
];
