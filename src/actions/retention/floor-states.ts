// Collects the retention floors that the audit trail or ledgers state, and compares the store with them. Changes
// nothing.

import { isDeepStrictEqual } from "node:util";
import type { AuditEntry } from "../../domain/access.ts";
import type { FloorEntry } from "../../domain/deletion/ledger-entry.ts";
import { floorOrigins, type RetentionFloor } from "../../domain/retention/floor.ts";

type FloorKey = Pick<FloorEntry, "organizationId" | "resourceType">;

/** What an audit entry states about a floor; undefined for an entry of another action. */
export function floorOfEntry(entry: AuditEntry): FloorEntry | undefined {
  const { action, entryNo, organizationId, detail, at, actor: by } = entry;
  const { resourceType, keepDays } = detail;
  if (typeof resourceType !== "string" || organizationId === undefined) return undefined;
  const stated = { kind: "floor", entryNo, organizationId, resourceType, at, by } as const;
  if (action === "retention.remove") return { ...stated, rule: undefined };
  const countedFrom = floorOrigins.find((origin) => origin === detail["countedFrom"]);
  if (action !== "retention.set" || typeof keepDays !== "number") return undefined;
  return countedFrom === undefined ? undefined : { ...stated, rule: { keepDays, countedFrom } };
}

export class FloorStates {
  readonly #last = new Map<string, FloorEntry>();

  /** In any order: the entry with the highest number is in force. */
  add(entry: FloorEntry): void {
    const name = nameOf(entry);
    if (entry.entryNo > (this.#last.get(name)?.entryNo ?? 0)) this.#last.set(name, entry);
  }

  /** The number of the last entry about a floor; 0 if there is none. */
  lastNo(key: FloorKey): number {
    return this.#last.get(nameOf(key))?.entryNo ?? 0;
  }

  /** The entries in force that the store contradicts. */
  contradictedBy(stored: readonly RetentionFloor[]): readonly FloorEntry[] {
    const rules = new Map(stored.map((floor) => [nameOf(floor), ruleOf(floor)]));
    return [...this.#last].flatMap(([name, entry]) =>
      isDeepStrictEqual(rules.get(name), entry.rule) ? [] : [entry],
    );
  }

  /** Floors of the store about which there is no entry. */
  unstated(stored: readonly RetentionFloor[]): readonly RetentionFloor[] {
    return stored.filter((floor) => !this.#last.has(nameOf(floor)));
  }
}

function ruleOf({ keepDays, countedFrom }: RetentionFloor): FloorEntry["rule"] {
  return { keepDays, countedFrom };
}

function nameOf({ organizationId, resourceType }: FloorKey): string {
  return JSON.stringify([organizationId, resourceType]);
}
