// What a program does with the recipients of its organization: registers, lists and removes them, and acknowledges for
// them. It must be allowed to read all types of the recipient, because an acknowledgement says that everything before
// it was read.

import { Turns } from "../../basics/turns.ts";
import { mayRead } from "../../domain/confidentiality.ts";
import { AppError } from "../../domain/error.ts";
import { type Recipient, withoutPosition } from "./recipient.ts";
import type { RecordType } from "../../domain/record-type.ts";
import { recordTypeByName, recordTypes } from "../../domain/record-types.ts";
import type { Act } from "../../store/interface/act.ts";
import type { Identity } from "../../actions/access/caller-cache.ts";
import { requireScope } from "../../actions/access/identify-caller.ts";
import type { App } from "../../actions/app.ts";
import { recipients } from "./store/part.ts";
import { errors } from "./store/rows.ts";
import type { Acknowledgement, NewRecipient } from "./store/recipient.ts";
import { findLastArrival, type Range } from "../follow/last-arrival.ts";

type Numbers = Pick<Range, "after" | "through">;

export interface Registration extends Pick<NewRecipient, "name" | "idempotency"> {
  /** The default is all types that the caller may read. */
  readonly types?: readonly string[] | undefined;
}

/** Returns the recipient, also if it was registered before. Throws AppError insufficient_scope, and as `register`. */
export async function registerRecipient(
  app: App,
  caller: Identity,
  { name, types: named, idempotency }: Registration,
): Promise<Recipient> {
  const types = namesInOrder(
    named?.flatMap((type) => recordTypeByName(type) ?? []) ?? readableTypes(caller),
  );
  requireTypes(caller, types);
  const wanted = { organizationId: caller.organizationId, name, types, idempotency };
  return register(app, wanted, { actor: caller.actor, now: app.now() });
}

/** The names of these types, each once and in the order of the types. */
export function namesInOrder(types: readonly RecordType[]): Recipient["types"] {
  return recordTypes.filter((type) => types.includes(type)).map(({ resourceType }) => resourceType);
}

/** Throws AppError recipient_exists and too_many_recipients, and credential_revoked for a closed organization. */
export function register(app: App, wanted: NewRecipient, act: Act): Promise<Recipient> {
  return app.inFlight.run(wanted.idempotency?.keyHash, () =>
    app.store.of(recipients).createRecipient(wanted, act),
  );
}

function readableTypes(caller: Identity): readonly RecordType[] {
  const types = recordTypes.filter((type) => mayRead(caller, type));
  if (types.length > 0) return types;
  throw new AppError("insufficient_scope", {
    message:
      "The access token may read no record type; request a token with the read scope of one.",
  });
}

function requireTypes(caller: Identity, types: readonly string[]): void {
  for (const { family } of types.flatMap((name) => recordTypeByName(name) ?? [])) {
    requireScope(caller, `${family}:read`);
  }
}

/** Without the position of a recipient that takes a type which the caller may not read. */
export async function findRecipients(
  { store }: App,
  caller: Identity,
  name?: string,
): Promise<readonly Recipient[]> {
  const all = await store.of(recipients).listRecipients(caller.organizationId);
  const readable = new Set(readableOf(caller).types);
  return all
    .filter((one) => name === undefined || one.name === name)
    .map((one) => (one.types.every((type) => readable.has(type)) ? one : withoutPosition(one)));
}

function readableOf(caller: Identity): Pick<Range, "organizationId" | "types"> {
  const { organizationId } = caller;
  const types = recordTypes.filter((type) => mayRead(caller, type));
  return { organizationId, types: types.map(({ resourceType }) => resourceType) };
}

/** If there is none, the store reports it, unless the request is repeated. Throws AppError insufficient_scope. */
async function requireTypesOf(app: App, caller: Identity, name: string): Promise<void> {
  const [known] = await findRecipients(app, caller, name);
  requireTypes(caller, known?.types ?? []);
}

/** Returns the removed recipient. Throws AppError insufficient_scope and no_such_recipient. */
export async function endRecipient(
  app: App,
  caller: Identity,
  { name, idempotency }: Pick<Registration, "name" | "idempotency">,
): Promise<Recipient> {
  await requireTypesOf(app, caller, name);
  const act = { actor: caller.actor, now: app.now() };
  const { organizationId } = caller;
  const removed = await app.inFlight.run(idempotency?.keyHash, () =>
    app.store.of(recipients).removeRecipient({ organizationId, name, idempotency }, act),
  );
  if (removed === undefined) throw new AppError(errors.no_such_recipient);
  return removed;
}

export interface Acknowledged extends Pick<NewRecipient, "name" | "idempotency"> {
  readonly offset: string;
}

/** Throws AppError insufficient_scope, no_such_recipient, validation_failed and offset_gone. */
export async function acknowledge(
  app: App,
  caller: Identity,
  { name, offset, idempotency }: Acknowledged,
): Promise<Recipient> {
  await requireTypesOf(app, caller, name);
  const { organizationId } = caller;
  const changeNo = (await app.offsets()).decode(organizationId, offset)?.changeNo;
  if (changeNo === undefined) throw invalid("must be an offset that this feed has returned");
  const { latest } = await app.store.settledArrival();
  if (changeNo > latest) throw new AppError("offset_gone");
  const one = { organizationId, name, changeNo, offset, now: app.now(), idempotency };
  const source = { store: app.store, turns: new Turns() };
  const isRead = async (range: Numbers) =>
    (await findLastArrival(source, { ...range, ...readableOf(caller) })) !== undefined;
  const recipient = await app.inFlight.run(idempotency?.keyHash, () => advance(app, one, isRead));
  if (recipient === undefined) throw new AppError(errors.no_such_recipient);
  return recipient;
}

/**
 * Only an event that the caller may read makes one offset earlier than another. If what it may not read did, a refusal
 * would disclose that something has arrived between two offsets of the end of the feed.
 */
async function advance(
  { store }: App,
  one: Acknowledgement,
  isRead: (range: Numbers) => Promise<boolean>,
): Promise<Recipient | undefined> {
  for (let through = one.changeNo; ;) {
    const recipient = await store.of(recipients).acknowledge({ ...one, through });
    const { acknowledgedNo = 0 } = recipient ?? {};
    if (acknowledgedNo <= through) return recipient;
    if (await isRead({ after: through, through: acknowledgedNo })) {
      throw invalid("is before the offset that was acknowledged already");
    }
    through = acknowledgedNo;
  }
}

function invalid(message: string): AppError {
  return new AppError("validation_failed", {
    message: "The acknowledgement is not valid.",
    errors: [{ field: "offset", message }],
  });
}
