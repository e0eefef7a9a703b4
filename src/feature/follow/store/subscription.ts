// What follows an organization: made up to a bound, and once for an Idempotency-Key; listed; and removed. Each kind has
// a table of the feature that it belongs to, whose rows have a name that is unique in the organization.

import { AppError, type ErrorKind } from "../../../domain/error.ts";
import type { IdempotencyMark } from "../../../domain/record/record-write.ts";
import type { Act } from "../../../store/interface/act.ts";
import type { AuditNote } from "../../../store/interface/trail.ts";
import type { Reader } from "../../../store/row/reader.ts";
import { changeOnce } from "../../../store/sql/access/idempotency.ts";
import { lockOrganization } from "../../../store/sql/access/organization.ts";
import { find, list, run, type Statements } from "../../../store/sql/statement/statements.ts";
import { auditAct } from "../../../store/sql/trail/audit.ts";

export interface Marked {
  /** Present with an Idempotency-Key: the same request has the same reply. */
  readonly idempotency?: IdempotencyMark | undefined;
}

export interface Name extends Marked {
  readonly organizationId: string;
  readonly name: string;
}

export interface SubscriptionKind<Row, Wanted, Kept> {
  readonly table: string;
  /** The column of the name. */
  readonly nameColumn: string;
  /** The order in which those of an organization are listed. */
  readonly order: string;
  readonly read: Reader<Row>;
  readonly countMax: number;
  readonly tooMany: ErrorKind;
  readonly insert: (wanted: Wanted, act: Act) => Statements<unknown>;
  /** Throws AppError if what has this name already is not what is wanted. */
  readonly requireSame: (existing: Row, wanted: Wanted) => void;
  /** What the reply to a repeated request needs, which is stored. */
  readonly kept: (row: Row) => Kept;
  readonly actions: Readonly<Record<Verb, AuditNote["action"]>>;
  /** For the audit trail. */
  readonly detail: (row: Row, verb: Verb) => AuditNote["detail"];
  readonly end?: (one: Name, now: number) => Statements<unknown>;
}

type Verb = "create" | "remove";

/** Missing where a function does not depend on it. */
type Kind<Row, Kept = unknown, Wanted = never> = SubscriptionKind<Row, Wanted, Kept>;

export function* findSubscription<Row>(
  { read, table, nameColumn }: Kind<Row>,
  { organizationId, name }: Name,
): Statements<Row | undefined> {
  const sql = `SELECT * FROM ${table} WHERE organization_id = $1 AND ${nameColumn} = $2`;
  return yield* find(read, sql, organizationId, name);
}

export function* listSubscriptions<Row>(
  { read, table, order }: Kind<Row>,
  organizationId: string,
): Statements<readonly Row[]> {
  const sql = `SELECT * FROM ${table} WHERE organization_id = $1 ORDER BY ${order}`;
  return yield* list(read, sql, organizationId);
}

/** Locks the organization, so that concurrent creations keep to the bound. Throws AppError credential_revoked. */
export function* createSubscription<Row, Kept extends object, Wanted extends Name>(
  kind: Kind<Row, Kept, Wanted>,
  wanted: Wanted,
  act: Act,
): Statements<Kept> {
  return yield* changeOnce({ ...wanted, now: act.now, change: () => add(kind, wanted, act) });
}

function* add<Row, Kept, Wanted extends Name>(
  kind: Kind<Row, Kept, Wanted>,
  wanted: Wanted,
  act: Act,
): Statements<Kept> {
  const organization = yield* lockOrganization(wanted.organizationId);
  if (organization === undefined || organization.closedAt !== undefined)
    throw new AppError("credential_revoked");
  const existing = yield* findSubscription(kind, wanted);
  if (existing !== undefined) {
    kind.requireSame(existing, wanted);
    return kind.kept(existing);
  }
  const all = yield* listSubscriptions(kind, wanted.organizationId);
  if (all.length >= kind.countMax) throw new AppError(kind.tooMany);
  yield* kind.insert(wanted, act);
  const row = yield* findSubscription(kind, wanted);
  if (row === undefined) throw new TypeError("the subscription was not added");
  yield* audit(kind, "create", { one: wanted, row, act });
  return kind.kept(row);
}

/** Returns what was removed; undefined if there is nothing of this name. */
export function* removeSubscription<Row, Kept extends object>(
  kind: Kind<Row, Kept>,
  one: Name,
  act: Act,
): Statements<Kept | undefined> {
  return yield* changeOnce({ ...one, now: act.now, change: () => take(kind, one, act) });
}

function* take<Row, Kept>(
  kind: Kind<Row, Kept>,
  one: Name,
  act: Act,
): Statements<Kept | undefined> {
  const { table, nameColumn, end } = kind;
  const row = yield* findSubscription(kind, one);
  if (row === undefined) return undefined;
  const sql = `DELETE FROM ${table} WHERE organization_id = $1 AND ${nameColumn} = $2`;
  if ((yield* run(sql, one.organizationId, one.name)) === 0) return undefined;
  if (end !== undefined) yield* end(one, act.now);
  yield* audit(kind, "remove", { one, row, act });
  return kind.kept(row);
}

function* audit<Row>(
  { actions, detail }: Kind<Row>,
  verb: Verb,
  { one, row, act }: { readonly one: Name; readonly row: Row; readonly act: Act },
): Statements<void> {
  const { organizationId, name: subject } = one;
  yield* auditAct(
    { action: actions[verb], organizationId, subject, detail: detail(row, verb) },
    act,
  );
}

/** All of an organization, which is closed or erased. */
export function* removeSubscriptions(
  { table }: Pick<Kind<never>, "table">,
  organizationId: string,
): Statements<void> {
  yield* run(`DELETE FROM ${table} WHERE organization_id = $1`, organizationId);
}
