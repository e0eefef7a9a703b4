// The command line for tests, without a process: the arguments that an operator types, and the
// result.

import assert from "node:assert/strict";
import type { App } from "../../src/actions/app.ts";
import { manifestLineStart } from "../../src/domain/export-manifest.ts";
import { run } from "../../src/cli/run.ts";
import { loadTable } from "../../src/process/command-table.ts";
import { operate } from "../support/server.ts";
import { testEnvironment } from "../support/service.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface CommandLine {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The first argument is split at its spaces, so that a whole line can be written as one. */
  type(...words: readonly string[]): Promise<Outcome>;
  /** Runs the command with --json, and returns its output; throws unless the command succeeds. */
  ask(...words: readonly string[]): Promise<Readonly<Record<string, unknown>>>;
  /** The error of a failing command, as --json prints it. */
  fail(...words: readonly string[]): Promise<{ code: number; name: string; message: string }>;
  /** Requires that the command fails with this error, and with the exit code of usage errors only for them. */
  refused(name: string, says: RegExp, ...words: readonly string[]): Promise<void>;
  /** Works on the store beside the commands, with their clock. */
  beside<Result>(work: (app: App) => Promise<Result>): Promise<Result>;
}

export function makeCommandLine(
  options: {
    folder?: string;
    environment?: Readonly<Record<string, string>>;
    now?: () => number;
    wrapApp?: ((app: App) => App) | undefined;
    /** Whether both outputs are a terminal. */
    isTTY?: boolean;
  } = {},
): CommandLine {
  const folder = options.folder ?? makeTempFolder();
  const environment = testEnvironment(folder, options.environment);
  const { isTTY = false, wrapApp } = options;
  async function type(...words: readonly string[]): Promise<Outcome> {
    let out = "";
    let err = "";
    const code = await run(loadTable, split(words), {
      environment,
      out: { isTTY, write: (text) => (out += text) },
      err: { isTTY, write: (text) => (err += text) },
      operator: "operator",
      ...(options.now === undefined ? {} : { now: options.now }),
      ...(wrapApp && { wrapApp }),
    });
    return { code, out, err };
  }
  async function fail(...words: readonly string[]) {
    const { code, out, err } = await type(...words, "--json");
    if (out !== "") throw new Error(`${words.join(" ")} printed ${out}`);
    const { error } = JSON.parse(err) as { error: { name: string; message: string } };
    return { code, ...error };
  }
  return {
    folder,
    environment,
    type,
    fail,
    refused: async (name, says, ...words) => {
      const failed = await fail(...words);
      const code = name === "usage" ? 2 : 1;
      assert.deepEqual(
        [failed.name, failed.code],
        [name, code],
        `${words.join(" ")}: ${failed.message}`,
      );
      assert.match(failed.message, says);
    },
    beside: (work) => operate(environment, (app) => work({ ...app, now: options.now ?? app.now })),
    ask: async (...words) => {
      const { code, out, err } = await type(...words, "--json");
      if (code !== 0 || err !== "")
        throw new Error(`${words.join(" ")} ended with ${code}: ${err}`);
      return JSON.parse(out) as Readonly<Record<string, unknown>>;
    },
  };
}

/** An export as NDJSON without the manifest in its last line. */
export function withoutManifest(out: string): string {
  const at = out.lastIndexOf(manifestLineStart);
  return at < 0 ? out : out.slice(0, at);
}

/** The entries of an exported trail but those of manifests, of which each export of the trail adds one. */
export function entriesOf(out: string): readonly Line[] {
  return ndjsonOf(out).filter(({ action }) => action !== "export.manifest");
}

type Line = Readonly<Record<string, unknown>>;

/** Its lines. */
export function ndjsonOf(out: string): readonly Line[] {
  const lines = withoutManifest(out)
    .split("\n")
    .filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line) as Line);
}

function split([first = "", ...rest]: readonly string[]): readonly string[] {
  return [...first.split(" ").filter((word) => word !== ""), ...rest];
}
