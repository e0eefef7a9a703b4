// The samples of features, a line each.

import { samples as completion } from "./completion/samples.ts";
import { samples as demo } from "./demo/samples.ts";
import type { CommandSample, Samples } from "./sample.ts";
import { samples as proof } from "./proof/samples.ts";
import { samples as telemetry } from "./telemetry/samples.ts";

export const samples: readonly Samples[] = [completion, demo, telemetry, proof];

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
