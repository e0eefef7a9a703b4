// Puts a server under load on several connections, and decides when it is to be killed. Kills
// nothing itself.

import { setTimeout as sleep } from "node:timers/promises";
import { pickWeighted, type Random } from "../support/random.ts";
import { addLenient, addList, addOne, addStream, contend, type Contest } from "./acts-add.ts";
import { addLate, askDeletion, checkDeletionStates } from "./acts-delete.ts";
import { addAgain, repeatAcknowledged, resend, updateList, updateOne } from "./acts-update.ts";
import { makeCustomerFamily, makeLargeFamily, makeTransactionFamily } from "./families.ts";
import type { Sender } from "./sender.ts";
import type { Site } from "./site.ts";

/**
 * mixed: everything, killed after a while. answers: everything, killed as a reply arrives. erasing:
 * mostly large deletions, killed soon after one was acknowledged.
 */
export const loadKinds = ["mixed", "answers", "erasing"] as const;
export type LoadKind = (typeof loadKinds)[number];

export interface Moment {
  /** Resolves when it is time to kill. */
  readonly come: Promise<void>;
  /** Called for every act that was performed, and for every deletion that was acknowledged. */
  actDone(): void;
  deletionAsked(): void;
}

interface Load {
  /** Undefined where the kill depends on nothing that is done. */
  readonly moment?: Moment | undefined;
  readonly contest: Contest;
}

export type Act = (sender: Sender, load: Load) => Promise<unknown>;
export type Acts = readonly (readonly [number, Act])[];

/** Acts by their frequency. */
export const everyday: Acts = [
  [30, addOne],
  [10, addList],
  [8, addLenient],
  [5, addStream],
  [20, updateOne],
  [6, updateList],
  [3, resend],
  [3, addAgain],
  [8, repeatAcknowledged],
  [12, (sender, { contest }) => contend(sender, contest)],
  [3, makeTransactionFamily],
  [3, makeCustomerFamily],
  [5, askAndTell],
  [4, addLate],
  [5, checkDeletionStates],
];

async function askAndTell(sender: Sender, { moment }: Load): Promise<void> {
  if ((await askDeletion(sender)) !== undefined) moment?.deletionAsked();
}

async function eraseMany(sender: Sender, load: Load): Promise<void> {
  await makeLargeFamily(sender);
  if (!sender.cutOff) await askAndTell(sender, load);
}

/** Ends when every connection is cut. */
export async function runLoad(
  { senders, contests }: Pick<Site, "senders" | "contests">,
  { acts, kind, moment }: { acts: Acts; kind: LoadKind; moment?: Moment },
): Promise<void> {
  const first = new Set(contests.keys());
  await Promise.all(
    senders.map(async (sender) => {
      const { organizationId } = sender.customer;
      const contest = contests.get(organizationId);
      if (contest === undefined) throw new Error("an organization has no contest");
      const load = { moment, contest };
      if (kind === "erasing" && first.delete(organizationId)) await eraseMany(sender, load);
      while (!sender.cutOff) {
        await pickWeighted(sender.generator.random, acts)(sender, load);
        moment?.actDone();
      }
    }),
  );
}

export function makeMoment(kind: LoadKind, random: Random): Moment {
  const { promise, resolve } = Promise.withResolvers<void>();
  let actsLeft = kind === "answers" ? random.integer(1, 250) : Infinity;
  const afterMs = kind === "erasing" ? random.integer(0, 90) : random.integer(20, 400);
  const latest = setTimeout(resolve, kind === "mixed" ? afterMs : 5_000);
  return {
    come: promise.finally(() => clearTimeout(latest)),
    actDone: () => {
      if ((actsLeft -= 1) <= 0) resolve();
    },
    deletionAsked: () => {
      if (kind === "erasing") void sleep(afterMs).then(resolve);
    },
  };
}
