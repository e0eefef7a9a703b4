// The abuser as a separate process: prepares and runs the abuse that its parent names.

import { setPriority } from "node:os";
import { makeRandom } from "../support/random.ts";
import type { AbuseContext, Attack, Target } from "./abuse.ts";
import { abuseNamed } from "./abuses.ts";
import { answerParent } from "./child-messages.ts";
import { makeTally, type Tally } from "./tally.ts";

export interface Preparation {
  readonly name: string;
  readonly target: Target;
  readonly seed: number;
  readonly short: boolean;
}

export interface Outcome {
  readonly tally: Tally;
  readonly findings: readonly string[];
}

// Real abusers have machines of their own and take no processor time from the server, whose threads have up to 5.
setPriority(19);

interface Prepared {
  readonly attack: Attack;
  readonly tally: Tally;
}

let prepared: Prepared | undefined;
let until = Infinity;

answerParent({
  prepare: async ({ name, target, seed, short }: Preparation) => {
    const tally = makeTally();
    until = Infinity;
    const context: AbuseContext = {
      target,
      random: makeRandom(seed),
      tally,
      amount: (full, small) => (short ? small : full),
      // On a busy machine, the time can be over before the first connection is open.
      mayGoOn: () => performance.now() < until || tally.sent + tally.refused === 0,
      pause: (milliseconds) => {
        const left = Math.max(0, Math.min(milliseconds, until - performance.now()));
        return new Promise((resolve) => setTimeout(resolve, left));
      },
    };
    const attack = await abuseNamed(name).prepare(context);
    Object.assign(tally, makeTally());
    prepared = { attack, tally };
  },
  run: async ({ milliseconds }: { milliseconds: number }) => {
    until = performance.now() + milliseconds;
    await requirePrepared().attack.run();
  },
  check: async (): Promise<Outcome> => {
    const { attack, tally } = requirePrepared();
    return { tally, findings: (await attack.check?.()) ?? [] };
  },
});

function requirePrepared(): Prepared {
  if (prepared === undefined) throw new Error("nothing is prepared");
  return prepared;
}
