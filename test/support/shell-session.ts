// Runs the commands that a page shows in one shell, and returns what was printed before each line
// that shows a reply. Evaluates nothing: that is the test's task.

import { execFile } from "node:child_process";
import { promisify } from "node:util";

const separator = "\u001e";
export const addressInPages = "http://127.0.0.1:8080";

export interface Played {
  /** The last line that was printed before each line of the form `# => …`. */
  readonly replies: readonly string[];
  /** What that line shows. */
  readonly expected: readonly string[];
}

export interface Stage {
  /** The address of the server that replaces the one in the page. */
  readonly address: string;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Rejects when a command fails. */
export async function playSession(script: string, stage: Stage): Promise<Played> {
  const expected = [...script.matchAll(/^# => (.*)$/gm)].map(([, shown = ""]) => shown);
  const marked = script
    .replaceAll(addressInPages, stage.address)
    .replace(/^# => .*$/gm, `printf '${separator}'`);
  const { stdout } = await promisify(execFile)("bash", ["-e", "-o", "pipefail", "-c", marked], {
    cwd: stage.folder,
    env: { ...process.env, ...stage.environment },
  });
  const replies = stdout
    .split(separator)
    .map((printed) => printed.trimEnd().split("\n").at(-1) ?? "");
  return { replies, expected };
}
