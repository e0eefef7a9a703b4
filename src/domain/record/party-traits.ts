// What distinguishes persons and companies of the same name, as the latest state of their record says it.

import type { Payload } from "../record-type.ts";

/** Undefined where the record does not say it. */
export type PartyTraits = Readonly<Record<"name" | "born" | "city" | "state", string | undefined>>;

export function traitsOf(state: Payload): PartyTraits {
  const text = state as Readonly<Partial<Record<string, string>>>;
  const { address, addresses } = state as Addressed & { readonly addresses?: readonly Addressed[] };
  const names = ["first_name", "last_name"].flatMap((name) => text[name] ?? []);
  return {
    name:
      text["name"] ?? text["legal_name"] ?? text["trading_name"] ?? (names.join(" ") || undefined),
    born: text["date_of_birth"] ?? text["incorporation_date"],
    city: (address ?? addresses?.[0]?.address)?.city,
    state: text["account_status"],
  };
}

interface Addressed {
  readonly address?: { readonly city?: string };
}
