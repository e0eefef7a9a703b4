// The settings of organizations as facts: what the store, the audit trail and the ledger state of each. An earlier
// setting would erase records that have to be kept, or show what is confidential.

import { isDeepStrictEqual } from "node:util";
import type { AuditEntry, Organization } from "../../domain/access.ts";
import type { LedgerSettings, SettingsEntry } from "../../domain/deletion/ledger-entry.ts";
import type { Fact } from "./fact.ts";

/** The value of each setting that an organization has before anybody sets it. */
const unset: { readonly [Key in keyof LedgerSettings]-?: LedgerSettings[Key] } = {
  name: "",
  strictScopes: false,
  deletionGraceSeconds: 0,
  rateLimitPerSecond: null,
  retainDays: null,
  confidentialTypes: [],
  deletionApproval: false,
};

type Name = keyof LedgerSettings;

const names = Object.keys(unset) as Name[];

export function settingsOf(entry: AuditEntry): SettingsEntry | undefined {
  const { action, entryNo, organizationId, at, actor: by, detail } = entry;
  const isAbout = action === "organization.create" || action === "organization.change";
  if (!isAbout || organizationId === undefined) return undefined;
  const stated = names.filter((name) => detail[name] !== undefined);
  if (stated.length === 0) return undefined;
  const settings: LedgerSettings = Object.fromEntries(stated.map((name) => [name, detail[name]]));
  return { kind: "settings", entryNo, organizationId, settings, at, by };
}

export function factsOfSettings({
  organizationId,
  entryNo: no,
  settings,
}: Pick<SettingsEntry, "organizationId" | "entryNo" | "settings">): readonly Fact[] {
  return names.flatMap((name) => {
    const value = settings[name];
    if (value === undefined) return [];
    const stated = isDeepStrictEqual(value, unset[name]) ? undefined : { value };
    const setting = { organizationId, settings: { [name]: value } };
    return [
      { about: "setting", name: `The setting ${name} of ${organizationId}`, no, stated, setting },
    ];
  });
}

export function storedSettings(organization: Organization): readonly Fact[] {
  const { organizationId } = organization;
  const settings = Object.fromEntries(names.map((name) => [name, organization[name]]));
  return factsOfSettings({ organizationId, entryNo: 0, settings });
}
