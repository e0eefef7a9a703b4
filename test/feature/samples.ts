// The samples of features, a line each.

import type { App } from "../../src/actions/app.ts";
import { features } from "../../src/feature/features.ts";
import { samples as completion } from "./completion/samples.ts";
import { samples as csv } from "./csv/samples.ts";
import { samples as demo } from "./demo/samples.ts";
import { samples as exporting } from "./export/samples.ts";
import { samples as follow } from "./follow/samples.ts";
import { samples as find } from "./find/samples.ts";
import { samples as identity } from "./identity/samples.ts";
import { samples as feed } from "./feed/samples.ts";
import type { CommandSample, Samples } from "./sample.ts";
import { samples as move } from "./move/samples.ts";
import { samples as imports } from "./import/samples.ts";
import { samples as proof } from "./proof/samples.ts";
import { samples as recipient } from "./recipient/samples.ts";
import { samples as subject } from "./subject/samples.ts";
import { samples as telemetry } from "./telemetry/samples.ts";
import { samples as upload } from "./upload/samples.ts";
import { samples as webhook } from "./webhook/samples.ts";

export const samples: readonly Samples[] = [
  completion,
  csv,
  demo,
  telemetry,
  proof,
  exporting,
  identity,
  move,
  find,
  subject,
  follow,
  feed,
  recipient,
  webhook,
  imports,
  upload,
];

/** True where a feature that a test of another one also uses was removed: to skip this test. */
export function lacks(...used: readonly string[]): boolean {
  return used.some((name) => features.every((feature) => feature.name !== name));
}

/** By the name of the command, for those that have it. */
export function commandsWith<Key extends keyof CommandSample>(
  key: Key,
): Readonly<Record<string, NonNullable<CommandSample[Key]>>> {
  return Object.fromEntries(
    samples
      .flatMap(({ commands = {} }) => Object.entries(commands))
      .flatMap(([name, { [key]: value }]) => (value === undefined ? [] : [[name, value]])),
  );
}

export const storeSamples = samples.flatMap(({ store }) => store ?? []);

/** The rows that features add to a table of samples. */
export function sampled<Key extends "rights" | "errors" | "examples">(
  key: Key,
): NonNullable<Samples[Key]> {
  return Object.assign({}, ...samples.map((one) => one[key])) as NonNullable<Samples[Key]>;
}

/** Does what a minute of upkeep does for features. */
export async function purgeAll(app: App): Promise<void> {
  for (const { purge } of samples) await purge?.(app);
}
