// The answer to an authority that asks about a person or a company: whether a relationship exists or existed, from when
// to when, of what nature, and what was erased when. Contains no content of records but statuses and products.

import { deletionPages } from "../pages.ts";
import { isPartyType } from "../../domain/deletion/party.ts";
import type { Payload } from "../../domain/record-type.ts";
import { timestampOf } from "../../domain/record/payload.ts";
import type { Change, RecordKey } from "../../domain/record/record-write.ts";
import { ClosedSince } from "../../domain/retention/closed-since.ts";
import { formatTimestamp, type NormalisedTimestamp } from "../../domain/timestamp.ts";
import type { App } from "../app.ts";
import { findOrganization } from "../access/find-organization.ts";
import { OperatorError } from "../operator/operator-error.ts";
import { requireReason } from "../operator/require-text.ts";
import { requireKnowledge, requireRight, showing } from "../operator/viewer.ts";
import { findType } from "../record/find-named-record.ts";
import { findKeys, type SubjectRequest } from "../record/read-subject.ts";
import { auditAccess } from "../trail/audit-access.ts";

export interface AnswerRequest extends SubjectRequest {
  readonly reason: string;
}

/** A status or a product, and when it was stated. */
interface StatedValue {
  readonly value: string;
  readonly first_stated: string;
  readonly last_stated: string;
}

interface CountedType {
  readonly resource_type: string;
  readonly records: number;
  readonly first_seen: string;
  readonly last_seen: string;
}

interface Erasure {
  readonly deletion_request_id: string;
  readonly requested_at: string;
  readonly completed_at?: string;
  readonly receipt_no?: number;
}

export interface SubjectAnswer {
  readonly organization_id: string;
  readonly organization_name: string;
  readonly resource_type: string;
  readonly resource_id: string;
  readonly answered_at: string;
  readonly answered_by: string;
  readonly reason: string;
  /** `named`: other records name the subject, which has no record of its own. */
  readonly relationship: "exists" | "existed" | "named" | "none";
  readonly from: string | null;
  readonly until: string | null;
  readonly statuses: readonly StatedValue[];
  readonly products: readonly StatedValue[];
  readonly records: readonly CountedType[];
  readonly erased: readonly Erasure[];
  readonly to_be_erased: readonly Erasure[];
  readonly confidential: boolean;
}

/** Records that are looked up at the same time. */
const readAtOnce = 16;
/** More deletions of one subject are left out. */
const erasuresMax = 1_000;

/**
 * Throws OperatorError not_permitted, invalid for a type that is neither a person nor a company, no_such_type and
 * no_such_organization. A subject of which nothing is known has an answer, too.
 */
export async function answerSubject(app: App, request: AnswerRequest): Promise<SubjectAnswer> {
  requireRight(app, "subject.answer");
  const { organizationId, resourceType, resourceId, reason, confidential } = request;
  const shown = showing(app, { includeConfidential: confidential });
  const type = findType(resourceType);
  requireReason(reason);
  if (!isPartyType(type.resourceType)) {
    throw new OperatorError(
      "invalid",
      `A subject is a person or a company, not a ${resourceType}.`,
    );
  }
  const { name } = await findOrganization(app, organizationId);
  await requireKnowledge(shown, { organizationId, resourceType });
  const key = { organizationId, resourceType, resourceId };
  const detail = { reason, confidential };
  await auditAccess(app, "subject.answer", { organizationId, subject: key, detail });
  const counts = await countRecords(app, request);
  const own = await app.store.readHistory(key);
  const { erased, open } = await readErasures(app, key);
  const closed = new ClosedSince(type);
  closed.addAll(own?.changes ?? []);
  const until = closed.end();
  const changes = own?.changes ?? [];
  const first = counts.map((one) => one.first_seen).sort()[0];
  return {
    organization_id: organizationId,
    organization_name: name,
    resource_type: resourceType,
    resource_id: resourceId,
    answered_at: new Date(app.now()).toISOString(),
    answered_by: app.operator,
    reason,
    relationship: relationshipOf({
      hasRecord: own !== undefined,
      isClosed: until !== undefined,
      wasErased: erased.length > 0,
      isNamed: counts.length > 0,
    }),
    from: own === undefined ? null : (first ?? null),
    until: until === undefined ? null : formatTimestamp(until),
    statuses: statedIn(changes, "account_status"),
    products: statedIn(changes, "product_type"),
    records: counts,
    erased,
    to_be_erased: open,
    confidential,
  };
}

function relationshipOf(facts: {
  readonly hasRecord: boolean;
  readonly isClosed: boolean;
  readonly wasErased: boolean;
  readonly isNamed: boolean;
}): SubjectAnswer["relationship"] {
  if (facts.hasRecord) return facts.isClosed ? "existed" : "exists";
  if (facts.wasErased) return "existed";
  return facts.isNamed ? "named" : "none";
}

async function countRecords(app: App, request: SubjectRequest): Promise<readonly CountedType[]> {
  const counts = new Map<
    string,
    { records: number; first: NormalisedTimestamp; last: NormalisedTimestamp }
  >();
  for await (const keys of findKeys(app, request)) {
    for (let at = 0; at < keys.length; at += readAtOnce) {
      const part = keys.slice(at, at + readAtOnce);
      const seen = await Promise.all(part.map((key) => app.store.findRecord(key)));
      for (const [index, sighting] of seen.entries()) {
        if (sighting === undefined) continue;
        const { firstSeen, lastSeen } = sighting;
        const name = part[index]?.resourceType ?? "";
        const known = counts.get(name) ?? { records: 0, first: firstSeen, last: lastSeen };
        counts.set(name, {
          records: known.records + 1,
          first: firstSeen < known.first ? firstSeen : known.first,
          last: lastSeen > known.last ? lastSeen : known.last,
        });
      }
    }
  }
  return Array.from(counts, ([resource_type, { records, first, last }]) => ({
    resource_type,
    records,
    first_seen: formatTimestamp(first),
    last_seen: formatTimestamp(last),
  })).sort((one, other) => (one.resource_type < other.resource_type ? -1 : 1));
}

/** The values that a field had in any change, in the order of their first statement. */
function statedIn(changes: readonly Change[], field: string): readonly StatedValue[] {
  const found = new Map<string, { first: NormalisedTimestamp; last: NormalisedTimestamp }>();
  for (const { payload: text } of changes) {
    const payload: Payload = JSON.parse(text);
    const value = payload[field];
    const at = timestampOf(payload);
    if (typeof value !== "string" || at === undefined) continue;
    const known = found.get(value) ?? { first: at, last: at };
    found.set(value, {
      first: at < known.first ? at : known.first,
      last: at > known.last ? at : known.last,
    });
  }
  return Array.from(found)
    .sort(([, one], [, other]) => (one.first < other.first ? -1 : 1))
    .map(([value, { first, last }]) => ({
      value,
      first_stated: formatTimestamp(first),
      last_stated: formatTimestamp(last),
    }));
}

/** The deletions of the subject itself: completed ones with the numbers of their receipts, and those that are open. */
async function readErasures(
  app: App,
  { organizationId, resourceType, resourceId }: RecordKey,
): Promise<{ readonly erased: readonly Erasure[]; readonly open: readonly Erasure[] }> {
  const erased: Erasure[] = [];
  const open: Erasure[] = [];
  for await (const page of deletionPages(app)) {
    for (const deletion of page) {
      const isOwn =
        deletion.organizationId === organizationId &&
        deletion.resourceType === resourceType &&
        deletion.resourceId === resourceId;
      if (!isOwn || deletion.status === "cancelled" || erased.length >= erasuresMax) continue;
      const { deletionRequestId, requestedAt, completedAt } = deletion;
      const request = {
        deletion_request_id: deletionRequestId,
        requested_at: new Date(requestedAt).toISOString(),
      };
      if (completedAt === undefined) open.push(request);
      else {
        const receipt = await app.store.findReceipt(deletionRequestId, organizationId);
        erased.push({
          ...request,
          completed_at: new Date(completedAt).toISOString(),
          ...(receipt === undefined ? {} : { receipt_no: receipt.receipt_no }),
        });
      }
    }
  }
  return { erased, open };
}

const sentences: Readonly<Record<SubjectAnswer["relationship"], string>> = {
  exists: "A business relationship exists.",
  existed: "A business relationship existed, and has ended.",
  named: "There is no record of the subject itself; other records name it.",
  none: "Nothing is known of a business relationship with this id.",
};

/** The parts of the document: a heading each, and lines of text. */
export function describeAnswer(
  answer: SubjectAnswer,
): readonly (readonly [heading: string, lines: readonly string[]])[] {
  const { from, until } = answer;
  return [
    [
      "Asked",
      [
        `Organization: ${answer.organization_name} (${answer.organization_id})`,
        `Subject: ${answer.resource_type} ${answer.resource_id}`,
        `Answered ${answer.answered_at} by ${answer.answered_by}. Reason: ${answer.reason}`,
      ],
    ],
    [
      "Relationship",
      [
        sentences[answer.relationship],
        ...(from === null ? [] : [`From ${from}${until === null ? "" : ` until ${until}`}`]),
        ...answer.statuses.map(describeStated("Account status")),
        ...answer.products.map(describeStated("Product")),
      ],
    ],
    [
      "Records",
      answer.records.map(
        ({ resource_type, records, first_seen, last_seen }) =>
          `${resource_type}: ${records}, from ${first_seen} to ${last_seen}`,
      ),
    ],
    ["Erased", answer.erased.map(describeErasure)],
    ["To be erased", answer.to_be_erased.map(describeErasure)],
    [
      "What this says and does not say",
      [
        "It is about records with this id in this organization, as they are stored now.",
        "Of what was erased, only the request and its receipt remain.",
        answer.confidential
          ? "It includes confidential reports: do not pass it on to anybody who may not know of them."
          : "Confidential reports are not included, and it does not say whether there are any.",
      ],
    ],
  ];
}

function describeStated(what: string): (stated: StatedValue) => string {
  return ({ value, first_stated, last_stated }) =>
    `${what} ${value}, stated from ${first_stated} to ${last_stated}`;
}

function describeErasure(erasure: Erasure): string {
  const { deletion_request_id: id, requested_at, completed_at, receipt_no } = erasure;
  const receipt = receipt_no === undefined ? "" : `, receipt ${receipt_no}`;
  if (completed_at === undefined) return `Requested ${requested_at} (${id})`;
  return `Requested ${requested_at}, erased ${completed_at} (${id}${receipt})`;
}
