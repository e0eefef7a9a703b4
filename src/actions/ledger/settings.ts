// The settings of organizations that ledgers state, and where a store differs from them: after a restore, an earlier
// setting would erase records that were to be kept, or show what is confidential.

import { isDeepStrictEqual } from "node:util";
import type { AuditEntry, Organization } from "../../domain/access.ts";
import type {
  LedgerEntry,
  LedgerSettings,
  SettingsEntry,
} from "../../domain/deletion/ledger-entry.ts";
import type { SettingsChange } from "../../store/interface/replay.ts";
import type { App } from "../app.ts";

/** How a setting is compared, and the names of all settings. */
const valueIn: {
  readonly [Name in keyof LedgerSettings]-?: (
    of: Organization,
  ) => Exclude<LedgerSettings[Name], undefined>;
} = {
  strictScopes: (of) => of.strictScopes,
  deletionGraceSeconds: (of) => of.deletionGraceSeconds,
  rateLimitPerSecond: (of) => of.rateLimitPerSecond ?? null,
  retainDays: (of) => of.retainDays ?? null,
  confidentialTypes: (of) => of.confidentialTypes ?? [],
  eraseOrphanedTransactions: (of) => of.eraseOrphanedTransactions === true,
  deletionApproval: (of) => of.deletionApproval === true,
};

const names = Object.keys(valueIn) as (keyof LedgerSettings)[];

/** The entry of the ledger for that of the audit trail; undefined if it is about something else. */
export function settingsOf(entry: AuditEntry): SettingsEntry | undefined {
  const { action, entryNo, organizationId, at, actor: by, detail } = entry;
  if (action !== "organization.change" || organizationId === undefined) return undefined;
  const changed = names.filter((name) => detail[name] !== undefined);
  if (changed.length === 0) return undefined;
  const settings: LedgerSettings = Object.fromEntries(changed.map((name) => [name, detail[name]]));
  return { kind: "settings", entryNo, organizationId, settings, at, by };
}

interface Stated {
  readonly no: number;
  readonly value: unknown;
}

/** Collects the settings of ledgers, in any order. */
export class SettingsRead {
  /** Has a map of settings for each organization. */
  readonly #last = new Map<string, Map<keyof LedgerSettings, Stated>>();

  add(entry: LedgerEntry): void {
    if (entry.kind !== "settings") return;
    const { organizationId, entryNo: no, settings } = entry;
    const last = this.#last.get(organizationId) ?? new Map<keyof LedgerSettings, Stated>();
    this.#last.set(organizationId, last);
    for (const name of names) {
      const value = settings[name];
      if (value !== undefined && no >= (last.get(name)?.no ?? 0)) last.set(name, { no, value });
    }
  }

  /** What has to be changed in the store. An organization that it does not have is left out. */
  async differences({ store }: App): Promise<readonly SettingsChange[]> {
    const found: SettingsChange[] = [];
    for (const [organizationId, last] of this.#last) {
      const organization = await store.findOrganization(organizationId);
      if (organization === undefined) continue;
      const differing = [...last].filter(
        ([name, { value }]) => !isDeepStrictEqual(valueIn[name](organization), value),
      );
      if (differing.length === 0) continue;
      const settings: LedgerSettings = Object.fromEntries(
        differing.map(([name, { value }]) => [name, value]),
      );
      found.push({ organizationId, settings });
    }
    return found;
  }
}
