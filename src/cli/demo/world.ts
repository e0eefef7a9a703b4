// What the steps of the demonstration share: the client, the input, and what they have to remember of what they sent.
// Remembers a bounded sample, however long the input.

import type { Client } from "./client.ts";
import type { DemoInput } from "./input.ts";

export const bounds = {
  batchItems: 500,
  batchesAtOnce: 4,
  looksAtOnce: 16,
  /** One transaction in so many gets a check, and more of them if that gave too many. */
  chosenOneIn: 20,
  chosenMax: 5_000,
  updatedMax: 1_000,
  lookedUpMax: 2_000,
  assessmentsRememberedMax: 500,
  deletedMax: 10,
  deletionPollMs: 50,
  deletionMsMax: 120_000,
} as const;

export interface Chosen {
  readonly txId: string;
  /** Unix milliseconds. */
  readonly at: number;
  /** Latest timestamp that was sent. */
  lastAt: number;
}

export interface World {
  readonly client: Client;
  readonly input: DemoInput;
  readonly organizationId: string;
  readonly organizationName: string;
  readonly apiKey: string;
  readonly stopping: AbortSignal;
  /** Tells the progress bar. */
  readonly advance: (by: number) => void;
  readonly chosen: Chosen[];
  readonly assessmentIds: string[];
  /** Milliseconds from each deletion's request until it was seen completed. */
  readonly deletionMs: number[];
}

export interface Step {
  readonly name: string;
  /** How many records, or questions, the step is about. */
  readonly total: (world: World) => number;
  readonly run: (world: World) => Promise<void>;
}

/** The transactions that will be deleted: the first few, but never all of those that were chosen. */
export function doomed({ chosen }: World): readonly Chosen[] {
  return chosen.slice(0, Math.min(bounds.deletedMax, Math.ceil(chosen.length / 2)));
}

export function spared(world: World): readonly Chosen[] {
  return world.chosen.slice(doomed(world).length);
}

/** Pairs of one to be deleted and one to stay, which share an alert. */
export function pairs(world: World): readonly (readonly [gone: Chosen, stays: Chosen])[] {
  const stay = spared(world);
  return doomed(world).flatMap((gone, index) => {
    const stays = stay[index];
    return stays === undefined ? [] : [[gone, stays] as const];
  });
}

export function timestamp(unixMs: number): string {
  return new Date(unixMs).toISOString();
}
