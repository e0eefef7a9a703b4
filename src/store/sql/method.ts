// A method of the store that runs the same statements on every engine: what it is, and what it may see. An engine binds
// it to its driver.

import {
  allOrganizations,
  oneOrAll,
  organization,
  type Visibility,
} from "./statement/visibility.ts";
import type { RecordKey } from "../../domain/record/record-write.ts";
import type { Act } from "../interface/act.ts";
import type { Statements } from "./statement/statements.ts";

export interface Method<Args extends readonly unknown[], Result> {
  /** `lookup`: one statement that reads. `read`: several such. `change`: runs in a transaction that may write. */
  readonly kind: "lookup" | "read" | "change";
  /** Present for a Purge, whose bytes are overwritten after its last part: whether an earlier process has left any. */
  readonly mayHaveResidue?: () => Statements<boolean>;
  readonly visibility: (...args: Args) => Visibility;
  readonly work: (...args: Args) => Statements<Result>;
}

export type AnyMethod = Method<never[], unknown>;
export type Methods = Readonly<Record<string, AnyMethod>>;

function define(kind: AnyMethod["kind"]) {
  return <Args extends readonly unknown[], Result>(
    visibility: NoInfer<Visibility | ((...args: Args) => Visibility)>,
    work: (...args: Args) => Statements<Result>,
  ): Method<Args, Result> => ({
    kind,
    visibility: typeof visibility === "function" ? visibility : () => visibility,
    work,
  });
}

/** Removes a part of what has to be erased; `range` says where it begins. */
export type Purge = (range: never, act: Act) => Promise<PurgedPart>;

export interface PurgedPart {
  readonly removed: number;
  /** Where the next part begins; undefined if this was the last. */
  readonly next: string | undefined;
}

export const [lookup, read, change] = [define("lookup"), define("read"), define("change")];

/** What a method may see: everything, or the organization that its first argument names. */
export const every = allOrganizations;

export function ofOrganization({
  organizationId,
}: {
  readonly organizationId: string;
}): Visibility {
  return organization(organizationId);
}

export function ofKeys(keys: readonly RecordKey[]): Visibility {
  return { organizations: new Set(keys.map(({ organizationId }) => organizationId)) };
}

export function byIdIn(_id: string, organizationId: string | undefined): Visibility {
  return oneOrAll(organizationId);
}

export type Bound<Table extends Methods> = {
  readonly [Name in keyof Table]: Table[Name] extends Method<infer Args, infer Result>
    ? (...args: Args) => Promise<Result>
    : never;
};

/** Runs a method on an engine. `name` is its group and its own name, such as `holds.release`. */
export type RunMethod = (name: string, method: AnyMethod) => (...args: never[]) => Promise<unknown>;
