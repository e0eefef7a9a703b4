// Records whose free texts each contain a canary, and the search for canaries in bytes, in every
// form in which a program might have written them.

import { isTooLarge, makeDraft } from "../../src/domain/record/payload.ts";
import type { Payload, RecordType } from "../../src/domain/record-type.ts";
import { validatePayload } from "../../src/domain/validation/validate.ts";
import { typeNamed } from "../conformance/scene.ts";

/** In all texts of erased records, and nowhere else. */
export const goes = "CanaryThatHasToGo";
/** In all texts of records that stay. */
export const stays = "CanaryThatMayStay";

let count = 0;

/** The canary with a unique number, and characters that JSON, UTF-8 and LIKE treat specially. */
function canary(word: string): string {
  count += 1;
  return `${word}-${count}-é"\\%`;
}

/**
 * The example of the type with a canary in every text that can be any text, the given `fields`, and
 * no relations except those in `fields`.
 */
export function canaryRecord(resourceType: string, word: string, fields: Payload): Payload {
  const type = typeNamed(resourceType);
  const related = new Set(type.relations.map(({ field }) => field));
  const example = Object.fromEntries(
    Object.entries(type.example).filter(([name]) => !related.has(name)),
  );
  const properties = [
    { key: canary(word), value: canary(word), type: "STRING", description: canary(word) },
  ];
  const start: Payload = { ...example, additional_properties: properties, ...fields };
  const record = Object.keys(start)
    .filter((name) => !Object.hasOwn(fields, name) && name !== "additional_properties")
    .reduce((payload, name) => {
      const marked = { ...payload, [name]: markTexts(payload[name], word) };
      return isValid(type, marked) ? marked : payload;
    }, start);
  if (!isValid(type, record)) throw new Error(`a ${resourceType} of the test is not valid`);
  return record;
}

function isValid(type: RecordType, payload: Payload): boolean {
  return (
    validatePayload(type, "add", payload).length === 0 &&
    !isTooLarge(makeDraft(type, payload).payload)
  );
}

function markTexts(value: unknown, word: string): unknown {
  if (typeof value === "string") return canary(word);
  if (Array.isArray(value)) return value.map((item) => markTexts(item, word));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => {
      const keepsForm = /type|country|date|state/.test(name) && typeof field === "string";
      return [name, keepsForm ? field : markTexts(field, word)];
    }),
  );
}

/** How often the word is in the bytes, by form. */
export function findWord(bytes: Buffer, word: string): Readonly<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const [form, pattern] of formsOf(word)) {
    const times = countOf(bytes, pattern);
    if (times > 0) found[form] = (found[form] ?? 0) + times;
  }
  return found;
}

function formsOf(word: string): readonly (readonly [form: string, pattern: Buffer])[] {
  const plain = Buffer.from(word);
  const hex = plain.toString("hex");
  const escaped = Array.from(word).map(
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return [
    ["raw", plain],
    ["upper case", Buffer.from(word.toUpperCase())],
    ["lower case", Buffer.from(word.toLowerCase())],
    ["reversed", Buffer.from(Array.from(word).toReversed().join(""))],
    ["UTF-16LE", Buffer.from(word, "utf16le")],
    ["UTF-16BE", Buffer.from(word, "utf16le").swap16()],
    ["hex", Buffer.from(hex)],
    ["hex", Buffer.from(hex.toUpperCase())],
    ["JSON-escaped", Buffer.from(escaped.join(""))],
    ...[0, 1, 2].map((shift) => ["base64", base64At(plain, shift)] as const),
  ];
}

/** What all base64 texts with the bytes at this offset modulo three have in common. */
function base64At(bytes: Buffer, shift: number): Buffer {
  const encoded = Buffer.concat([Buffer.alloc(shift), bytes])
    .toString("base64")
    .replace(/=+$/, "");
  const first = Math.ceil((shift * 8) / 6);
  const whole = Math.floor(((shift + bytes.length) * 8) / 6);
  return Buffer.from(encoded.slice(first, whole));
}

function countOf(bytes: Buffer, pattern: Buffer): number {
  let times = 0;
  for (let at = bytes.indexOf(pattern); at !== -1; at = bytes.indexOf(pattern, at + 1)) times += 1;
  return times;
}
