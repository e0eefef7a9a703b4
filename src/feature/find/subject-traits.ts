// What distinguishes persons and companies of the same name, from their latest states: for the list of those that a
// search with a reason has found.

import type { Payload } from "../../domain/record-type.ts";
import { StateFold } from "../../domain/record/merge.ts";
import type { RecordKey } from "../../domain/record/record-write.ts";
import type { App } from "../../actions/app.ts";
import { requireRight } from "../../actions/operator/viewer.ts";
import { historyPages } from "../../actions/pages.ts";
import { findType } from "../../actions/record/find-named-record.ts";

/** Undefined for what the record does not say. */
export interface Traits {
  readonly name: string | undefined;
  /** The date of birth, or of the incorporation. */
  readonly born: string | undefined;
  readonly city: string | undefined;
  /** The state of the account. */
  readonly state: string | undefined;
}

/** How many parts of a history are read at most; what was said only before them is not known. */
const partsMax = 4;

export async function readTraits(app: App, key: RecordKey): Promise<Traits> {
  requireRight(app, "subject.find");
  const fold = new StateFold(findType(key.resourceType));
  let parts = 0;
  for await (const part of historyPages(app, key)) {
    for (const change of part) fold.add(change);
    parts += 1;
    if (parts === partsMax) break;
  }
  return parts === 0 ? nothing : traitsOf(fold.state());
}

const nothing: Traits = { name: undefined, born: undefined, city: undefined, state: undefined };

function traitsOf(state: Payload): Traits {
  const text = (name: string) => textOf(state[name]);
  const parts = [text("first_name"), text("last_name")].filter((part) => part !== undefined);
  const [first] = Array.isArray(state["addresses"]) ? (state["addresses"] as unknown[]) : [];
  const address = state["address"] ?? memberOf(first, "address");
  return {
    name: text("name") ?? text("legal_name") ?? text("trading_name") ?? textOf(parts.join(" ")),
    born: text("date_of_birth") ?? text("incorporation_date"),
    city: textOf(memberOf(address, "city")),
    state: text("account_status"),
  };
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
