// The published schemas agree with the validators: an independent validator reads the document, and
// both get the same values, valid ones and ones corrupted in a field.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Operation, RecordType } from "../../src/domain/record-type.ts";
import { recordTypes } from "../../src/domain/record-types.ts";
import { validatorOf } from "../../src/domain/schema/validator.ts";
import { validatePayload } from "../../src/domain/validation/validate.ts";
import { buildOpenApi, publishOpenApi } from "../../src/process/openapi.ts";
import { componentName } from "../../src/http/openapi/wording.ts";
import { tokenRequestSchema } from "../../src/http/verb/issue-token.ts";
import {
  anyDeletionRequestSchema,
  deletionRequestSchema,
} from "../../src/http/verb/deletion-document.ts";
import { type Fields, makeRecordGenerator } from "../support/record-generator.ts";
import { makeCompiler } from "./document-walk.ts";

const document = buildOpenApi();
const compile = makeCompiler(document);
const longText = "x".repeat(1_025);

/** The values that replace each field in turn; undefined leaves it out. */
const corrupters: readonly unknown[] = [
  undefined,
  null,
  true,
  0,
  -1.5,
  0.5,
  301,
  2 ** 53,
  "",
  "x",
  "DEPOSIT",
  "EUR",
  "eur",
  "DE",
  "DEU",
  "ZZ",
  "XK",
  "DEDE",
  "transaction",
  "transactions:write",
  "tab\t",
  "line\n",
  "\u007f",
  "\u0085",
  "ü😀",
  "2026-01-31",
  "2026-02-30",
  "2026-01-31T09:30:00Z",
  "2026-01-31T09:30:00",
  "2016-12-31T23:59:60Z",
  "x".repeat(257),
  longText,
  "😀".repeat(1_024),
  [],
  ["a"],
  [1],
  [""],
  [longText],
  Array.from({ length: 1_001 }, () => "a"),
  {},
  { type: "t", value: "v" },
  { unknown: 1 },
  { lines: ["a"], city: "b" },
  [{ type: "t", outcome: "o" }],
  [{ key: "k", value: "v", type: "STRING" }],
  [{ key: "k", value: "v", type: "TEXT" }],
  { [longText]: "a" },
  { a: longText },
  Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`k${index}`, "v"])),
];

const rules = /must be unique, but|levels?$|is required (?:unless|when) |can't be sent together/;

interface Validator {
  Check(value: unknown): boolean;
}

/** What a field accepts in POST or PUT; the document states rules across fields in words. */
function fieldValidatorOf(type: RecordType, operation: Operation): Validator {
  return {
    Check: (value) => {
      const errors = validatePayload(type, operation, value);
      return errors.every(({ message = "" }) => rules.test(message));
    },
  };
}

function requireAgreement(
  validator: Validator,
  component: string,
  values: Iterable<unknown>,
): void {
  const schema = document.components.schemas[component];
  assert.ok(schema !== undefined, `${component} is not in the document`);
  const published = compile(schema);
  const verdicts = new Set<boolean>();
  for (const value of values) {
    const verdict = validator.Check(value);
    verdicts.add(verdict);
    const shown = JSON.stringify(value).slice(0, 300);
    assert.equal(published(value), verdict, `${component} should be ${verdict} of ${shown}`);
  }
  assert.equal(verdicts.size, 2, `${component} was evaluated on good values or bad ones only`);
}

function* withCorrupted(good: Fields, fields: readonly string[]): Generator {
  yield good;
  yield [good];
  yield null;
  for (const field of [...fields, "unknown_field"]) {
    for (const corrupter of corrupters) {
      const { [field]: _was, ...others } = good;
      yield corrupter === undefined ? others : { ...others, [field]: corrupter };
    }
  }
}

describe("the published schema of a record", () => {
  const records = makeRecordGenerator(31_001);
  for (const type of recordTypes) {
    it(`agrees with what POST accepts: ${type.resourceType}`, () => {
      const made = withCorrupted(records.record(type), type.fieldNames);
      requireAgreement(fieldValidatorOf(type, "add"), componentName(type), made);
    });

    it(`agrees with what PUT accepts: ${type.resourceType}`, () => {
      const made = withCorrupted(records.update(type, "id-1"), type.fieldNames);
      requireAgreement(fieldValidatorOf(type, "update"), `${componentName(type)}Update`, made);
    });

    it(`states each rule across fields: ${type.resourceType}`, () => {
      const { description } = document.components.schemas[componentName(type)] ?? {};
      for (const { summary } of type.rules) assert.ok(String(description).includes(summary));
    });
  }
});

describe("the published schema of a request", () => {
  for (const type of recordTypes.filter(({ deletable }) => deletable === true)) {
    it(`agrees with what DELETE accepts: ${type.resourceType}`, () => {
      const good = { [type.idField]: "id-1", reason: "asked for" };
      const validator = validatorOf(deletionRequestSchema(type));
      const component = `${componentName(type)}DeletionRequest`;
      requireAgreement(validator, component, withCorrupted(good, Object.keys(good)));
    });
  }

  it("agrees with what POST /v2/deletion_request accepts", () => {
    const good = { resource_type: "person", resource_id: "person-1", reason: "asked for" };
    const values = withCorrupted(good, Object.keys(good));
    requireAgreement(validatorOf(anyDeletionRequestSchema), "DeletionRequest", values);
  });

  it("agrees with what token issuing accepts", () => {
    const scopes = { organization_id: "org_1", scopes: ["transactions:write"] };
    const good = { expiry_seconds: 300, scopes };
    const validator = validatorOf(tokenRequestSchema);
    requireAgreement(validator, "AccessTokenRequest", withCorrupted(good, ["expiry_seconds"]));
  });
});

function byCode(one = "", other = ""): number {
  return one < other ? -1 : 1;
}

describe("the document's schemas", () => {
  const schemas = JSON.stringify(document.components.schemas);

  it("have no defaults, which generators would require or fill in", () => {
    assert.doesNotMatch(schemas, /"default":/);
    assert.match(schemas, /Counts as false if left out\./);
  });

  it("use no keyword and no format of the service's own", () => {
    assert.doesNotMatch(schemas, /"expected":/);
    const formats = [...schemas.matchAll(/"format":"([^"]+)"/g)].map(([, format]) => format);
    const standard = ["date", "date-time", "double", "int32", "int64"];
    assert.deepEqual([...new Set(formats)].toSorted(byCode), standard);
  });
});

describe("the document that is published", () => {
  const published = publishOpenApi();

  it("has only what generators can turn into code", () => {
    const found: string[] = [];
    const search = (part: unknown, path: string): void => {
      if (typeof part !== "object" || part === null) return;
      for (const [name, inner] of Object.entries(part)) {
        const isClosed = name === "additionalProperties" && inner === false;
        const isUnknown = ["not", "anyOf", "oneOf", "allOf", "if"].includes(name);
        if (isClosed || isUnknown) found.push(`${path}/${name}`);
        const isMedia = name === "content" && Object.keys(inner as object)[0]?.includes("/");
        if (isMedia === true && Object.keys(inner as object).length > 1) found.push(path);
        if (name !== "example" && name !== "examples") search(inner, `${path}/${name}`);
      }
    };
    search(published, "");
    assert.deepEqual(found, []);
    const schemas = Object.keys(published.components.schemas);
    assert.deepEqual(
      schemas.filter((name) => schemas.includes(`New${name}`)),
      [],
    );
    const schemes = Object.keys(published.components.securitySchemes);
    assert.deepEqual(
      schemes.filter((name) => schemas.includes(name)),
      [],
    );
  });

  it("accepts every record and update that the service accepts", () => {
    const compilePublished = makeCompiler(published);
    const records = makeRecordGenerator(31_002);
    for (const type of recordTypes) {
      const update = compilePublished(
        published.components.schemas[`${componentName(type)}Update`] ?? {},
      );
      const add = compilePublished(published.components.schemas[componentName(type)] ?? {});
      for (const value of withCorrupted(records.record(type), type.fieldNames)) {
        if (validatePayload(type, "add", value).length === 0) assert.ok(add(value));
        if (validatePayload(type, "update", value).length === 0) assert.ok(update(value));
      }
    }
  });
});
