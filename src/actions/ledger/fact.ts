// A fact that a store, its audit trail and its ledgers have to state alike, in the same form wherever it was read, so
// that one comparison is enough. Reads and changes nothing.

import { isDeepStrictEqual } from "node:util";
import type { Hold } from "../../domain/access.ts";
import type { FloorEntry } from "../../domain/deletion/ledger-entry.ts";
import type { SettingsChange } from "../../store/interface/replay.ts";

export interface Fact {
  readonly about: "hold" | "floor" | "setting" | "key" | "operator" | "proposal";
  /** The name of the fact. It is unique, and the subject of a finding. */
  readonly name: string;
  /** The fact with the highest number is in force, of those with the same name. */
  readonly no: number;
  /** The content of the fact in the form of the audit trail; undefined after the end of the fact. */
  readonly stated: object | undefined;
  /** Missing if the audit trail states the fact, which contains no ids of records. */
  readonly hold?: Hold;
  readonly floor?: FloorEntry;
  readonly setting?: SettingsChange;
}

export interface Difference {
  /** unstated: only the store has it. missing: the store lacks it. ended: the store still has it. */
  readonly is: "unstated" | "missing" | "ended" | "altered";
  /** What the store has or, if it is missing there, what it should have. */
  readonly fact: Fact;
  /** The last statement. */
  readonly last: Fact | undefined;
}

export class Facts {
  readonly #last = new Map<string, Fact>();

  add(facts: readonly Fact[]): void {
    for (const fact of facts) {
      if (fact.no >= this.lastNo(fact)) this.#last.set(fact.name, fact);
    }
  }

  /** The number of the last fact of this name; 0 if there is none. */
  lastNo({ name }: Fact): number {
    return this.#last.get(name)?.no ?? 0;
  }

  /** A stored fact that states nothing counts as absent. */
  async *differences(stored: AsyncIterable<Fact>): AsyncGenerator<Difference> {
    const missing = new Map(this.#last);
    for await (const fact of stored) {
      if (fact.stated === undefined) continue;
      const last = this.#last.get(fact.name);
      missing.delete(fact.name);
      if (last === undefined) yield { is: "unstated", fact, last };
      else if (last.stated === undefined) yield { is: "ended", fact, last };
      else if (!isDeepStrictEqual(last.stated, fact.stated)) yield { is: "altered", fact, last };
    }
    for (const last of missing.values()) {
      if (last.stated !== undefined) yield { is: "missing", fact: last, last };
    }
  }
}
