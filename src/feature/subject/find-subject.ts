// Finds everything that is stored about a person or a company: its record, what belongs to it or mentions it at any
// depth, and the transactions that name it as sender or receiver, with what belongs to them; for officers also in
// restricted sets. Yields pages of keys. Keeps in memory one page for each level, and a short hash of each record that
// could be reached twice.

import { Turns } from "../../basics/turns.ts";
import { hash } from "node:crypto";
import type { App } from "../../actions/app.ts";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import { readPages, setPages } from "../../actions/pages.ts";
import { findType, nameTarget } from "../../actions/record/find-named-record.ts";
import { isPartyType, partyTypes } from "../../domain/deletion/party.ts";
import type { KeptReference } from "../../domain/deletion/restricted-set.ts";
import type { RecordType } from "../../domain/record-type.ts";
import { nounOf } from "../../domain/record-types.ts";
import { keyText, type RecordKey } from "../../domain/record/record-write.ts";
import { operatorErrors } from "./rows.ts";

const recordsAtOnce = 500;

type Referrer = Awaited<ReturnType<App["store"]["listReferrers"]>>[number];

export interface SubjectQuery extends RecordKey {
  /** Types that are left out, with everything that is reached only through them. */
  readonly leftOut: ReadonlySet<string>;
  /** Whether restricted sets are searched too. Their records have the id of the set as their organization id. */
  readonly restricted: boolean;
  /** The search fails if it has to read more transactions of one organization or set than this. */
  readonly searchedMax?: number | undefined;
}

/** Throws OperatorError no_such_type, and invalid for a type that is neither a person nor a company. */
export function requireParty(name: string): RecordType {
  const type = findType(name);
  if (isPartyType(name)) return type;
  const parties = partyTypes.map(({ resourceType }) => resourceType).join(" or a ");
  throw new OperatorError("invalid", `A subject is a ${parties}, not a ${nounOf(name)}.`, {
    context: { isRecord: true },
  });
}

/** Somebody without an own record, whom others refer to, is a subject too. Throws OperatorError no_such_record. */
export async function requireSubject(
  key: RecordKey,
  findKeys: () => AsyncGenerator<readonly RecordKey[]>,
): Promise<void> {
  for await (const keys of findKeys()) if (keys.length > 0) return;
  throw new OperatorError(
    "no_such_record",
    `There is no ${nameTarget(key)}, and nothing that may be shown refers to it.`,
  );
}

/** Those of all reads about subjects, which take longer the more there is: others are served between two steps. */
export const subjectTurns = new Turns();

/** Lists of records of one type and organization or set, each record once; the subject first. */
export async function* findSubject(
  app: App,
  query: SubjectQuery,
): AsyncGenerator<readonly RecordKey[]> {
  for await (const keys of findAll(app, query)) {
    await subjectTurns.next(query.organizationId);
    yield keys;
  }
}

async function* findAll(app: App, query: SubjectQuery): AsyncGenerator<readonly RecordKey[]> {
  const search = new SubjectSearch(app, query);
  yield* search.search(query.organizationId);
  if (!query.restricted) return;
  for await (const page of setPages(app, query.organizationId)) {
    for (const { deletionRequestId: set } of page) {
      yield* search.search(set);
      yield* search.followKept(set);
    }
  }
}

class SubjectSearch {
  readonly #app: App;
  readonly #query: SubjectQuery;
  /** The records that were yielded, and those whose referrers were followed. */
  readonly #yielded = new KeySet();
  readonly #followed = new KeySet();

  constructor(app: App, query: SubjectQuery) {
    this.#app = app;
    this.#query = query;
  }

  async *search(place: string): AsyncGenerator<readonly RecordKey[]> {
    const { resourceType, resourceId } = this.#query;
    const subject = { organizationId: place, resourceType, resourceId };
    // In a closed organization, every type may be left out.
    if (this.#query.leftOut.has(resourceType)) return;
    if ((await this.#app.store.findRecord(subject)) !== undefined && this.#yielded.add(subject)) {
      yield [subject];
    }
    yield* this.follow([subject]);
    yield* this.followNamings(place);
  }

  /** Follows the reports in this set that named the subject, or a record of the set, before it was moved. */
  async *followKept(set: string): AsyncGenerator<readonly RecordKey[]> {
    const limit = recordsAtOnce;
    const pages = readPages<KeptReference>(limit, (after) =>
      this.#app.store.restricted.listReferences({ set, after, limit }),
    );
    for await (const page of pages) {
      for (const { fromType, fromId, fromSet, toType, toId } of page) {
        const to = { organizationId: set, resourceType: toType, resourceId: toId };
        const isSubject = toType === this.#query.resourceType && toId === this.#query.resourceId;
        if (!isSubject && !this.#yielded.has(to)) continue;
        const organizationId = fromSet ?? this.#query.organizationId;
        const report = { organizationId, resourceType: fromType, resourceId: fromId };
        if (!this.#yielded.add(report)) continue;
        yield [report];
        yield* this.follow([report]);
      }
    }
  }

  /** Follows what refers to these records of one type and place; what only mentions one is not followed further. */
  async *follow(records: readonly RecordKey[]): AsyncGenerator<readonly RecordKey[]> {
    const { leftOut } = this.#query;
    const { resourceType = "", organizationId = "" } = records[0] ?? {};
    const resourceIds = records.map(({ resourceId }) => resourceId);
    const limit = recordsAtOnce;
    const pages = readPages<Referrer>(limit, (after) =>
      this.#app.store.listReferrers({ organizationId, resourceType, resourceIds, after, limit }),
    );
    for await (const page of pages) {
      const wanted = page.filter((referrer) => !leftOut.has(referrer.resourceType));
      for (const [type, found] of Map.groupBy(wanted, (referrer) => referrer.resourceType)) {
        const keys = found.map(({ resourceId, kind }) => {
          return { kind, key: { organizationId, resourceType: type, resourceId } };
        });
        const fresh = keys.filter(({ key }) => this.#yielded.add(key)).map(({ key }) => key);
        if (fresh.length > 0) yield fresh;
        const belonging = keys
          .filter(({ kind, key }) => kind === "belongs" && this.#followed.add(key))
          .map(({ key }) => key);
        if (belonging.length > 0) yield* this.follow(belonging);
      }
    }
  }

  /** Yields the records that name the subject. Throws OperatorError too_much_to_search. */
  async *followNamings(organizationId: string): AsyncGenerator<readonly RecordKey[]> {
    const { resourceId: party, leftOut, searchedMax } = this.#query;
    let searched = 0;
    const recordsMax = recordsAtOnce;
    let after: number | undefined;
    do {
      const page = await this.#app.store.readNamings({ organizationId, party, after, recordsMax });
      searched += page.namings.length;
      requireFewer(searched, searchedMax);
      const wanted = page.namings.filter(({ resourceType }) => !leftOut.has(resourceType));
      const keys = wanted.map(({ resourceType, resourceId }) => {
        return { organizationId, resourceType, resourceId };
      });
      const fresh = keys.filter((key) => this.#yielded.add(key));
      if (fresh.length > 0) {
        yield fresh;
        yield* this.follow(fresh);
      }
      after = page.last;
    } while (after !== undefined);
  }
}

function requireFewer(searched: number, searchedMax = Number.POSITIVE_INFINITY): void {
  if (searched <= searchedMax) return;
  throw new OperatorError(
    operatorErrors.too_much_to_search,
    `There are more than ${searchedMax} transactions that may name the subject, and each would have to be read. ` +
      "That takes too long for a page: ask on the command line of the server.",
  );
}

// The keys that were seen: a text of 12 bytes of a hash for each. Two equal ones would need about 2^48 records.

const hashCharacters = 12;

class KeySet {
  /** The keys are first bytes: one set has at most 2^24 entries. */
  readonly #sets = new Map<string, Set<string>>();

  has(key: RecordKey): boolean {
    const text = hashOf(key);
    return this.#setOf(text).has(text);
  }

  /** False if the set already contains the key. */
  add(key: RecordKey): boolean {
    const text = hashOf(key);
    const set = this.#setOf(text);
    if (set.has(text)) return false;
    set.add(text);
    return true;
  }

  #setOf(text: string): Set<string> {
    const [first = ""] = text;
    const set = this.#sets.get(first) ?? new Set();
    this.#sets.set(first, set);
    return set;
  }
}

/** A byte in each character. */
function hashOf(key: RecordKey): string {
  return hash("sha256", keyText(key), "buffer").toString("latin1", 0, hashCharacters);
}
