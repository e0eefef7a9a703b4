// Recipients as operators see them: lists, registers and removes them.

import type { Parts } from "../../basics/paced-read.ts";
import {
  type ListedRecipient,
  recipientNameRule,
  type Recipient,
  type WaitingRecipient,
  withoutPosition,
} from "./recipient.ts";
import { recordTypes } from "../../domain/record-types.ts";
import { formats } from "../../domain/schema/formats.ts";
import { findOpenOrganization } from "../../actions/access/close-organization.ts";
import { requireOrganization } from "../../actions/access/find-organization.ts";
import { actOf, type App } from "../../actions/app.ts";
import { readPages } from "../../actions/pages.ts";
import { findType } from "../../actions/record/find-named-record.ts";
import { asOperator } from "../follow/as-operator.ts";
import { OperatorError, unknownName } from "../../actions/operator/operator-error.ts";
import { requireRight, viewerOf } from "../../actions/operator/viewer.ts";
import { namesInOrder, register } from "./act-as-recipient.ts";
import { recipients } from "./store/part.ts";
import { recipientNameCharactersMax } from "./store/rows.ts";
import { operatorErrors, rights } from "./rows.ts";
import { RecipientLag } from "./recipient-lag.ts";

export async function listRecipients(
  app: App,
  organizationId: string | undefined,
): Promise<readonly ListedRecipient[]> {
  requireRight(app, rights["recipient.read"]);
  await requireOrganization(app, organizationId);
  const hidden = await viewerOf(app).hiddenTypes();
  const lag = new RecipientLag();
  const found: ListedRecipient[] = [];
  for await (const page of waitingPages(app, organizationId, [...hidden])) {
    const behind = await lag.behindSince(app, page, hidden);
    found.push(
      ...page.map((one, index) => ({ ...asKnown(one, hidden), behindSince: behind[index] })),
    );
  }
  return found;
}

/** How many recipients are read at once: on PostgreSQL, a query finds how far each is behind. */
const pageRows = 256;

function waitingPages(
  { store }: App,
  organizationId: string | undefined,
  hidden: readonly string[],
): AsyncGenerator<readonly WaitingRecipient[]> {
  return readPages(pageRows, (after) =>
    store.of(recipients).listWaiting(organizationId ?? { after, limit: pageRows }, hidden),
  );
}

function asKnown<Known extends Recipient>(one: Known, hidden: ReadonlySet<string>): Known {
  return one.types.some((type) => hidden.has(type)) ? withoutPosition(one) : one;
}

export interface RecipientFigures {
  readonly count: number;
  /** When the oldest unacknowledged notice was written, but for confidential types. */
  readonly waitingSince: number | undefined;
  /** The same of any event. */
  readonly behindSince: number | undefined;
}

/** Makes the figures of metrics, which many people can read. Each step reads a bounded number of recipients. */
export async function* recipientFigures(
  app: App,
  lag = new RecipientLag(),
): Parts<RecipientFigures> {
  const hidden = await viewerOf(app).public().hiddenTypes();
  let figures: RecipientFigures = { count: 0, waitingSince: undefined, behindSince: undefined };
  for await (const page of waitingPages(app, undefined, [...hidden])) {
    if (figures.count > 0) yield;
    figures = {
      count: figures.count + page.length,
      waitingSince: oldest([figures.waitingSince, ...page.map((one) => one.waitingSince)]),
      behindSince: oldest([figures.behindSince, ...(await lag.behindSince(app, page, hidden))]),
    };
  }
  return figures;
}

function oldest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.flatMap((time) => time ?? []);
  return known.length === 0 ? undefined : Math.min(...known);
}

export interface WantedRecipient {
  readonly organizationId: string;
  readonly name: string;
  /** The default is all types that are not confidential. */
  readonly types?: readonly string[] | undefined;
}

/** Returns an existing one that is the same. Throws OperatorError recipient_exists and too_many_recipients. */
export async function createRecipient(
  app: App,
  { organizationId, name, types }: WantedRecipient,
): Promise<Recipient> {
  requireRight(app, rights["recipient.create"]);
  const isName = formats["plain-name"]?.(name) === true;
  if (!isName || name.length > recipientNameCharactersMax) {
    throw new OperatorError("invalid", `The recipient's name must be ${recipientNameRule}.`);
  }
  await findOpenOrganization(app, organizationId);
  const knows = await viewerOf(app).public().knowledge(organizationId);
  const taken =
    types?.map(findType) ??
    recordTypes.filter(({ resourceType }) => knows({ organizationId, resourceType }));
  if (taken.length === 0) throw new OperatorError("invalid", "A recipient needs a record type.");
  const wanted = { organizationId, name, types: namesInOrder(taken) };
  const recipient = await asOperator(register(app, wanted, actOf(app)), operatorErrors);
  return asKnown(recipient, await viewerOf(app).hiddenTypes());
}

/** Throws OperatorError no_such_recipient. */
export async function removeRecipient(
  app: App,
  one: Pick<Recipient, "organizationId" | "name">,
): Promise<Recipient> {
  requireRight(app, rights["recipient.remove"]);
  await requireOrganization(app, one.organizationId);
  const removed = await app.store.of(recipients).removeRecipient(one, actOf(app));
  if (removed !== undefined) return asKnown(removed, await viewerOf(app).hiddenTypes());
  const all = await app.store.of(recipients).listRecipients(one.organizationId);
  throw unknownName(
    operatorErrors.no_such_recipient,
    `There is no recipient "${one.name}".`,
    all.map(({ name }) => name),
  );
}
