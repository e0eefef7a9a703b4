// The answer to an authority that asks about a person or a company: whether a relationship exists or existed, from when
// to when, of what nature, and what was erased when. Record content: only statuses, products, name, date of birth.

import { findOrganization } from "../../actions/access/find-organization.ts";
import { mayStateRecords } from "../../actions/access/closed-organization.ts";
import type { App } from "../../actions/app.ts";
import { requireReason } from "../../actions/operator/operator-error.ts";
import { requireRight, showing } from "../../actions/operator/viewer.ts";
import { auditAccess } from "../../actions/trail/audit-access.ts";
import type { Organization } from "../../domain/access.ts";
import { organizationType } from "../../domain/deletion/organization-deletion.ts";
import { aloneNo } from "../../domain/deletion/receipt.ts";
import type { RecordType } from "../../domain/record-type.ts";
import { formatTimestamp } from "../../domain/timestamp.ts";
import { requireParty } from "./find-subject.ts";
import { type OwnRecord, readOwn, type Span, type StatedValue, widen } from "./own-record.ts";
import { findKeys, readDeletionsOf, readEach, type SubjectRequest } from "./read-subject.ts";
import { rights } from "./rows.ts";

export interface AnswerRequest extends SubjectRequest {
  readonly reason: string;
}

interface CountedType {
  readonly resource_type: string;
  readonly records: number;
  readonly first_seen: string;
  readonly last_seen: string;
}

export interface Erasure {
  /** Either all records of a closed organization, or the subject. */
  readonly of: "organization" | "subject";
  readonly deletion_request_id: string;
  readonly requested_at: string;
  readonly completed_at?: string;
  /** Missing for a receipt that is in no chain. */
  readonly receipt_no?: number;
}

type Relationship = "exists" | "existed" | "applied" | "erased" | "named" | "none" | "not_stated";

/** What an answer states of the stored records. It is complete unless some products or deletions were left out. */
interface Stored extends Pick<OwnRecord, "statuses" | "products" | "roles" | "complete"> {
  /**
   * `applied`: no account was approved, as far as the record says. `erased`: there was a record, perhaps only of an
   * application. `named`: the subject has no record of its own and had none, but other records name it.
   * `not_stated`: the organization is closed (closed-organization.ts).
   */
  readonly relationship: Relationship;
  /** What the record says now, or null. `born`: the date of birth, or of the incorporation. */
  readonly name: string | null;
  readonly born: string | null;
  readonly from: string | null;
  readonly until: string | null;
  readonly records: readonly CountedType[];
  readonly erased: readonly Erasure[];
  readonly to_be_erased: readonly Erasure[];
}

export interface SubjectAnswer extends Stored {
  readonly organization_id: string;
  readonly organization_name: string;
  readonly organization_closed_at: string | null;
  readonly resource_type: string;
  readonly resource_id: string;
  readonly answered_at: string;
  readonly answered_by: string;
  readonly reason: string;
  readonly confidential: boolean;
}

/** Further deletions of one subject are left out, and the answer says so. */
export const erasuresMax = 1_000;

/** An unknown subject gets an answer, too. Throws OperatorError invalid unless it is a person or a company. */
export async function answerSubject(app: App, request: AnswerRequest): Promise<SubjectAnswer> {
  const right = rights["subject.answer"];
  requireRight(app, right);
  const { organizationId, resourceType, resourceId, reason, confidential } = request;
  const shown = showing(app, { includeConfidential: confidential });
  const type = requireParty(resourceType);
  requireReason(reason);
  const organization = await findOrganization(app, organizationId);
  const key = { organizationId, resourceType, resourceId };
  const detail = { reason, confidential };
  await auditAccess(app, right, { organizationId, subject: key, detail });
  const { closedAt } = organization;
  const isStated = await mayStateRecords(shown, organization);
  return {
    organization_id: organizationId,
    organization_name: organization.name,
    organization_closed_at: closedAt === undefined ? null : new Date(closedAt).toISOString(),
    resource_type: resourceType,
    resource_id: resourceId,
    answered_at: new Date(app.now()).toISOString(),
    answered_by: app.operator,
    reason,
    ...(isStated ? await readStored(app, request, { type, organization }) : notStated),
    confidential,
  };
}

const notStated: Stored = {
  relationship: "not_stated",
  name: null,
  born: null,
  from: null,
  until: null,
  statuses: [],
  products: [],
  roles: [],
  records: [],
  erased: [],
  to_be_erased: [],
  complete: true,
};

async function readStored(
  app: App,
  request: AnswerRequest,
  { type, organization }: { readonly type: RecordType; readonly organization: Organization },
): Promise<Stored> {
  const { organizationId, resourceType, resourceId } = request;
  const stated = { ...request, evenClosed: true };
  const counts = await countRecords(app, stated);
  const own = await readOwn(app, { organizationId, resourceType, resourceId }, type);
  const { until = null, statuses = [], products = [], roles = [] } = own ?? {};
  // The progress of the deletion of a closed organization is for readers of confidential records.
  const whole = { ...request, resourceType: organizationType, resourceId: organizationId };
  const lists = [
    await readErasures(app, stated, "subject"),
    organization.closedAt === undefined ? [] : await readErasures(app, whole, "organization"),
  ];
  const erasures = lists.flatMap((list) => list.slice(0, erasuresMax));
  // Normalised timestamps sort as text, and formatted ones do not.
  const [first] = Array.from(counts.values(), (count) => count.first).sort();
  return {
    relationship: relationshipOf(own, {
      // A deletion can be requested only of a record that is there, and takes as long as it has to.
      wasThere: erasures.some((erasure) => erasure.of === "subject"),
      isNamed: counts.size > 0,
      now: app.now(),
    }),
    name: own?.traits.name ?? null,
    born: own?.traits.born ?? null,
    from: own === undefined || first === undefined ? null : formatTimestamp(first),
    until,
    statuses,
    products,
    roles,
    records: listCounts(counts),
    erased: erasures.filter(({ completed_at }) => completed_at !== undefined),
    to_be_erased: erasures.filter(({ completed_at }) => completed_at === undefined),
    complete: own?.complete !== false && lists.every(({ length }) => length <= erasuresMax),
  };
}

function relationshipOf(
  own: OwnRecord | undefined,
  { wasThere, isNamed, now }: Readonly<{ wasThere: boolean; isNamed: boolean; now: number }>,
): SubjectAnswer["relationship"] {
  if (own !== undefined) {
    if (hasOnlyApplied(own)) return "applied";
    // A closing can be stated ahead.
    return own.until === undefined || Date.parse(own.until) > now ? "exists" : "existed";
  }
  if (wasThere) return "erased";
  return isNamed ? "named" : "none";
}

const beforeApproval = new Set(["PENDING", "REJECTED"]);

/** An application can be closed, too, without an account that was ever approved. */
function hasOnlyApplied({ statuses }: OwnRecord): boolean {
  const applied = statuses.filter(({ value }) => beforeApproval.has(value));
  const others = statuses.filter(({ value }) => !beforeApproval.has(value));
  const first = Math.min(...applied.map(startOf));
  return (
    applied.length > 0 && others.every((one) => one.value === "CLOSED" && startOf(one) >= first)
  );
}

function startOf({ first_stated }: StatedValue): number {
  return Date.parse(first_stated);
}

type Counts = ReadonlyMap<string, Span & { readonly records: number }>;

async function countRecords(app: App, request: SubjectRequest): Promise<Counts> {
  const counts = new Map<string, Span & { readonly records: number }>();
  const lists = readEach(findKeys(app, request), async (key) => {
    const seen = await app.store.findRecord(key);
    return seen && { type: key.resourceType, first: seen.firstSeen, last: seen.lastSeen };
  });
  for await (const list of lists) {
    for (const { type, ...span } of list) {
      const known = counts.get(type);
      counts.set(type, { ...widen(known, span), records: (known?.records ?? 0) + 1 });
    }
  }
  return counts;
}

function listCounts(counts: Counts): readonly CountedType[] {
  return Array.from(counts, ([resource_type, { records, first, last }]) => ({
    resource_type,
    records,
    first_seen: formatTimestamp(first),
    last_seen: formatTimestamp(last),
  })).sort((one, other) => (one.resource_type < other.resource_type ? -1 : 1));
}

/** Open or completed deletions, oldest first, and one too many if there are too many. */
async function readErasures(
  app: App,
  request: SubjectRequest,
  of: Erasure["of"],
): Promise<readonly Erasure[]> {
  const erasures: Erasure[] = [];
  for await (const page of readDeletionsOf(app, request)) {
    for (const { deletion_request_id, status, requested_at, completed_at } of page) {
      if (status === "cancelled" || erasures.length > erasuresMax) continue;
      const receipt = await app.store.findReceipt(deletion_request_id, request.organizationId);
      const { receipt_no = aloneNo } = receipt ?? {};
      erasures.push({
        of,
        deletion_request_id,
        requested_at,
        ...(completed_at === undefined ? {} : { completed_at }),
        ...(receipt_no === aloneNo ? {} : { receipt_no }),
      });
    }
  }
  return erasures.sort((one, other) => (one.requested_at < other.requested_at ? -1 : 1));
}
