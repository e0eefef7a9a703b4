// Puts a server under load on several connections, and decides when it is to be killed. Kills
// nothing itself.

import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../support/random.ts";
import { addLenient, addList, addOne, addStream, type Contest, contend } from "./acts-add.ts";
import { addLate, askDeletion, checkDeletionStates } from "./acts-delete.ts";
import { addAgain, repeatAcknowledged, resend, updateList, updateOne } from "./acts-update.ts";
import { makeCustomerFamily, makeLargeFamily, makeTransactionFamily } from "./families.ts";
import type { Sender } from "./sender.ts";

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

type Act = (sender: Sender, moment: Moment) => Promise<unknown>;

/** Acts by their frequency. */
function everyday(contest: Contest): readonly (readonly [number, Act])[] {
  return [
    [30, addOne],
    [10, addList],
    [8, addLenient],
    [5, addStream],
    [20, updateOne],
    [6, updateList],
    [3, resend],
    [3, addAgain],
    [8, repeatAcknowledged],
    [12, (sender) => contend(sender, contest)],
    [3, makeTransactionFamily],
    [3, makeCustomerFamily],
    [5, askAndTell],
    [4, addLate],
    [5, checkDeletionStates],
  ];
}

async function askAndTell(sender: Sender, moment: Moment): Promise<void> {
  if ((await askDeletion(sender)) !== undefined) moment.deletionAsked();
}

async function eraseMany(sender: Sender, moment: Moment): Promise<void> {
  await makeLargeFamily(sender);
  if (!sender.cutOff) await askAndTell(sender, moment);
}

/** Ends when every connection is cut. */
export async function runLoad(
  senders: readonly Sender[],
  { kind, moment, contest }: { kind: LoadKind; moment: Moment; contest: Contest },
): Promise<void> {
  const acts = everyday(contest);
  await Promise.all(
    senders.map(async (sender, index) => {
      if (kind === "erasing" && index === 0) await eraseMany(sender, moment);
      while (!sender.cutOff) {
        await pickAct(acts, sender.generator.random)(sender, moment);
        moment.actDone();
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

function pickAct(acts: readonly (readonly [number, Act])[], random: Random): Act {
  let left = random.next() * acts.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, act] of acts) if ((left -= weight) < 0) return act;
  return addOne;
}
