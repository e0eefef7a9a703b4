// The query of the feed: what a reader asks for, and which part of it the reader may read.

import type { Identity } from "../../actions/access/caller-cache.ts";
import { requireScope } from "../../actions/access/identify-caller.ts";
import type { OffsetCipher } from "../../actions/change/offset.ts";
import { mayRead } from "../../domain/confidentiality.ts";
import { AppError } from "../../domain/error.ts";
import type { RecordType } from "../../domain/record-type.ts";
import { recordTypeByName, recordTypes } from "../../domain/record-types.ts";
import { adviseName } from "../../domain/validation/suggest.ts";
import { type Cursor, readStart } from "./position.ts";
import type { FeedView } from "./read-changes.ts";

export const liveModes = ["long-poll", "sse"] as const;
export type LiveMode = (typeof liveModes)[number];

export interface ChangeQuery {
  readonly view: FeedView;
  readonly from: Cursor | undefined;
  readonly live: LiveMode | undefined;
  readonly cursor: number;
}

type Query = Readonly<Record<string, unknown>>;

/** Throws AppError validation_failed, and insufficient_scope for content or a type that the token may not read. */
export function readChangeQuery(query: Query, caller: Identity, cipher: OffsetCipher): ChangeQuery {
  const { organizationId } = caller;
  const live = readLive(query);
  const offset = readText(query, "offset");
  if (live !== undefined && offset === undefined) {
    throw invalid("offset", `is required with live: -1, now, or one that was received`);
  }
  const cursor = Number(readText(query, "cursor") ?? 0);
  return {
    view: readView(query, caller),
    from: readStart(offset ?? "-1", { organizationId, cipher, refuse }),
    live,
    cursor: Number.isSafeInteger(cursor) ? cursor : 0,
  };
}

const refuse = () => invalid("offset", "must be -1, now, or an offset that this feed has returned");

function readView(query: Query, caller: Identity): FeedView {
  const { organizationId } = caller;
  const readable = recordTypes.filter((type) => mayRead(caller, type));
  const wanted = readTypes(query);
  for (const { family } of wanted ?? []) requireScope(caller, `${family}:read`);
  const include = readText(query, "include");
  if (include !== undefined && include !== "content") throw invalid("include", "must be content");
  if (include === "content") requireScope(caller, "changes:content");
  return {
    organizationId,
    readable: readable.map(({ resourceType }) => resourceType),
    types: (wanted ?? readable).map(({ resourceType }) => resourceType),
    content: include === "content",
  };
}

/** Throws AppError insufficient_scope if the caller may no longer read all that it has asked for. */
export function requireView({ readable, content }: FeedView, caller: Identity): void {
  requireScope(caller, "changes:read");
  if (content) requireScope(caller, "changes:content");
  const families = recordTypes.filter(({ resourceType }) => readable.includes(resourceType));
  for (const { family } of families) requireScope(caller, `${family}:read`);
}

function readTypes(query: Query): readonly RecordType[] | undefined {
  const names = readText(query, "types")?.split(",");
  const types = names?.map((name) => {
    const type = recordTypeByName(name);
    if (type !== undefined) return type;
    const all = recordTypes.map(({ resourceType }) => resourceType);
    throw invalid("types", `must be record types, separated by commas${adviseName(name, all)}`);
  });
  return types === undefined ? undefined : [...new Set(types)];
}

function readLive(query: Query): LiveMode | undefined {
  const live = readText(query, "live");
  if (live === undefined) return undefined;
  const mode = liveModes.find((known) => known === live);
  if (mode === undefined) throw invalid("live", `must be ${liveModes.join(" or ")}`);
  return mode;
}

function readText(query: Query, name: string): string | undefined {
  const value = query[name];
  if (value === undefined || typeof value === "string") return value;
  throw invalid(name, "must be given once");
}

function invalid(field: string, message: string): AppError {
  return new AppError("validation_failed", {
    message: "The query is not valid.",
    errors: [{ field, message }],
  });
}
