// The parts of a schema (tables, columns, keys, indexes and so on), each with a text that describes it, and how those
// of a store differ from those that it should have: a dump that was restored in part may lack some. Each engine reads
// both in the same form.

import type { IntegrityReport } from "../interface/store.ts";
import { StoreError } from "../interface/store-error.ts";
import { sluice } from "../../basics/program-name.ts";

export interface SchemaPart {
  /** Names it for people, such as "index change_by_digest". */
  readonly name: string;
  readonly text: string;
  /** The table that it belongs to; null: none, such as a sequence. */
  readonly of: string | null;
}

export interface SchemaDifference {
  /** A sentence each, for parts that are missing or not as they should be. */
  readonly findings: readonly string[];
  /** The names of further parts: whoever runs the database has added them. */
  readonly additions: readonly string[];
  /** Whether every table and column is there, so that statements can run. */
  readonly isReadable: boolean;
}

/** A policy decides which rows a statement sees, so it is no harmless addition. */
const harmful = /^policy /;

export function compareSchemas(
  expected: readonly SchemaPart[],
  actual: readonly SchemaPart[],
): SchemaDifference {
  const texts = new Map(actual.map(({ name, text }) => [name, text]));
  const missing = notIn(actual, expected);
  const changed = expected.filter(({ name, text }) => (texts.get(name) ?? text) !== text);
  const added = notIn(expected, actual);
  return {
    findings: [
      ...missing.map((name) => `The ${name} is missing.`),
      ...changed.map(({ name, text }) => `The ${name} is ${texts.get(name)}, and not ${text}.`),
      ...added
        .filter((name) => harmful.test(name))
        .map((name) => `The ${name} does not belong to the store.`),
    ],
    additions: added.filter((name) => !harmful.test(name)),
    isReadable: !missing.some((name) => /^(?:table|column) /.test(name)),
  };
}

/** The names that only `others` have. A table stands for everything that belongs to it. */
function notIn(parts: readonly SchemaPart[], others: readonly SchemaPart[]): readonly string[] {
  const known = new Set(parts.map(({ name }) => name));
  return others
    .filter(({ name, of }) => {
      const isOfOther = of !== null && name !== `table ${of}` && !known.has(`table ${of}`);
      return !known.has(name) && !isOfOther;
    })
    .map(({ name }) => name);
}

const namedMax = 10;

/** Throws StoreError; nothing may be served from a store whose schema is not that of this version. */
export function refuseDifference(store: string, { findings }: SchemaDifference): void {
  if (findings.length === 0) return;
  const more = findings.length - namedMax;
  const rest = more > 0 ? ` ${more} more parts differ.` : "";
  throw new StoreError(
    `${store} does not have the schema of this version. ${findings.slice(0, namedMax).join(" ")}${rest} If it was restored ` +
      `from a dump, restore all of the dump; \`${sluice} check\` lists every difference.`,
  );
}

/** `findings`: what is wrong with the rows. */
export function reportOf(
  schema: SchemaDifference,
  { findings, max }: { readonly findings: readonly string[]; readonly max: number },
): IntegrityReport {
  const all = [...schema.findings, ...findings];
  const notes = noteAdditions(schema);
  return {
    ok: all.length === 0,
    findings: all.slice(0, max),
    ...(notes.length === 0 ? {} : { notes }),
  };
}

function noteAdditions({ additions }: SchemaDifference): readonly string[] {
  if (additions.length === 0) return [];
  const shown = additions.slice(0, namedMax).join(", ");
  const more = additions.length - namedMax;
  return [
    `The database also has what is not part of the store: ${shown}${more > 0 ? ` and ${more} more` : ""}.`,
  ];
}
