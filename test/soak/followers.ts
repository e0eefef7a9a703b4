// Readers of the feed of changes that follow it all the time, half of them by server-sent events and half by long
// polls. They keep no event.

import { type Follower, startFollower } from "../../bench/follower.ts";
import type { Target } from "../abuse/abuse.ts";
import { waitFor } from "../support/wait-for.ts";

const lives = Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? "sse" : "long-poll"));
/** So many records that follow one another have been seen by most before one counts as behind. */
const roundsMax = 50;
const markPrefix = "the-end-";
const markOf = (round: number) => `${markPrefix}${String(round).padStart(3, "0")}`;

export class Followers {
  events = 0;
  /** The last record of a round that each has read. */
  readonly #seen = lives.map(() => "");
  readonly #findings: string[] = [];
  /** Each begins with the first event. */
  readonly #begun: Promise<readonly Follower[]>;

  constructor({ address, token }: Target) {
    const port = Number(new URL(address).port);
    const onFailure = (why: string) => void this.#findings.push(why);
    const starting = lives.map((live, index) => {
      const onPart = (text: string) => {
        const at = text.lastIndexOf(markPrefix);
        if (at >= 0) this.#seen[index] = text.slice(at, at + markOf(0).length);
      };
      return startFollower({ port, token, live, offset: "-1", onPart, onFailure });
    });
    this.#begun = Promise.all(starting);
  }

  async stop(count = lives.length): Promise<void> {
    const all = await this.#begun;
    for (const follower of all.slice(0, count)) follower.stop();
    this.events = all.reduce((sum, follower) => sum + follower.events(), 0);
  }

  /**
   * Stops all; those are found that have failed, or have not come to the end of the feed. `add` adds a record. No time
   * limit: what a follower lacks was seen by most others, and many records after it, too.
   */
  async end(add: (id: string) => Promise<unknown>): Promise<readonly string[]> {
    const lacking = (round: number) =>
      lives.filter((_, index) => (this.#seen[index] ?? "") < markOf(round));
    for (let round = 0; round < roundsMax && (round === 0 || lacking(0).length > 0); round += 1) {
      await add(markOf(round));
      const isSeenByMost = () => lacking(round).length < lives.length / 2;
      await waitFor("a record to be seen by most followers", isSeenByMost, { timeoutMs: 600_000 });
    }
    await this.stop();
    const behind = lacking(0).map((live) => `a follower (${live}) is not at the end of the feed`);
    return [...behind, ...this.#findings];
  }
}
