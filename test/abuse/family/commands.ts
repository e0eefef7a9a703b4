// An operator's commands on the store that is being served: export, backup, check, one after
// another.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeTempFolder, removeFolder } from "../../support/temp-folder.ts";
import type { Abuse } from "../abuse.ts";

const bin = fileURLToPath(new URL("../../../bin/sluice.js", import.meta.url));

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
            const { code, err } = await run(words({ folder, organizationId }), environment);
            if (code !== 0) findings.push(`sluice ${name} ended with ${code}: ${err.slice(-500)}`);
            removeFolder(folder);
          } while (context.mayGoOn());
        },
        check: () => Promise.resolve(findings),
      };
    },
  };
}

async function run(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<{ code: number | null; err: string }> {
  const { PATH = "" } = process.env;
  const child = spawn(process.execPath, [bin, ...words], {
    env: { PATH, ...environment },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let err = "";
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, err };
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
