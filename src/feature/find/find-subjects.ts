// Finds persons and companies by name, date of birth, e-mail, telephone, and numbers of documents and registers, for
// officers who answer an inquiry. The audit trail records the reason and the kinds of criteria, never their values.

import type { Organization } from "../../domain/access.ts";
import type { RecordKey } from "../../domain/record/record-write.ts";
import { formatTimestamp } from "../../domain/timestamp.ts";
import type { FoundToken } from "./store/tokens.ts";
import { Turns } from "../../basics/turns.ts";
import { actOf, type App } from "../../actions/app.ts";
import { findOrganization } from "../../actions/access/find-organization.ts";
import { requireReason } from "../../actions/operator/operator-error.ts";
import { requireRight } from "../../actions/operator/viewer.ts";
import { indexArrivals, indexNext, requireKeys } from "./build-index.ts";
import { mayStateRecords } from "../../actions/access/closed-organization.ts";
import { historyPages } from "../../actions/pages.ts";
import { findType } from "../../actions/record/find-named-record.ts";
import { StateFold } from "../../domain/record/merge.ts";
import { type PartyTraits, traitsOf } from "../../domain/record/party-traits.ts";
import { type SimilarTerm, termsOfSimilarName } from "./name-terms.ts";
import { actions, rights } from "./rows.ts";
import { persons } from "./store/part.ts";
import { loadTelephoneReader, makeTerm } from "./value-terms.ts";
import {
  type Criterion,
  criteria,
  readWanted,
  type Wanted,
  type WantedTerm,
} from "./value-terms.ts";

export interface SubjectSearch {
  readonly organizationId: string;
  readonly reason: string;
  readonly wanted: Wanted;
}

export interface SubjectMatch {
  readonly criterion: Criterion;
  readonly match: "exact" | "partial" | SimilarTerm["rule"];
  readonly field: string;
  /** Whether the value is no longer in the latest state of the record. */
  readonly former: boolean;
}

export interface FoundSubject {
  readonly resource_type: string;
  readonly resource_id: string;
  readonly first_seen: string;
  readonly last_seen: string;
  readonly matched: readonly SubjectMatch[];
}

export interface SubjectsFound {
  readonly subjects: readonly FoundSubject[];
  /** How many there are, of which at most 100 are listed. */
  readonly total: number;
  /** Whether more records were not considered, because too many have one of the values. */
  readonly more: boolean;
  /** Others with a similar name, and by which rule. */
  readonly similar: readonly FoundSubject[];
  readonly moreSimilar: boolean;
  /** Why records may be missing; undefined if the index is complete. */
  readonly incomplete: string | undefined;
}

/** How many subjects are listed. */
const subjectsMax = 100;

/** How many records are considered for each value. */
const recordsMax = 1_000;
/** Most names have so few spellings that 1,000 records are considered for each value. */
const rowsMax = 20_000;
/** How many rows are read for all similar names, and how many of their records are shown. */
const similarRowsMax = 1_000;
const similarMax = 50;
/** Others are served between two steps of a search for similar names, such as 256 of its thousands of hashes. */
const searchTurns = new Turns();
const hashesPerTurn = 256;
/** How many steps a search takes to complete the index before it answers. */
const stepsMax = 32;

/**
 * Exact matches come first, and those of more criteria before those of fewer. Throws OperatorError not_permitted,
 * invalid, no_such_organization and search_key.
 */
export async function findSubjects(app: App, search: SubjectSearch): Promise<SubjectsFound> {
  const { organizationId, reason, wanted } = search;
  requireRight(app, rights["subject.find"]);
  requireReason(reason);
  const terms = readWanted(wanted, await loadTelephoneReader());
  const organization = await findOrganization(app, organizationId);
  const by = criteria.filter((criterion) => terms.some((term) => term.criterion === criterion));
  const { name: action } = actions["subject.find"];
  const note = { action, organizationId, subject: organizationId, detail: { reason, by } };
  // The search takes as long as syncing the entry; nothing is returned before both have ended.
  const [audited, found] = await Promise.allSettled([
    app.store.trail.note(note, actOf(app)),
    findPage(app, search, { organization, terms }),
  ]);
  if (audited.status === "rejected") throw audited.reason;
  if (found.status === "rejected") throw found.reason;
  return found.value;
}

export interface DescribedSubjects extends SubjectsFound {
  readonly subjects: readonly (FoundSubject & PartyTraits)[];
  readonly similar: readonly (FoundSubject & PartyTraits)[];
}

/** How many parts of a history are read at most; what was said only before them is not known. */
const partsMax = 4;

/** Like `findSubjects`, with what distinguishes people of the same name. */
export async function findDescribed(app: App, search: SubjectSearch): Promise<DescribedSubjects> {
  const found = await findSubjects(app, search);
  const { organizationId } = search;
  const addTraits = async (one: FoundSubject) => {
    const { resource_type: resourceType, resource_id: resourceId } = one;
    return { ...one, ...(await readTraits(app, { organizationId, resourceType, resourceId })) };
  };
  const subjects = await Promise.all(found.subjects.map(addTraits));
  return { ...found, subjects, similar: await Promise.all(found.similar.map(addTraits)) };
}

async function readTraits(app: App, key: RecordKey): Promise<PartyTraits> {
  const fold = new StateFold(findType(key.resourceType));
  let parts = 0;
  for await (const part of historyPages(app, key)) {
    for (const change of part) fold.add(change);
    parts += 1;
    if (parts === partsMax) break;
  }
  return traitsOf(fold.state());
}

/** What is found in a closed organization without the right to know more. */
const unstated: SubjectsFound = {
  subjects: [],
  total: 0,
  more: false,
  similar: [],
  moreSimilar: false,
  incomplete:
    "The organization is closed, and only a search that includes what is confidential says who is or was stored in it.",
};

const leftOut =
  "The others were left out, because many have the same value. Add further criteria before you answer that somebody is unknown.";

export const leftOutSimilar = "More have a similar name than are listed: search for each spelling.";

/** Says why there are no subjects. Nobody was found only if all of them were searched. */
export function describeNobody({ total, incomplete }: SubjectsFound): string {
  return total === 0 && incomplete === undefined ? "Nobody was found." : "Nobody is shown.";
}

/** Says that some were left out; undefined if none were. */
export function describeLeftOut({ total, more }: SubjectsFound): string | undefined {
  if (total <= subjectsMax && !more) return undefined;
  return `${Math.min(total, subjectsMax)} of ${more ? "at least " : ""}${total} are listed. ${leftOut}`;
}

async function findPage(
  app: App,
  { organizationId, wanted: { name } }: SubjectSearch,
  {
    organization,
    terms,
  }: { readonly organization: Organization; readonly terms: readonly WantedTerm[] },
): Promise<SubjectsFound> {
  if (!(await mayStateRecords(app, organization))) return unstated;
  const incomplete = await complete(app, organizationId);
  const keys = requireKeys(app);
  const { tokens, more } = await app.store.of(persons).find({
    organizationId,
    hashes: terms.map(({ term }) => keys.hash(organizationId, term)),
    recordsMax,
    rowsMax,
  });
  const ranked = rank(tokens, terms);
  const { similar, isCut } =
    name === undefined
      ? { similar: [], isCut: false }
      : await findSimilar(app, organizationId, { name, ranked });
  return {
    subjects: await describeAll(app, organizationId, ranked.slice(0, subjectsMax)),
    total: ranked.length,
    more,
    similar: await describeAll(app, organizationId, similar.slice(0, similarMax)),
    moreSimilar: isCut || similar.length > similarMax,
    incomplete,
  };
}

/** Those with a similar name that are not `ranked`. */
async function findSimilar(
  app: App,
  organizationId: string,
  { name, ranked }: { readonly name: string; readonly ranked: readonly Ranked[] },
): Promise<{ readonly similar: readonly Ranked[]; readonly isCut: boolean }> {
  await searchTurns.next(organizationId);
  const terms = termsOfSimilarName(name);
  const hashes = await hashInTurns(app, organizationId, terms);
  const query = { organizationId, hashes, rowsMax: similarRowsMax };
  const tokens = hashes.length === 0 ? [] : await app.store.of(persons).findAny(query);
  const similar = new Map<string, Ranked>();
  const rankedNames = new Set(ranked.map(nameOf));
  for (const { at, field, former, ...key } of tokens.toSorted((one, other) => one.at - other.at)) {
    const rule = terms[at]?.rule;
    if (rule === undefined || rankedNames.has(nameOf(key)) || similar.has(nameOf(key))) continue;
    similar.set(nameOf(key), {
      ...key,
      matched: [{ criterion: "name", match: rule, field, former }],
    });
  }
  return { similar: [...similar.values()], isCut: tokens.length === similarRowsMax };
}

async function hashInTurns(
  app: App,
  organizationId: string,
  terms: readonly SimilarTerm[],
): Promise<readonly Uint8Array[]> {
  const keys = requireKeys(app);
  const hashes: Uint8Array[] = [];
  for (let at = 0; at < terms.length; at += hashesPerTurn) {
    await searchTurns.next(organizationId);
    const some = terms.slice(at, at + hashesPerTurn);
    hashes.push(...some.map((term) => keys.hash(organizationId, makeTerm(term))));
  }
  return hashes;
}

async function complete(app: App, organizationId: string): Promise<string | undefined> {
  // What was acknowledged may not be settled yet.
  await app.store.latestArrival();
  for (let step = 0; step < stepsMax; step += 1) if (!(await indexNext(app))) return undefined;
  if (await indexArrivals(app, { organizationId, stepsMax })) return undefined;
  return "The index is being made; persons and companies may be missing, or their latest changes.";
}

interface Ranked extends Pick<RecordKey, "resourceType" | "resourceId"> {
  readonly matched: readonly SubjectMatch[];
}

function rank(tokens: readonly FoundToken[], terms: readonly WantedTerm[]): readonly Ranked[] {
  const given = new Set(terms.map(({ criterion }) => criterion));
  const byRecord = Map.groupBy(tokens, nameOf);
  return [...byRecord]
    .map(([name, own]) => {
      const { resourceType = "", resourceId = "" } = own[0] ?? {};
      const matched = matchesOf(own, terms);
      return { name, weight: weigh(matched), resourceType, resourceId, matched };
    })
    .filter(({ matched }) => isTelling(matched, given))
    .sort((one, other) => other.weight - one.weight || (one.name < other.name ? -1 : 1));
}

/** Types contain no space. */
function nameOf({ resourceType, resourceId }: Omit<Ranked, "matched">): string {
  return `${resourceType} ${resourceId}`;
}

function matchesOf(
  own: readonly FoundToken[],
  terms: readonly WantedTerm[],
): readonly SubjectMatch[] {
  const best = new Map<Criterion, SubjectMatch>();
  for (const { at, field, former } of own) {
    const term = terms[at];
    if (term === undefined) continue;
    const { criterion, exact } = term;
    const match = { criterion, match: exact ? "exact" : "partial", field, former } as const;
    const known = best.get(criterion);
    if (known === undefined || weigh([match]) > weigh([known])) best.set(criterion, match);
  }
  return criteria.flatMap((criterion) => best.get(criterion) ?? []);
}

/** Many people have the same date of birth, so it is significant only with another match, or alone. */
function isTelling(matched: readonly SubjectMatch[], given: ReadonlySet<Criterion>): boolean {
  return given.size === 1 || matched.some(({ criterion }) => criterion !== "born");
}

/** The number of matching criteria comes first, then exactness, then whether values are current. */
function weigh(matched: readonly SubjectMatch[]): number {
  return matched.reduce(
    (sum, { match, former }) => sum + 100 + (match === "exact" ? 10 : 0) + (former ? 0 : 1),
    0,
  );
}

async function describeAll(
  { store }: App,
  organizationId: string,
  page: readonly Ranked[],
): Promise<readonly FoundSubject[]> {
  const subjects = await Promise.all(
    page.map(async ({ resourceType, resourceId, matched }) => {
      const seen = await store.findRecord({ organizationId, resourceType, resourceId });
      return (
        seen && {
          resource_type: resourceType,
          resource_id: resourceId,
          first_seen: formatTimestamp(seen.firstSeen),
          last_seen: formatTimestamp(seen.lastSeen),
          matched,
        }
      );
    }),
  );
  return subjects.filter((subject) => subject !== undefined);
}
